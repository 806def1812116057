/** What a write may use of the limits of its scope. Reserved before it is sent, by the venue's clock. */
export type Reservation = {
  /** Whose limits it counts towards. */
  readonly scope: string
  /** The same write is reserved once. */
  readonly identity: string
  readonly atMs: number
  readonly uses: readonly Use[]
}

/** What the orders of a write use in one market, at their worst case, in micro-USDC. */
export type Use = { readonly symbol: string; readonly micros: bigint; readonly orders: number }

/** What is reserved in a scope. */
export type Used = {
  /** The value of the last 24 hours, in micro-USDC. */
  readonly dayMicros: bigint
  /** When the oldest of it ends; null where there is none. */
  readonly dayRenewsAtMs: number | null
  /** The orders of the last minute. */
  readonly minuteOrders: number
  readonly minuteRenewsAtMs: number | null
  /** Micro-USDC by market of writes whose outcome was not known at a time. */
  readonly unseen: ReadonlyMap<string, bigint>
}

/** Reservations, which outlive the process. Throws Failure `store_unavailable`: nothing has changed then. */
export type SpendingStore = {
  /**
   * Reserves unless `refusal` answers one for what is reserved already, which it then answers; null where it is reserved.
   * One at a time in a scope, over all processes and instances. On the disk when its promise is kept.
   * `unseenSinceMs` is the wall time that `unseen` is about.
   */
  readonly reserve: <Refusal extends object>(
    reservation: Reservation,
    refusal: (used: Used) => Refusal | null,
    unseenSinceMs: number,
  ) => Promise<Refusal | null>
  /** Says that the outcome of a write was known at a wall time. Where that fails it counts as unseen. */
  readonly settle: (write: ReservedWrite, wallMs: number) => Promise<void>
  /** Gives back what a write has not used. Where that fails it stays reserved. */
  readonly release: (write: ReservedWrite) => Promise<void>
  /** What is reserved at a time of the venue's clock. */
  readonly used: (scope: string, atMs: number) => Promise<Used>
}

/** A write that was reserved. */
export type ReservedWrite = Pick<Reservation, 'scope' | 'identity'>

import { larger } from './decimals.ts'

/** What a write may use of the limits of its scope. Reserved before it is sent, by the venue's clock. */
export type Reservation = {
  /** Whose limits it counts towards. */
  readonly scope: string
  /** The same write is reserved once. */
  readonly identity: string
  readonly atMs: number
  readonly uses: readonly Use[]
  /**
   * The wall time from which figures of the account show the write whatever its outcome: the venue takes it no more.
   * Absent: never.
   */
  readonly seenByMs?: number
}

/** What an order of a write uses in its market, at its worst case, in micro-USDC. */
export type Use = { readonly symbol: string; readonly micros: bigint; readonly orders: number }

/** The reservations in a scope. */
export type Used = {
  /** The value of the last 24 hours and the minute in which they began, in micro-USDC; null where it is not known. */
  readonly dayMicros: bigint | null
  /** When the oldest of it ends; null where there is none. */
  readonly dayRenewsAtMs: number | null
  /** The orders of the last 24 hours. */
  readonly dayOrders: number
  /** The orders of the last minute and the second in which it began. */
  readonly minuteOrders: number
  readonly minuteRenewsAtMs: number | null
  /** Micro-USDC by market of writes whose outcome was not known at a time. */
  readonly unseen: ReadonlyMap<string, bigint>
}

/** Whether so much more would exceed the maximum of a day: always while the day's use is not known. */
export function exceedsDay({ dayMicros }: Used, addedMicros: bigint, maxMicros: bigint): boolean {
  return dayMicros === null || dayMicros + addedMicros > maxMicros
}

/** The rest of the maximum of a day, in micro-USDC: 0 while the day's use is not known. */
export function leftOfDay({ dayMicros }: Used, maxMicros: bigint): bigint {
  return dayMicros === null ? 0n : larger(0n, maxMicros - dayMicros)
}

/** The use of limits by an account that has used nothing. */
export const NOTHING_USED: Used = {
  dayMicros: 0n,
  dayRenewsAtMs: null,
  dayOrders: 0,
  minuteOrders: 0,
  minuteRenewsAtMs: null,
  unseen: new Map(),
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
  /**
   * Says that the outcome of a write was known at a wall time, with the outcomes of its orders, in the order of its uses.
   * A refused order uses nothing. Where that fails the write counts as unseen.
   */
  readonly settle: (
    write: ReservedWrite,
    wallMs: number,
    orders?: readonly OrderOutcome[],
  ) => Promise<void>
  /** Lowers what orders use to what they were filled for, once they have ended. Where that fails the worst case stays. */
  readonly fill: (scope: string, fills: readonly Fill[]) => Promise<void>
  /** Gives back what a write has not used. Where that fails it stays reserved. */
  readonly release: (write: ReservedWrite) => Promise<void>
  /** Deletes what no longer counts at a time of the venue's clock, at most so many rows; answers how many went. */
  readonly prune: (atMs: number, rowsMax: number) => Promise<number>
  /** What is reserved at a time of the venue's clock; `unseenSinceMs` as in `reserve`. */
  readonly used: (scope: string, atMs: number, unseenSinceMs?: number) => Promise<Used>
}

/** What became of an order of a write. */
export type OrderOutcome = {
  /** The venue's id; null where it is not known for certain. */
  readonly orderId: string | null
  readonly isRefused: boolean
}

/** The value of all fills of an order that has ended, in micro-USDC. */
export type Fill = { readonly orderId: string; readonly micros: bigint }

/** A write that was reserved. */
export type ReservedWrite = Pick<Reservation, 'scope' | 'identity'>

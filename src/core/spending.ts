import { larger } from './decimals.ts'

/**
 * The most that a write can use of the limits of its scope. It is reserved before the write is sent. Times are by the
 * venue's clock.
 */
export type Reservation = {
  /** The scope whose limits are used. */
  readonly scope: string
  /** Identifies the write, so that each write is reserved once. */
  readonly identity: string
  readonly atMs: number
  readonly uses: readonly OrderUse[]
  /**
   * The wall-clock time from which the account's figures certainly include the write, because the venue refuses the
   * write after this time. Absent: never.
   */
  readonly seenByMs?: number
}

/** The worst-case use of an order in its market, in micro-USDC. */
export type OrderUse = { readonly symbol: string; readonly micros: bigint; readonly orders: number }

/** The reservations in a scope. */
export type ReservedUse = {
  /**
   * The used value of the last 24 hours, in micro-USDC. The minute in which the 24 hours began counts as a whole. Null
   * if unknown.
   */
  readonly dayMicros: bigint | null
  /** The time at which the oldest use expires; null without use. */
  readonly dayRenewsAtMs: number | null
  /** The orders of the last 24 hours. */
  readonly dayOrders: number
  /** The orders of the last minute. The second in which the minute began counts as a whole. */
  readonly minuteOrders: number
  readonly minuteRenewsAtMs: number | null
  /** Micro-USDC per market of the writes that may be missing in account figures read at a given time. */
  readonly unseen: ReadonlyMap<string, bigint>
  /** The wall-clock time from which figures include all writes in `unseen`; absent if it is unknown. */
  readonly unseenUntilMs?: number
}

/** Whether an added value would exceed the daily maximum; true while the day's use is unknown. */
export function exceedsDay(
  { dayMicros }: ReservedUse,
  addedMicros: bigint,
  maxMicros: bigint,
): boolean {
  return dayMicros === null || dayMicros + addedMicros > maxMicros
}

/** The unused rest of the daily maximum, in micro-USDC; 0 while the day's use is unknown. */
export function dailyRemainderMicros({ dayMicros }: ReservedUse, maxMicros: bigint): bigint {
  return dayMicros === null ? 0n : larger(0n, maxMicros - dayMicros)
}

/** The use of an account without writes. */
export const NOTHING_USED: ReservedUse = {
  dayMicros: 0n,
  dayRenewsAtMs: null,
  dayOrders: 0,
  minuteOrders: 0,
  minuteRenewsAtMs: null,
  unseen: new Map(),
}

/** Durable reservations. Throws Failure `store_unavailable` like `Store`. */
export type SpendingStore = {
  /**
   * Makes the reservation unless `refusal` returns a refusal for the current use. Returns that refusal, else null.
   * Serialized per scope across all processes and instances. Durable when the promise resolves. `unseenSinceMs` is the
   * wall-clock time from which `unseen` counts writes.
   */
  readonly reserve: <Refusal extends object>(
    reservation: Reservation,
    refusal: (used: ReservedUse) => Refusal | null,
    unseenSinceMs: number,
  ) => Promise<Refusal | null>
  /**
   * Records the wall-clock time at which a write's outcome was known, and the outcomes of the write's orders, in the
   * sequence of `uses`. A refused order uses nothing. If recording fails, the write counts as unseen.
   */
  readonly settle: (
    write: ReservedWrite,
    wallMs: number,
    orders?: readonly OrderOutcome[],
  ) => Promise<void>
  /** Lowers the use of ended orders to their filled value. If this fails, the worst case stays. */
  readonly fill: (scope: string, fills: readonly Fill[]) => Promise<void>
  /** Releases the unused part of a write's reservation. If the write fails, this part stays reserved. */
  readonly release: (write: ReservedWrite) => Promise<void>
  /**
   * Deletes at most `rowsMax` reservations that no longer count at a time of the venue's clock. Returns the number of
   * deleted rows.
   */
  readonly prune: (atMs: number, rowsMax: number) => Promise<number>
  /** The use at a time of the venue's clock; `unseenSinceMs` as in `reserve`. */
  readonly used: (scope: string, atMs: number, unseenSinceMs?: number) => Promise<ReservedUse>
}

/** The outcome of an order of a write. */
export type OrderOutcome = {
  /** The venue's id; null if it is uncertain. */
  readonly orderId: string | null
  readonly isRefused: boolean
}

/** The value of all fills of an order that has ended, in micro-USDC. */
export type Fill = { readonly orderId: string; readonly micros: bigint }

/** A write that was reserved. */
export type ReservedWrite = Pick<Reservation, 'scope' | 'identity'>

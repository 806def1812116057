import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { OrderUse, Reservation, ReservedUse, ReservedWrite } from '../../core/spending.ts'
import { statement } from '../connection/statement.ts'

/** One stored order of a write. `orderId` is the venue's id; null again once the order's fills are known. */
export type SpendingRow = ReservedWrite &
  OrderUse & {
    readonly atMs: number
    readonly ordinal: number
    readonly settledMs: number | null
    readonly orderId: string | null
  }

/** Maximum counted value of one order, so that the sums of a minute stay within SQLite's integers. */
const MICROS_MAX = 10n ** 15n

/** The rows of a reservation, one per order. */
export function reservedRows(reservation: Reservation): readonly SpendingRow[] {
  const { scope, identity, atMs, uses, seenByMs: settledMs = null } = reservation
  return uses.map(({ symbol, micros, orders }, ordinal) => ({
    ...{ scope, identity, atMs, ordinal, symbol, orders, settledMs },
    ...{ micros: micros < MICROS_MAX ? micros : MICROS_MAX, orderId: null },
  }))
}

/** A sum of buckets as two decimal texts, because the sum may exceed SQLite's integers. */
type SumRow = { readonly wholeUsdc: string; readonly restMicros: string }
type BucketsRow = SumRow & { readonly oldestMs: number | null; readonly orders: number }
type UnseenRow = SumRow & Pick<OrderUse, 'symbol'> & { readonly seenMs: number }
type Since = { readonly scope: string; readonly sinceMs: number }
type FoldedRow = Pick<SpendingRow, 'orders'> & { readonly fromMs: number; readonly micros: string }
type SumsOver = { readonly minuteMs: number; readonly secondMs: number }

const OVER = `((span_ms = ${MINUTE_MS} AND from_ms <= $minuteMs) OR (span_ms = ${SECOND_MS} AND from_ms <= $secondMs))`

const SUM = `CAST(coalesce(sum(CAST((micros - micros % 1000000) / 1000000 AS BIGINT)), 0) AS TEXT) AS "wholeUsdc",
  CAST(coalesce(sum(micros % 1000000), 0) AS TEXT) AS "restMicros"`

/**
 * The statements that SQLite and PostgreSQL share. With `locking`, an instance skips rows that another instance has
 * locked.
 */
export function spendingStatements(prefix: '' | 'prepd_', locking: '' | 'FOR UPDATE SKIP LOCKED') {
  const table = `${prefix}spending`
  return {
    put: statement<object, SpendingRow>(
      `INSERT INTO ${table}
         (scope, at_ms, identity, ordinal, symbol, micros, orders, settled_ms, order_id)
       VALUES ($scope, $atMs, $identity, $ordinal, $symbol, $micros, $orders, $settledMs, $orderId)`,
    ),
    drop: statement<Omit<SpendingRow, 'micros'> & { readonly micros: string }, ReservedWrite>(
      `DELETE FROM ${table} WHERE identity = $identity AND scope = $scope
       RETURNING scope, at_ms AS "atMs", identity, ordinal, symbol, CAST(micros AS TEXT) AS micros,
         orders, settled_ms AS "settledMs", order_id AS "orderId"`,
    ),
    dropOrder: statement<object, ReservedWrite & { ordinal: number }>(
      `DELETE FROM ${table} WHERE identity = $identity AND scope = $scope AND ordinal = $ordinal`,
    ),
    minutes: statement<BucketsRow, Since>(
      `SELECT ${SUM}, min(CASE WHEN micros > 0 THEN from_ms END) AS "oldestMs",
         CAST(coalesce(sum(orders), 0) AS INT) AS orders
       FROM ${table}_sums WHERE scope = $scope AND span_ms = ${MINUTE_MS} AND from_ms > $sinceMs`,
    ),
    seconds: statement<BucketsRow, Since>(
      `SELECT ${SUM}, min(from_ms) AS "oldestMs", CAST(coalesce(sum(orders), 0) AS INT) AS orders
       FROM ${table}_sums
       WHERE scope = $scope AND span_ms = ${SECOND_MS} AND from_ms > $sinceMs AND orders > 0`,
    ),
    unseen: statement<UnseenRow, Since>(
      `SELECT symbol, ${SUM}, max(seen_ms) AS "seenMs" FROM ${table}_unseen
       WHERE scope = $scope AND seen_ms > $sinceMs GROUP BY symbol`,
    ),
    /** The number of a scope's orders that have rows. */
    held: statement<Pick<OrderUse, 'orders'>, Pick<Since, 'scope'>>(
      `SELECT orders FROM ${table}_sums WHERE scope = $scope AND span_ms = 0 AND from_ms = 0`,
    ),
    /** Deletes the oldest rows of a scope; `addBack` keeps their worst case in the sums of their minutes. */
    fold: statement<FoldedRow, Pick<Since, 'scope'> & { rowsMax: number }>(
      `DELETE FROM ${table} WHERE (scope, at_ms, identity, ordinal) IN (
         SELECT scope, at_ms, identity, ordinal FROM ${table} WHERE scope = $scope
         ORDER BY at_ms LIMIT $rowsMax ${locking})
       RETURNING at_ms / ${MINUTE_MS} * ${MINUTE_MS} AS "fromMs", CAST(micros AS TEXT) AS micros, orders`,
    ),
    addBack: statement<object, Pick<Since, 'scope'> & FoldedRow>(
      `UPDATE ${table}_sums SET micros = micros + CAST($micros AS NUMERIC), orders = orders + $orders
       WHERE scope = $scope AND span_ms = ${MINUTE_MS} AND from_ms = $fromMs`,
    ),
    forget: statement<object, Since & { rowsMax: number }>(
      `DELETE FROM ${table} WHERE (scope, at_ms, identity, ordinal) IN (
         SELECT scope, at_ms, identity, ordinal FROM ${table}
         WHERE scope = $scope AND at_ms <= $sinceMs ORDER BY at_ms LIMIT $rowsMax ${locking})`,
    ),
    forgetSums: statement<object, Pick<Since, 'scope'> & SumsOver>(
      `DELETE FROM ${table}_sums WHERE scope = $scope AND ${OVER}`,
    ),
    forgetUnseen: statement<object, Since>(
      `DELETE FROM ${table}_unseen WHERE scope = $scope AND seen_ms <= $sinceMs`,
    ),
    /** Deletes old rows of all scopes. `pruneSums` deletes old sums. */
    prune: statement<object, { sinceMs: number; rowsMax: number }>(
      `DELETE FROM ${table} WHERE (scope, at_ms, identity, ordinal) IN (
         SELECT scope, at_ms, identity, ordinal FROM ${table} WHERE at_ms <= $sinceMs
         ORDER BY at_ms LIMIT $rowsMax ${locking})`,
    ),
    pruneSums: statement<object, SumsOver & { rowsMax: number }>(
      `DELETE FROM ${table}_sums WHERE (scope, span_ms, from_ms) IN (
         SELECT scope, span_ms, from_ms FROM ${table}_sums WHERE ${OVER}
         LIMIT $rowsMax ${locking})`,
    ),
  }
}

/** The starts of the latest minute and the latest second that no longer count. */
export function sumsOver(atMs: number): SumsOver {
  return { minuteMs: dayStartMs(atMs), secondMs: minuteStartMs(atMs) }
}

/**
 * Minute sums that start after this time count towards the day. A sum expires when its whole minute is over a day old.
 */
export function dayStartMs(atMs: number): number {
  return atMs - DAY_MS - MINUTE_MS
}

/** The latest time of a row whose minute no longer counts. */
export function rowsOverMs(atMs: number): number {
  return Math.floor((atMs - DAY_MS) / MINUTE_MS) * MINUTE_MS - 1
}

export function minuteStartMs(atMs: number): number {
  return atMs - MINUTE_MS - SECOND_MS
}

/** Account figures that were requested at the given wall time may lack writes that settled after the returned time. */
export function unseenStartMs(askedAtMs: number): number {
  return Math.min(askedAtMs, UNSETTLED_MS) - 1
}

/** The settlement time of an unknown outcome. */
const UNSETTLED_MS = Number.MAX_SAFE_INTEGER

/**
 * How long a settled write counts as unseen by account figures. A minute is enough: figures are used within seconds of
 * their request, and the clocks differ by at most a second.
 */
export const UNSEEN_KEPT_MS = MINUTE_MS

/** How many of a scope's oldest rows a write folds into sums; 0 while the scope is within its maximum. */
export function rowsToFold(held: number | undefined, added: number): number {
  const beyond = (held ?? 0) + added - LIMITS.spendingRowsMax
  return Math.min(Math.max(0, beyond), forgottenMax(added))
}

/** Maximum number of old rows that one write deletes. It exceeds the number of added rows, so that a backlog shrinks. */
export function forgottenMax(added: number): number {
  return 2 * added + 50
}

/** The used part of an account's limits, from the stored sums. */
export function usedFrom(
  day: BucketsRow | null | undefined,
  minute: BucketsRow | null | undefined,
  unseen: readonly UnseenRow[],
): ReservedUse {
  return {
    dayMicros: day ? microsIn(day) : 0n,
    dayRenewsAtMs: after(day, MINUTE_MS + DAY_MS),
    dayOrders: day?.orders ?? 0,
    minuteOrders: minute?.orders ?? 0,
    minuteRenewsAtMs: after(minute, SECOND_MS + MINUTE_MS),
    unseen: new Map(unseen.map((row) => [row.symbol, microsIn(row)])),
    ...(unseen.length > 0 && { unseenUntilMs: Math.max(...unseen.map(({ seenMs }) => seenMs)) }),
  }
}

function microsIn({ wholeUsdc, restMicros }: SumRow): bigint {
  return BigInt(wholeUsdc) * 1_000_000n + BigInt(restMicros)
}

function after(sums: BucketsRow | null | undefined, ms: number): number | null {
  const oldestMs = sums?.oldestMs ?? null
  return oldestMs === null ? null : oldestMs + ms
}

/**
 * Returns a function that sets the day's use to unknown (null) for 24 hours after a loss of records; `lostAtMs` 0 means
 * no loss. A venue clock more than a day before the loss leaves the use unchanged: that venue was restored together
 * with its records.
 */
export function dayAfterLoss(lostAtMs: number): (used: ReservedUse, atMs: number) => ReservedUse {
  const renewsAtMs = lostAtMs + DAY_MS
  return (used, atMs) => {
    if (lostAtMs === 0 || atMs >= renewsAtMs || atMs < lostAtMs - DAY_MS) return used
    return { ...used, dayMicros: null, dayRenewsAtMs: renewsAtMs }
  }
}

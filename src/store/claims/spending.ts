import type {
  Fill,
  Reservation,
  ReservedWrite,
  SpendingStore,
  Use,
  Used,
} from '../../core/spending.ts'
import { DAY_MS, MINUTE_MS } from '../../spec/durations.ts'
import { statement } from '../connection/statement.ts'
import type { Statements, TableParts } from '../connection/statements.ts'
import { attempt } from '../connection/trouble.ts'

type Span = { readonly scope: string; readonly sinceMs: number; readonly identity: string }

/** A sum of a span, as text where it is an amount, and the time of the oldest row in it. */
type SumRow<Sum> = { readonly sum: Sum; readonly oldestMs: number | null }

/** The value of a day, and how many orders it has. */
type DayRow = SumRow<string> & { readonly orders: number }

/** Reservations in a file. */
export type SpendingTable = SpendingStore & {
  /** Reserves within a transaction of `synced`, as `reserve` does. */
  readonly reserveWithin: <Refusal extends object>(
    reservation: Reservation,
    refusal: (used: Used) => Refusal | null,
    unseenSinceMs: number,
  ) => Refusal | null
  /** Gives back what is reserved for a claim, within a transaction of `database`. */
  readonly dropWithin: (identity: string) => void
}

export function spendingTable({ database, synced, durably, guard }: TableParts): SpendingTable {
  const statements = statementsOf(synced)
  const late = statementsOf(database)

  const reserveWithin: SpendingTable['reserveWithin'] = (reservation, refusal, unseenSinceMs) => {
    const { scope, identity, atMs } = reservation
    const refused = refusal(usedOf(statements, { scope, identity, atMs }, unseenSinceMs))
    if (refused) return refused
    statements.forget.run({ scope, sinceMs: atMs - DAY_MS })
    statements.drop.run({ scope, identity })
    for (const row of rowsOf(reservation)) statements.put.run(row)
    return null
  }

  const settle = database.transaction((write: ReservedWrite, wallMs: number, ids: OrderIds) => {
    late.settle.run({ ...write, wallMs })
    for (const [ordinal, orderId] of ids.entries())
      if (orderId !== null) late.name.run({ ...write, ordinal, orderId })
  })
  const fill = database.transaction((scope: string, fills: readonly Fill[]) => {
    for (const { orderId, micros } of fills) late.fill.run({ scope, orderId, micros })
  })
  return {
    reserveWithin,
    dropWithin: (identity) => void late.dropClaimed.run({ identity }),
    reserve: (reservation, ...judged) => durably(() => reserveWithin(reservation, ...judged)),
    settle: async ({ scope, identity }, wallMs, orderIds = []) =>
      attempt(guard, () => settle({ scope, identity }, wallMs, orderIds)),
    fill: async (scope, fills) => attempt(guard, () => fill(scope, fills)),
    release: async ({ scope, identity }) =>
      attempt(guard, () => late.drop.run({ scope, identity })),
    prune: async (atMs, rowsMax) =>
      guard(() => late.prune.run({ sinceMs: atMs - DAY_MS, rowsMax }).changes),
    used: async (scope, atMs) =>
      guard(() => usedOf(late, { scope, atMs, identity: '' }, Number.MAX_SAFE_INTEGER)),
  }
}

type OrderIds = readonly (string | null)[]

type Row = ReservedWrite & Use & { readonly atMs: number; readonly ordinal: number }

/** More than any limit allows: sums of it stay within the integers of a file. */
const MICROS_MAX = 10n ** 15n

/** A reservation as rows, one an order. */
export function rowsOf({ scope, identity, atMs, uses }: Reservation): readonly Row[] {
  return uses.map(({ symbol, micros, orders }, ordinal) => ({
    ...{ scope, identity, atMs, ordinal, symbol, orders },
    micros: micros < MICROS_MAX ? micros : MICROS_MAX,
  }))
}

const OF_WRITE = 'identity = $identity AND scope = $scope'
/** A write that is reserved again replaces what was reserved for it. */
const IN_SPAN = 'scope = $scope AND at_ms > $sinceMs AND identity <> $identity'

/** The statements that a file and PostgreSQL have in common. */
export function spendingStatements(table: 'spending' | 'prepd_spending') {
  return {
    put: statement<object, Row>(
      `INSERT INTO ${table} (scope, at_ms, identity, ordinal, symbol, micros, orders)
       VALUES ($scope, $atMs, $identity, $ordinal, $symbol, $micros, $orders)`,
    ),
    drop: statement<object, ReservedWrite>(`DELETE FROM ${table} WHERE ${OF_WRITE}`),
    forget: statement<object, Pick<Span, 'scope' | 'sinceMs'>>(
      `DELETE FROM ${table} WHERE scope = $scope AND at_ms <= $sinceMs`,
    ),
    value: statement<DayRow, Span>(
      `SELECT CAST(coalesce(sum(micros), 0) AS TEXT) AS sum,
         min(at_ms) FILTER (WHERE micros > 0) AS "oldestMs", coalesce(sum(orders), 0) AS orders
       FROM ${table} WHERE ${IN_SPAN}`,
    ),
    orders: statement<SumRow<number>, Span>(
      `SELECT coalesce(sum(orders), 0) AS sum, min(at_ms) AS "oldestMs"
       FROM ${table} WHERE ${IN_SPAN} AND orders > 0`,
    ),
    unseen: statement<{ symbol: string; sum: string }, Span & { unseenSinceMs: number }>(
      `SELECT symbol, CAST(sum(micros) AS TEXT) AS sum FROM ${table}
       WHERE ${IN_SPAN} AND (settled_ms IS NULL OR settled_ms >= $unseenSinceMs) GROUP BY symbol`,
    ),
  }
}

const OWN = spendingStatements('spending')

function statementsOf(database: Statements) {
  return {
    put: database.shared(OWN.put),
    drop: database.shared(OWN.drop),
    forget: database.shared(OWN.forget),
    ...sumsIn(database),
    settle: database.prepare<null, [ReservedWrite & { wallMs: number }]>(
      `UPDATE spending SET settled_ms = $wallMs WHERE ${OF_WRITE}`,
    ),
    name: database.prepare<null, [ReservedWrite & { ordinal: number; orderId: string }]>(
      `UPDATE spending SET order_id = $orderId WHERE ${OF_WRITE} AND ordinal = $ordinal`,
    ),
    fill: database.prepare<null, [Fill & { scope: string }]>(
      `UPDATE spending SET micros = min(micros, $micros), order_id = NULL
       WHERE scope = $scope AND order_id = $orderId`,
    ),
    dropClaimed: database.prepare<null, [{ identity: string }]>(
      'DELETE FROM spending WHERE identity = $identity',
    ),
    prune: database.prepare<null, [{ sinceMs: number; rowsMax: number }]>(
      `DELETE FROM spending WHERE (scope, at_ms, identity, ordinal) IN
         (SELECT scope, at_ms, identity, ordinal FROM spending WHERE at_ms <= $sinceMs
          ORDER BY at_ms LIMIT $rowsMax)`,
    ),
  }
}

function sumsIn(database: Statements) {
  return {
    value: database.shared(OWN.value),
    orders: database.shared(OWN.orders),
    unseen: database.shared(OWN.unseen),
  }
}

function usedOf(
  { value, orders, unseen }: ReturnType<typeof sumsIn>,
  { atMs, ...others }: ReservedWrite & { readonly atMs: number },
  unseenSinceMs: number,
): Used {
  const day = { ...others, sinceMs: atMs - DAY_MS }
  return usedFrom(
    value.get(day),
    orders.get({ ...others, sinceMs: atMs - MINUTE_MS }),
    unseen.all({ ...day, unseenSinceMs }),
  )
}

const NO_DAY: DayRow = { sum: '0', oldestMs: null, orders: 0 }

/** The use of limits, from the sums of a store. */
export function usedFrom(
  day: DayRow | null | undefined,
  minute: SumRow<number> | null | undefined,
  unseen: readonly { readonly symbol: string; readonly sum: string }[],
): Used {
  const { sum, oldestMs, orders } = day ?? NO_DAY
  return {
    dayMicros: BigInt(sum),
    dayRenewsAtMs: after(oldestMs, DAY_MS),
    dayOrders: orders,
    minuteOrders: minute?.sum ?? 0,
    minuteRenewsAtMs: after(minute?.oldestMs ?? null, MINUTE_MS),
    unseen: new Map(unseen.map(({ symbol, sum }) => [symbol, BigInt(sum)])),
  }
}

function after(oldestMs: number | null, ms: number): number | null {
  return oldestMs === null ? null : oldestMs + ms
}

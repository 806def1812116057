import type { Reservation, ReservedWrite, SpendingStore, Used } from '../core/spending.ts'
import { DAY_MS, MINUTE_MS } from '../spec/durations.ts'
import type { Statements } from './connection/statements.ts'
import { attempt, type Trouble } from './connection/trouble.ts'

type Parts = {
  /** Commits are with the kernel: settling and giving back need no more. */
  readonly database: Statements
  readonly synced: Statements
  /** Runs steps on `synced` in a transaction that begins as a writer, and is on the disk when the promise is kept. */
  readonly durably: <Value>(steps: () => Value) => Promise<Value>
  readonly guard: Trouble['guard']
}

type Span = { readonly scope: string; readonly sinceMs: number }

/** A sum of a span, as text where it is an amount, and the time of the oldest row in it. */
type SumRow<Sum> = { readonly sum: Sum; readonly oldestMs: number | null }

const OF_WRITE = 'scope = $scope AND identity = $identity'
const IN_SPAN = 'scope = $scope AND at_ms > $sinceMs'

/** Reservations in a file. */
export function spendingTable({ database, synced, durably, guard }: Parts): SpendingStore {
  const statements = statementsOf(synced)
  const late = statementsOf(database)
  return {
    reserve: (reservation, refusal, unseenSinceMs) =>
      durably(() => {
        const { scope, identity, atMs } = reservation
        if (statements.find.get({ scope, identity })) return null
        const used = usedOf(statements, scope, atMs, unseenSinceMs)
        const refused = refusal(used)
        if (refused) return refused
        statements.forget.run({ scope, sinceMs: atMs - DAY_MS })
        for (const row of rowsOf(reservation)) statements.put.run(row)
        return null
      }),
    settle: async ({ scope, identity }, wallMs) =>
      attempt(guard, () => late.settle.run({ scope, identity, wallMs })),
    release: async ({ scope, identity }) =>
      attempt(guard, () => late.drop.run({ scope, identity })),
    used: async (scope, atMs) => guard(() => usedOf(late, scope, atMs, Number.MAX_SAFE_INTEGER)),
  }
}

type Row = ReservedWrite & {
  readonly atMs: number
  readonly symbol: string
  readonly micros: bigint
  readonly orders: number
}

/** More than any limit allows: sums of it stay within the integers of a file. */
const MICROS_MAX = 10n ** 15n

/** A reservation as rows, one a market. */
export function rowsOf({ scope, identity, atMs, uses }: Reservation): readonly Row[] {
  return uses.map(({ symbol, micros, orders }) => ({
    ...{ scope, identity, atMs, symbol, orders },
    micros: micros < MICROS_MAX ? micros : MICROS_MAX,
  }))
}

function statementsOf(database: Statements) {
  return {
    find: database.prepare<{ found: number }, [ReservedWrite]>(
      `SELECT 1 AS found FROM spending WHERE ${OF_WRITE} LIMIT 1`,
    ),
    put: database.prepare<null, [Row]>(
      `INSERT INTO spending (scope, at_ms, identity, symbol, micros, orders)
       VALUES ($scope, $atMs, $identity, $symbol, $micros, $orders)`,
    ),
    settle: database.prepare<null, [ReservedWrite & { wallMs: number }]>(
      `UPDATE spending SET settled_ms = $wallMs WHERE ${OF_WRITE}`,
    ),
    drop: database.prepare<null, [ReservedWrite]>(`DELETE FROM spending WHERE ${OF_WRITE}`),
    forget: database.prepare<null, [Span]>(
      'DELETE FROM spending WHERE scope = $scope AND at_ms <= $sinceMs',
    ),
    value: database.prepare<SumRow<string>, [Span]>(
      `SELECT CAST(coalesce(sum(micros), 0) AS TEXT) AS sum, min(at_ms) AS oldestMs
       FROM spending WHERE ${IN_SPAN} AND micros > 0`,
    ),
    orders: database.prepare<SumRow<number>, [Span]>(
      `SELECT coalesce(sum(orders), 0) AS sum, min(at_ms) AS oldestMs
       FROM spending WHERE ${IN_SPAN} AND orders > 0`,
    ),
    unseen: database.prepare<{ symbol: string; sum: string }, [Span & { unseenSinceMs: number }]>(
      `SELECT symbol, CAST(sum(micros) AS TEXT) AS sum FROM spending
       WHERE ${IN_SPAN} AND (settled_ms IS NULL OR settled_ms >= $unseenSinceMs) GROUP BY symbol`,
    ),
  }
}

function usedOf(
  { value, orders, unseen }: ReturnType<typeof statementsOf>,
  scope: string,
  atMs: number,
  unseenSinceMs: number,
): Used {
  const day = { scope, sinceMs: atMs - DAY_MS }
  return usedFrom(
    value.get(day) ?? { sum: '0', oldestMs: null },
    orders.get({ scope, sinceMs: atMs - MINUTE_MS }) ?? { sum: 0, oldestMs: null },
    unseen.all({ ...day, unseenSinceMs }),
  )
}

/** What is used, from the sums of a store. */
export function usedFrom(
  day: SumRow<string>,
  minute: SumRow<number>,
  unseen: readonly { readonly symbol: string; readonly sum: string }[],
): Used {
  return {
    dayMicros: BigInt(day.sum),
    dayRenewsAtMs: day.oldestMs === null ? null : day.oldestMs + DAY_MS,
    minuteOrders: minute.sum,
    minuteRenewsAtMs: minute.oldestMs === null ? null : minute.oldestMs + MINUTE_MS,
    unseen: new Map(unseen.map(({ symbol, sum }) => [symbol, BigInt(sum)])),
  }
}

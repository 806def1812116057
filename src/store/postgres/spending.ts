import { orElse } from '../../core/loop/guarded.ts'
import type { Reservation, SpendingStore, Used } from '../../core/spending.ts'
import { DAY_MS, MINUTE_MS } from '../../spec/durations.ts'
import { rowsOf, usedFrom } from '../spending.ts'
import type { Session, Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded, PostgresError } from './trouble.ts'

/** One transaction at a time in a scope, over all instances. */
const LOCK: Statement = {
  name: 'lock spending',
  text: "SELECT pg_advisory_xact_lock(hashtextextended('prepd spending ' || $1, 0))",
}
const OF_WRITE = 'scope = $1 AND identity = $2'
const FIND: Statement = {
  name: 'find spending',
  text: `SELECT 1 AS found FROM prepd_spending WHERE ${OF_WRITE} LIMIT 1`,
}
const PUT: Statement = {
  name: 'put spending',
  text: `INSERT INTO prepd_spending (scope, at_ms, identity, symbol, micros, orders)
    VALUES ($1, $2, $3, $4, $5::numeric, $6)`,
}
const SETTLE: Statement = {
  name: 'settle spending',
  text: `UPDATE prepd_spending SET settled_ms = $3 WHERE ${OF_WRITE}`,
}
const DROP: Statement = {
  name: 'release spending',
  text: `DELETE FROM prepd_spending WHERE ${OF_WRITE}`,
}
const FORGET: Statement = {
  name: 'forget spending',
  text: 'DELETE FROM prepd_spending WHERE scope = $1 AND at_ms <= $2',
}
const IN_SPAN = 'scope = $1 AND at_ms > $2'
const VALUE: Statement = {
  name: 'spending of a day',
  text: `SELECT coalesce(sum(micros), 0)::text AS sum, min(at_ms)::float8 AS "oldestMs"
    FROM prepd_spending WHERE ${IN_SPAN} AND micros > 0`,
}
const ORDERS: Statement = {
  name: 'orders of a minute',
  text: `SELECT coalesce(sum(orders), 0)::float8 AS sum, min(at_ms)::float8 AS "oldestMs"
    FROM prepd_spending WHERE ${IN_SPAN} AND orders > 0`,
}
const UNSEEN: Statement = {
  name: 'unseen spending',
  text: `SELECT symbol, sum(micros)::text AS sum FROM prepd_spending
    WHERE ${IN_SPAN} AND (settled_ms IS NULL OR settled_ms >= $3) GROUP BY symbol`,
}

type Sum<Value> = { readonly sum: Value; readonly oldestMs: number | null }

/** Reservations in PostgreSQL. Times are those of the venue and of the instances' wall clocks. */
export function spendingTable({ ask, transact }: Pick<Link, 'ask' | 'transact'>): SpendingStore {
  return {
    reserve: (reservation, refusal, unseenSinceMs) =>
      guarded(
        transact(async (session) => {
          const { scope, identity, atMs } = reservation
          await session.ask(LOCK, [scope])
          if ((await session.ask(FIND, [scope, identity])).count > 0) return null
          const refused = refusal(await usedOf(session, scope, atMs, unseenSinceMs))
          if (refused) return refused
          await session.ask(FORGET, [scope, atMs - DAY_MS])
          await put(session, reservation)
          return null
        }),
      ),
    settle: async ({ scope, identity }, wallMs) => {
      await ask(SETTLE, [scope, identity, wallMs]).catch(orElse('store', undefined, PostgresError))
    },
    release: async ({ scope, identity }) => {
      await ask(DROP, [scope, identity]).catch(orElse('store', undefined, PostgresError))
    },
    used: (scope, atMs) => guarded(usedOf({ ask }, scope, atMs, Number.MAX_SAFE_INTEGER)),
  }
}

async function put(session: Session, reservation: Reservation): Promise<void> {
  for (const { scope, atMs, identity, symbol, micros, orders } of rowsOf(reservation))
    await session.ask(PUT, [scope, atMs, identity, symbol, String(micros), orders])
}

async function usedOf(
  { ask }: Pick<Session, 'ask'>,
  scope: string,
  atMs: number,
  unseenSinceMs: number,
): Promise<Used> {
  const dayMs = atMs - DAY_MS
  const day = await ask<Sum<string>>(VALUE, [scope, dayMs])
  const minute = await ask<Sum<number>>(ORDERS, [scope, atMs - MINUTE_MS])
  const unseen = await ask<{ readonly symbol: string; readonly sum: string }>(UNSEEN, [
    scope,
    dayMs,
    unseenSinceMs,
  ])
  return usedFrom(
    day.rows[0] ?? { sum: '0', oldestMs: null },
    minute.rows[0] ?? { sum: 0, oldestMs: null },
    unseen.rows,
  )
}

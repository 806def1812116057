import { expected, orElse } from '../../core/loop/guarded.ts'
import type { Reservation, ReservedWrite, SpendingStore, Used } from '../../core/spending.ts'
import { DAY_MS, MINUTE_MS } from '../../spec/durations.ts'
import { NO_DAY, rowsOf, usedFrom } from '../claims/spending.ts'
import type { Session, Statement } from './connection.ts'
import type { Link } from './link.ts'
import type { OwnClaims } from './own-claims.ts'
import { guarded, PostgresError } from './trouble.ts'

/** One transaction at a time in a scope, over all instances. */
export const LOCK: Statement = {
  name: 'lock spending',
  text: "SELECT pg_advisory_xact_lock(hashtextextended('prepd spending ' || $1, 0))",
}
const OF_WRITE = 'scope = $1 AND identity = $2'
const PUT: Statement = {
  name: 'put spending',
  text: `INSERT INTO prepd_spending (scope, at_ms, identity, ordinal, symbol, micros, orders)
    VALUES ($1, $2, $3, $4, $5, $6::numeric, $7)`,
}
const SETTLE: Statement = {
  name: 'settle spending',
  text: `UPDATE prepd_spending SET settled_ms = $3, order_id = ($4::text[])[ordinal + 1]
    WHERE ${OF_WRITE}`,
}
const FILL: Statement = {
  name: 'fill spending',
  text: `UPDATE prepd_spending SET micros = least(prepd_spending.micros, filled.micros), order_id = NULL
    FROM unnest($2::text[], $3::numeric[]) AS filled (order_id, micros)
    WHERE scope = $1 AND prepd_spending.order_id = filled.order_id`,
}
const PRUNE: Statement = {
  name: 'prune spending',
  text: `DELETE FROM prepd_spending WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM prepd_spending WHERE at_ms <= $1 ORDER BY at_ms LIMIT $2
    FOR UPDATE SKIP LOCKED))`,
}
const DROP: Statement = {
  name: 'release spending',
  text: `DELETE FROM prepd_spending WHERE ${OF_WRITE}`,
}
const FORGET: Statement = {
  name: 'forget spending',
  text: 'DELETE FROM prepd_spending WHERE scope = $1 AND at_ms <= $2',
}
/** A write that is reserved again replaces what was reserved for it. */
const IN_SPAN = 'scope = $1 AND at_ms > $2 AND identity <> $3'
const VALUE: Statement = {
  name: 'spending of a day',
  text: `SELECT coalesce(sum(micros), 0)::text AS sum,
      (min(at_ms) FILTER (WHERE micros > 0))::float8 AS "oldestMs", coalesce(sum(orders), 0)::float8 AS orders
    FROM prepd_spending WHERE ${IN_SPAN}`,
}
const ORDERS: Statement = {
  name: 'orders of a minute',
  text: `SELECT coalesce(sum(orders), 0)::float8 AS sum, min(at_ms)::float8 AS "oldestMs"
    FROM prepd_spending WHERE ${IN_SPAN} AND orders > 0`,
}
const UNSEEN: Statement = {
  name: 'unseen spending',
  text: `SELECT symbol, sum(micros)::text AS sum FROM prepd_spending
    WHERE ${IN_SPAN} AND (settled_ms IS NULL OR settled_ms >= $4) GROUP BY symbol`,
}

type Sum<Value> = { readonly sum: Value; readonly oldestMs: number | null }

/** Reservations in PostgreSQL. Times are those of the venue and of the instances' wall clocks. */
export function spendingTable(link: Link, own: OwnClaims): SpendingStore {
  const { ask, transact } = link
  return {
    reserve: (reservation, ...judged) =>
      guarded(
        transact(async (session) => {
          await session.ask(LOCK, [reservation.scope])
          return reserveIn(session, reservation, ...judged)
        }),
      ),
    settle: async ({ scope, identity }, wallMs, orderIds = []) => {
      const settled = ask(SETTLE, [scope, identity, wallMs, orderIds])
      await settled.catch(orElse('store', undefined, PostgresError))
    },
    fill: async (scope, fills) => {
      const ids = fills.map(({ orderId }) => orderId)
      const filled = ask(FILL, [scope, ids, fills.map(({ micros }) => String(micros))])
      await filled.catch(orElse('store', undefined, PostgresError))
    },
    release: async ({ scope, identity }) => {
      own.giveBack({ scope, identity })
      try {
        await ask(DROP, [scope, identity])
      } catch (error) {
        expected('store', error, PostgresError)
        own.doubtReserved({ scope, identity })
      }
    },
    prune: async (atMs, rowsMax) =>
      link.health.isUp() ? (await guarded(ask(PRUNE, [atMs - DAY_MS, rowsMax]))).count : 0,
    used: (scope, atMs) =>
      guarded(usedOf({ ask }, { scope, atMs, identity: '' }, Number.MAX_SAFE_INTEGER)),
  }
}

/** Reserves within a transaction that has the lock of the scope; answers the refusal. */
export async function reserveIn<Refusal extends object>(
  session: Session,
  reservation: Reservation,
  refusal: (used: Used) => Refusal | null,
  unseenSinceMs: number,
): Promise<Refusal | null> {
  const { scope, identity, atMs } = reservation
  const refused = refusal(await usedOf(session, { scope, identity, atMs }, unseenSinceMs))
  if (refused) return refused
  await session.ask(FORGET, [scope, atMs - DAY_MS])
  await session.ask(DROP, [scope, identity])
  await put(session, reservation)
  return null
}

async function put(session: Session, reservation: Reservation): Promise<void> {
  for (const { scope, atMs, identity, ordinal, symbol, micros, orders } of rowsOf(reservation))
    await session.ask(PUT, [scope, atMs, identity, ordinal, symbol, String(micros), orders])
}

async function usedOf(
  { ask }: Pick<Session, 'ask'>,
  { scope, identity, atMs }: ReservedWrite & { readonly atMs: number },
  unseenSinceMs: number,
): Promise<Used> {
  const dayMs = atMs - DAY_MS
  const day = await ask<Sum<string> & { readonly orders: number }>(VALUE, [scope, dayMs, identity])
  const minute = await ask<Sum<number>>(ORDERS, [scope, atMs - MINUTE_MS, identity])
  const unseen = await ask<{ readonly symbol: string; readonly sum: string }>(UNSEEN, [
    scope,
    dayMs,
    identity,
    unseenSinceMs,
  ])
  return usedFrom(day.rows[0] ?? NO_DAY, minute.rows[0] ?? { sum: 0, oldestMs: null }, unseen.rows)
}

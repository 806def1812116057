import { expected, orElse } from '../../core/loop/guarded.ts'
import type { Reservation, ReservedWrite, SpendingStore, Used } from '../../core/spending.ts'
import { DAY_MS, MINUTE_MS } from '../../spec/durations.ts'
import { rowsOf, spendingStatements, usedFrom } from '../claims/spending.ts'
import { statement } from '../connection/statement.ts'
import type { Session } from './connection.ts'
import type { Link } from './link.ts'
import type { OwnClaims } from './own-claims.ts'
import { guarded, PostgresError } from './trouble.ts'

const SHARED = spendingStatements('prepd_spending')

/** One transaction at a time in a scope, over all instances. */
export const LOCK = statement<object, { scope: string }>(
  "SELECT pg_advisory_xact_lock(hashtextextended('prepd spending ' || $scope, 0))",
)
type Settled = ReservedWrite & { wallMs: number; orderIds: readonly (string | null)[] }
const SETTLE = statement<object, Settled>(
  `UPDATE prepd_spending SET settled_ms = $wallMs, order_id = ($orderIds::text[])[ordinal + 1]
    WHERE scope = $scope AND identity = $identity`,
)
const FILL = statement<object, { scope: string; ids: string[]; micros: bigint[] }>(
  `UPDATE prepd_spending SET micros = least(prepd_spending.micros, filled.micros), order_id = NULL
    FROM unnest($ids::text[], $micros::numeric[]) AS filled (order_id, micros)
    WHERE scope = $scope AND prepd_spending.order_id = filled.order_id`,
)
const PRUNE = statement<object, { sinceMs: number; rowsMax: number }>(
  `DELETE FROM prepd_spending WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM prepd_spending WHERE at_ms <= $sinceMs ORDER BY at_ms LIMIT $rowsMax
    FOR UPDATE SKIP LOCKED))`,
)

/** Reservations in PostgreSQL. Times are those of the venue and of the instances' wall clocks. */
export function spendingTable(link: Link, own: OwnClaims): SpendingStore {
  const { ask, transact } = link
  return {
    reserve: (reservation, ...judged) =>
      guarded(
        transact(async (session) => {
          await session.ask(LOCK, { scope: reservation.scope })
          return reserveIn(session, reservation, ...judged)
        }),
      ),
    settle: async ({ scope, identity }, wallMs, orderIds = []) => {
      const settled = ask(SETTLE, { scope, identity, wallMs, orderIds })
      await settled.catch(orElse('store', undefined, PostgresError))
    },
    fill: async (scope, fills) => {
      const ids = fills.map(({ orderId }) => orderId)
      const filled = ask(FILL, { scope, ids, micros: fills.map(({ micros }) => micros) })
      await filled.catch(orElse('store', undefined, PostgresError))
    },
    release: async ({ scope, identity }) => {
      own.giveBack({ scope, identity })
      try {
        await ask(SHARED.drop, { scope, identity })
      } catch (error) {
        expected('store', error, PostgresError)
        own.doubtReserved({ scope, identity })
      }
    },
    prune: async (atMs, rowsMax) =>
      link.health.isUp()
        ? (await guarded(ask(PRUNE, { sinceMs: atMs - DAY_MS, rowsMax }))).count
        : 0,
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
  await session.ask(SHARED.forget, { scope, sinceMs: atMs - DAY_MS })
  await session.ask(SHARED.drop, { scope, identity })
  for (const row of rowsOf(reservation)) await session.ask(SHARED.put, row)
  return null
}

async function usedOf(
  { ask }: Pick<Session, 'ask'>,
  { scope, identity, atMs }: ReservedWrite & { readonly atMs: number },
  unseenSinceMs: number,
): Promise<Used> {
  const span = { scope, identity, sinceMs: atMs - DAY_MS }
  const day = await ask(SHARED.value, span)
  const minute = await ask(SHARED.orders, { ...span, sinceMs: atMs - MINUTE_MS })
  const unseen = await ask(SHARED.unseen, { ...span, unseenSinceMs })
  return usedFrom(day.rows[0], minute.rows[0], unseen.rows)
}

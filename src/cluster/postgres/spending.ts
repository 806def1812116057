import { defaultOnFailure, reportUnexpected } from '../../core/loop/guarded.ts'
import type { Reservation, ReservedUse, ReservedWrite, SpendingStore } from '../../core/spending.ts'
import {
  dayAfterLoss,
  dayStartMs,
  forgottenMax,
  minuteStartMs,
  reservedRows,
  rowsOverMs,
  rowsToFold,
  spendingStatements,
  sumsOver,
  UNSEEN_KEPT_MS,
  unseenStartMs,
  usedFrom,
} from '../../store/claims/spending-statements.ts'
import { statement } from '../../store/connection/statement.ts'
import type { Session } from './connection.ts'
import { awaitPostgres, PostgresError } from './errors.ts'
import type { DatabaseLosses } from './history.ts'
import type { OwnClaims } from './own-claims.ts'
import type { Link } from './primary-queries.ts'

const SHARED = spendingStatements('prepd_', 'FOR UPDATE SKIP LOCKED')

/** Locks a scope against all instances until the transaction ends. */
export const LOCK = statement<object, { scope: string }>(
  "SELECT pg_advisory_xact_lock(hashtextextended('prepd spending ' || $scope, 0))",
)
type Settled = ReservedWrite & {
  wallMs: number
  orderIds: readonly (string | null)[]
  refused: readonly number[]
}
const SETTLE = statement<object, Settled>(
  `UPDATE prepd_spending SET settled_ms = $wallMs, order_id = ($orderIds::text[])[ordinal + 1]
    WHERE scope = $scope AND identity = $identity AND ordinal <> ALL ($refused::int[])`,
)
const DROP_REFUSED = statement<object, ReservedWrite & Pick<Settled, 'refused'>>(
  `DELETE FROM prepd_spending
    WHERE scope = $scope AND identity = $identity AND ordinal = ANY ($refused::int[])`,
)
const FILL = statement<object, { scope: string; ids: string[]; micros: bigint[] }>(
  `UPDATE prepd_spending SET micros = least(prepd_spending.micros, filled.micros), order_id = NULL
    FROM unnest($ids::text[], $micros::numeric[]) AS filled (order_id, micros)
    WHERE scope = $scope AND prepd_spending.order_id = filled.order_id`,
)
/** Reservations in PostgreSQL. Times come from the venue and from the instances' wall clocks. */
export function postgresSpending(
  link: Link,
  own: OwnClaims,
  losses: () => DatabaseLosses,
): SpendingStore {
  const { ask, transact } = link
  return {
    reserve: (reservation, refusal, unseenSinceMs) =>
      awaitPostgres(
        transact(async (session) => {
          await session.ask(LOCK, { scope: reservation.scope })
          return reserveIn(session, reservation, refusal, { unseenSinceMs, ...losses() })
        }),
      ),
    settle: async ({ scope, identity }, wallMs, orders = []) => {
      const refused = orders.flatMap(({ isRefused }, at) => (isRefused ? [at] : []))
      own.refuse(identity, refused)
      const orderIds = orders.map(({ orderId }) => orderId)
      const settled = settledIn(link, { scope, identity, wallMs, orderIds, refused })
      await settled.catch(defaultOnFailure('store', undefined, PostgresError))
    },
    fill: async (scope, fills) => {
      const ids = fills.map(({ orderId }) => orderId)
      const filled = ask(FILL, { scope, ids, micros: fills.map(({ micros }) => micros) })
      await filled.catch(defaultOnFailure('store', undefined, PostgresError))
    },
    release: async ({ scope, identity }) => {
      own.giveBack({ scope, identity })
      try {
        await ask(SHARED.drop, { scope, identity })
      } catch (error) {
        reportUnexpected('store', error, PostgresError)
        own.releaseReservedLater({ scope, identity })
      }
    },
    prune: async (atMs, rowsMax) => {
      if (!link.health.isUp()) return 0
      await awaitPostgres(ask(SHARED.pruneSums, { ...sumsOver(atMs), rowsMax }))
      return (await awaitPostgres(ask(SHARED.prune, { sinceMs: rowsOverMs(atMs), rowsMax }))).count
    },
    used: async (scope, atMs, unseenSinceMs = Number.MAX_SAFE_INTEGER) => {
      const used = await awaitPostgres(readUsed({ ask }, { scope, atMs }, unseenSinceMs))
      return dayAfterLoss(losses().recordsLostAtMs)(used, atMs)
    },
  }
}

async function settledIn({ ask }: Pick<Link, 'ask'>, settled: Settled): Promise<void> {
  const { scope, identity, refused, wallMs } = settled
  if (refused.length > 0) await ask(DROP_REFUSED, { scope, identity, refused })
  await ask(SETTLE, settled)
  await ask(SHARED.forgetUnseen, { scope, sinceMs: wallMs - UNSEEN_KEPT_MS })
}

type ReservedSince = Pick<DatabaseLosses, 'recordsLostAtMs'> & { readonly unseenSinceMs: number }

/** Reserves inside a transaction that holds the scope's lock. Returns the refusal, or null. */
export async function reserveIn<Refusal extends object>(
  session: Session,
  reservation: Reservation,
  refusal: (used: ReservedUse) => Refusal | null,
  { unseenSinceMs, recordsLostAtMs }: ReservedSince,
): Promise<Refusal | null> {
  const { scope, identity, atMs } = reservation
  // A repeated reservation replaces the earlier reservation of the same write.
  const replaced = await session.ask(SHARED.drop, { scope, identity })
  const used = await readUsed(session, { scope, atMs }, unseenSinceMs)
  const refused = refusal(dayAfterLoss(recordsLostAtMs)(used, atMs))
  if (refused) {
    for (const row of replaced.rows)
      await session.ask(SHARED.put, { ...row, micros: BigInt(row.micros) })
    return refused
  }
  await bound(session, reservation)
  for (const row of reservedRows(reservation)) await session.ask(SHARED.put, row)
  return null
}

/** Deletes expired rows of a scope and keeps their number below the maximum. */
async function bound(session: Session, { scope, atMs, uses }: Reservation): Promise<void> {
  await session.ask(SHARED.forget, {
    ...{ scope, sinceMs: rowsOverMs(atMs), rowsMax: forgottenMax(uses.length) },
  })
  await session.ask(SHARED.forgetSums, { scope, ...sumsOver(atMs) })
  const held = await session.ask(SHARED.held, { scope })
  const rowsMax = rowsToFold(held.rows[0]?.orders, uses.length)
  if (rowsMax === 0) return
  const folded = await session.ask(SHARED.fold, { scope, rowsMax })
  for (const row of folded.rows) await session.ask(SHARED.addBack, { scope, ...row })
}

async function readUsed(
  { ask }: Pick<Session, 'ask'>,
  { scope, atMs }: { readonly scope: string; readonly atMs: number },
  unseenSinceMs: number,
): Promise<ReservedUse> {
  const day = await ask(SHARED.minutes, { scope, sinceMs: dayStartMs(atMs) })
  const minute = await ask(SHARED.seconds, { scope, sinceMs: minuteStartMs(atMs) })
  const unseen = await ask(SHARED.unseen, { scope, sinceMs: unseenStartMs(unseenSinceMs) })
  return usedFrom(day.rows[0], minute.rows[0], unseen.rows)
}

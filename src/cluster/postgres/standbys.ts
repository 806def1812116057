import { STANDBY } from '../../contract/standby.ts'
import type { StandbyStore } from '../../core/standby.ts'
import { statement } from '../../store/connection/statement.ts'
import { standbyRow, standbyStatements, toStandby } from '../../store/standbys.ts'
import { deleteUnlocked } from './connection.ts'
import type { Queries } from './primary-queries.ts'

const SHARED = standbyStatements('prepd_standbys', 'FOR UPDATE SKIP LOCKED')

const POSTPONE = statement<object, { accountIds: string[]; keys: string[]; times: number[] }>(
  `UPDATE prepd_standbys AS own SET due_at_ms = least(seen.at_ms + after_ms, ends_at_ms)
    FROM unnest($accountIds::text[], $keys::text[], $times::bigint[])
      AS seen (account_id, public_key, at_ms)
    WHERE own.account_id = seen.account_id AND own.public_key = seen.public_key
      AND state = 'armed' AND due_at_ms < least(seen.at_ms + after_ms, ends_at_ms)`,
)
/** Deletes standbys that ended long ago, up to a maximum number. */
export const FORGET_STANDBYS = statement<object, { rowsMax: number }>(
  deleteUnlocked(
    'prepd_standbys',
    `state NOT IN ('armed', 'sending') AND
      changed_at_ms <= extract(epoch FROM now()) * 1000 - ${STANDBY.keptMs} LIMIT $rowsMax`,
  ),
)

/** Standby cancels, which any instance may send. Times come from the instances' clocks. */
export function postgresStandbys({ rows, row, change }: Queries, acts: Queries): StandbyStore {
  return {
    arm: async (standby) => (await acts.change(SHARED.arm, standbyRow(standby))) === 1,
    find: async (pair) => {
      const found = await row(SHARED.find, pair)
      return found && toStandby(found)
    },
    withdraw: async (pair, nowMs) => (await acts.change(SHARED.withdraw, { ...pair, nowMs })) === 1,
    postpone: async (pairs) => {
      const accountIds = pairs.map(({ accountId }) => accountId)
      const keys = pairs.map(({ publicKey }) => publicKey)
      await change(POSTPONE, { accountIds, keys, times: pairs.map(({ atMs }) => atMs) })
    },
    counts: () => rows(SHARED.counts, {}),
    take: async (nowMs, untilMs, rowsMax) =>
      (await rows(SHARED.take, { nowMs, untilMs, rowsMax })).map(toStandby),
    put: async ({ accountId, publicKey, dueAtMs: untilMs }, next) =>
      (await change(SHARED.put, { accountId, publicKey, untilMs, ...standbyRow(next) })) === 1,
  }
}

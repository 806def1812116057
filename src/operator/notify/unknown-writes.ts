import { NOTIFY_LIMITS } from '../../contract/operator/notify.ts'
import type { Clock } from '../../core/ports.ts'
import type { UnknownWrite } from './conditions.ts'

/** The newest relayed writes with an unknown outcome. The list is bounded. */
export type UnknownWrites = {
  readonly note: (accountId: string) => void
  /**
   * The writes of the last hour, newest first. Lists only the first write of each account, since replays of that write
   * are unknown too.
   */
  readonly newest: () => readonly UnknownWrite[]
}

/** Creates the list. `tagOf` returns an account's tag in the log. */
export function createUnknownWrites(
  clock: Clock,
  tagOf: (accountId: string) => string,
): UnknownWrites {
  let rows: readonly UnknownWrite[] = []
  const newest = () => rows.filter(({ atMs }) => clock.nowMs() - atMs < NOTIFY_LIMITS.calmAfterMs)
  return {
    note: (accountId) => {
      const row = { tag: tagOf(accountId), atMs: clock.nowMs() }
      if (newest().some(({ tag }) => tag === row.tag)) return
      rows = [row, ...newest()].slice(0, NOTIFY_LIMITS.unknownWritesMax)
    },
    newest,
  }
}

import { NOTIFY_LIMITS } from '../../contract/operator/notify.ts'
import type { Clock } from '../../core/ports.ts'
import type { UnknownWrite } from './conditions.ts'

/** The newest relayed writes whose outcome is unknown, in bounded memory. */
export type UnknownWrites = {
  readonly note: (accountId: string) => void
  /** Those of the last hour, the newest first: each account once, with its first write, because a replay is unknown again. */
  readonly newest: () => readonly UnknownWrite[]
}

/** `tagOf` names an account as the log does. */
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

import type { RequestLine } from '../../contract/console/figures.ts'
import type { Clock, Log } from '../ports.ts'

/** The newest log lines that name a request, in memory. */
export type RequestLines = {
  /** The log whose lines are kept. */
  readonly log: Log
  /** The lines of a request, oldest first; empty if they were overwritten or never written. */
  readonly of: (requestId: string) => readonly RequestLine[]
}

const LINES_MAX = 2000

/** Fields removed from kept lines: they identify callers and accounts, or repeat the request. */
const OMITTED_FIELDS: ReadonlySet<string> = new Set(['request', 'traceparent', 'caller', 'account'])

/** Keeps the newest lines of a log that name a request. */
export function keepRequestLines(log: Log, clock: Clock): RequestLines {
  const kept: (RequestLine & { readonly request: string })[] = []
  let next = 0

  function at(level: RequestLine['level']): Log['info'] {
    return (event, fields = {}) => {
      const { request } = fields
      if (typeof request === 'string') {
        const shown = Object.entries(fields).filter(([name]) => !OMITTED_FIELDS.has(name))
        const line = { atMs: clock.nowMs(), level, event, fields: Object.fromEntries(shown) }
        kept[next] = { ...line, request }
        next = (next + 1) % LINES_MAX
      }
      log[level](event, fields)
    }
  }

  return {
    log: {
      ...log,
      ...{ error: at('error'), warn: at('warn'), info: at('info') },
      // Lines of these levels are kept even if the log's own level drops them.
      isWritten: (level) => level !== 'debug' || (log.isWritten?.(level) ?? true),
    },
    of: (requestId) =>
      [...kept.slice(next), ...kept.slice(0, next)]
        .filter(({ request }) => request === requestId)
        .map(({ request: _, ...line }) => line),
  }
}

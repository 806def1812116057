import { EngineAway } from '../../core/engines/health.ts'
import { expected, orElse } from '../../core/loop/guarded.ts'

/** A rejection handler for calls that may be skipped while the engine is away. */
export const whileAway = orElse('valkey', undefined, EngineAway)

/** Errors of code, which neither the client nor its connection throws. */
const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError] as const

/**
 * The reason why a command of the client failed. The error's text may hold a sent value, so it is dropped. A defect of
 * this program is also reported and counted.
 */
export function toEngineAway(error: unknown): EngineAway {
  if (error instanceof EngineAway) return error
  const word = replyWord(error)
  if (word !== '') return new EngineAway('refused', word)
  const timedOut = error instanceof Error && error.message === 'Command timed out'
  if (BUGS.some((bug) => error instanceof bug)) expected('valkey', error)
  return new EngineAway(timedOut ? 'timeout' : 'unreachable')
}

/** The word that an error of the engine begins with, in capitals; '' where the error is not the engine's. */
export function replyWord(error: unknown): string {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return ''
  return /^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR'
}

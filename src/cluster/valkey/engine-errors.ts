import { EngineAway } from '../../core/engines/health.ts'
import { defaultOnFailure, reportUnexpected } from '../../core/loop/guarded.ts'

/** A rejection handler for calls that may be skipped while the engine is away. */
export const skipIfAway = defaultOnFailure('valkey', undefined, EngineAway)

/** Errors that indicate a defect of this program, rather than of the client or its connection. */
const DEFECT_ERRORS = [TypeError, RangeError, ReferenceError, SyntaxError] as const

/**
 * Converts the error of a command. Drops the error's text, which may contain a sent value. Also reports and counts a
 * defect of this program.
 */
export function toEngineAway(error: unknown): EngineAway {
  if (error instanceof EngineAway) return error
  const word = replyErrorCode(error)
  if (word !== '') return new EngineAway('refused', word)
  const timedOut = error instanceof Error && error.message === 'Command timed out'
  if (DEFECT_ERRORS.some((bug) => error instanceof bug)) reportUnexpected('valkey', error)
  return new EngineAway(timedOut ? 'timeout' : 'unreachable')
}

/** The code that begins an engine's error, such as `NOSCRIPT`; '' for other errors. */
export function replyErrorCode(error: unknown): string {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return ''
  return /^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR'
}

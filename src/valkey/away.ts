import type { EngineFault } from '../core/engines/health.ts'

/** The engine did not do what it was asked, or nobody knows whether it did. Says nothing of what was asked. */
export class EngineAway extends Error {
  override readonly name = 'EngineAway'
  readonly fault: EngineFault
  /** The first word of the engine's own error, such as OOM; '' where it said nothing. */
  readonly word: string
  constructor(fault: EngineFault, word = '') {
    super(`valkey ${fault}`)
    this.fault = fault
    this.word = word
  }
}

/** What a command of the client failed by. Its text may hold what was sent, and goes no further. */
export function awayOf(error: unknown): EngineAway {
  if (error instanceof EngineAway) return error
  const word = replyWord(error)
  if (word !== '') return new EngineAway('refused', word)
  const timedOut = error instanceof Error && error.message === 'Command timed out'
  return new EngineAway(timedOut ? 'timeout' : 'unreachable')
}

/** The word that an error of the engine begins with, in capitals; '' where the error is not the engine's. */
export function replyWord(error: unknown): string {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return ''
  return /^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR'
}

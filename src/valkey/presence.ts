import type { EnginePulse } from '../core/engines/health.ts'
import type { Log } from '../core/ports.ts'
import type { EngineAway } from './away.ts'

/** Whether the engine is there, by what it was last asked; every change of that is logged once. */
export type Presence = {
  readonly answered: (tookMs: number) => void
  readonly failed: (away: EngineAway, tookMs: number) => void
  /** Whether it did not answer last. */
  readonly isAway: () => boolean
  /** Hears of each time that it is there, the first included. */
  readonly onReturn: (hear: () => void) => void
}

type Parts = { readonly pulse: EnginePulse; readonly log: Log }

export function createPresence({ pulse, log }: Parts): Presence {
  const listeners: (() => void)[] = []
  let isAway = true
  let isTold = false

  function answered(tookMs: number): void {
    pulse.answered(tookMs)
    if (!isAway) return
    if (isTold) log.info('engine_back', { engine: 'valkey' })
    isAway = false
    isTold = false
    for (const hear of listeners) hear()
  }

  function failed({ fault, word }: EngineAway, tookMs: number): void {
    pulse.failed(fault, tookMs)
    if (!isTold) log.warn('engine_away', { engine: 'valkey', fault, ...(word && { said: word }) })
    isAway = true
    isTold = true
  }

  return { answered, failed, isAway: () => isAway, onReturn: (hear) => void listeners.push(hear) }
}

import type { LineWriter } from './observing/line-writer.ts'
import type { Clock, Log, LogFields } from './ports.ts'

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/** A log that may lose lines rather than wait, and how many it has lost. */
export type LossyLog = { readonly log: Log; readonly lostLines: () => number }

type Parts = LineWriter & {
  /** Asked for each line, so that it can change. */
  readonly level: () => LogLevel
  readonly clock: Clock
}

/**
 * A log of JSON lines: time, level, event, fields. Levels below the chosen one cost a comparison. A line for which there
 * is no room is lost, and the next one that there is room for comes after one that says how many were.
 */
export function createLog({ level, clock, hasRoom, write }: Parts): LossyLog {
  let lost = 0
  let told = 0

  function put(name: LogLevel, event: string, fields?: LogFields): void {
    const time = new Date(clock.nowMs()).toISOString()
    write(JSON.stringify({ time, level: name, event, ...fields }))
  }

  function offer(name: LogLevel, event: string, fields?: LogFields): void {
    if (!hasRoom()) {
      lost += 1
      return
    }
    if (lost > told) put('warn', 'log_lines_lost', { lines: lost - told })
    told = lost
    put(name, event, fields)
  }

  function at(name: LogLevel) {
    const rank = LOG_LEVELS.indexOf(name)
    return (event: string, fields?: LogFields) => {
      if (rank <= LOG_LEVELS.indexOf(level())) offer(name, event, fields)
    }
  }

  const isDebug = () => level() === 'debug'
  const log = {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    isDebug,
  }
  return { log, lostLines: () => lost }
}

import type { Clock, Log, LogFields } from './ports.ts'

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

type Parts = {
  /** Asked for each line, so that it can change. */
  readonly level: () => LogLevel
  readonly clock: Clock
  /** Takes one line, without its newline. */
  readonly write: (line: string) => void
}

/** A log of JSON lines: time, level, event, fields. Levels below the chosen one cost a comparison. */
export function createLog({ level, clock, write }: Parts): Log {
  function at(name: LogLevel) {
    const rank = LOG_LEVELS.indexOf(name)
    return (event: string, fields?: LogFields) => {
      if (rank > LOG_LEVELS.indexOf(level())) return
      const time = new Date(clock.nowMs()).toISOString()
      write(JSON.stringify({ time, level: name, event, ...fields }))
    }
  }
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
}

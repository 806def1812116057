import type { LogEvent } from '../contract/operator/log-events.ts'
import type { Clock, Log, LogFields } from './ports.ts'

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/** Severities of syslog (RFC 5424, 6.2.1). */
const PRIORITIES: Readonly<Record<LogLevel, number>> = { error: 3, warn: 4, info: 6, debug: 7 }

/** A log that may lose lines rather than wait, and how many it has lost. */
type LossyLog = { readonly log: Log; readonly lostLines: () => number }

type Parts = LineWriter & {
  /** Asked for each line, so that it can change. */
  readonly level: () => LogLevel
  /** Whether each line begins with its priority for the journal of systemd (sd-daemon(3)). */
  readonly hasPriorities: boolean
  readonly clock: Clock
}

/**
 * A log of JSON lines: time, level, event, fields. Levels below the chosen one cost a comparison. A line for which there
 * is no room is lost, and the next one that there is room for comes after one that says how many were.
 */
export function createLog({ level, hasPriorities, clock, hasRoom, write }: Parts): LossyLog {
  let lost = 0
  let reported = 0

  function put(name: LogLevel, event: LogEvent, fields?: LogFields): void {
    const time = new Date(clock.nowMs()).toISOString()
    const priority = hasPriorities ? `<${PRIORITIES[name]}>` : ''
    write(priority + JSON.stringify({ time, level: name, event, ...fields }))
  }

  function offer(name: LogLevel, event: LogEvent, fields?: LogFields): void {
    if (!hasRoom()) {
      lost += 1
      return
    }
    if (lost > reported) put('warn', 'log_lines_lost', { lines: lost - reported })
    reported = lost
    put(name, event, fields)
  }

  function at(name: LogLevel) {
    const rank = LOG_LEVELS.indexOf(name)
    return (event: LogEvent, fields?: LogFields) => {
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

/** A stream that takes text when it can: `settled` is called once it has, or with why it never will. */
type TextStream = {
  readonly write: (text: string, settled: (error?: Error | null) => void) => unknown
}

/** Lines for a stream whose reader may be slow or gone: nothing waits for it. */
type LineWriter = {
  /** Whether a line can be handed over now; what is written all the same is kept in memory. */
  readonly hasRoom: () => boolean
  /** Hands over one line, without its newline. */
  readonly write: (line: string) => void
}

/**
 * Lines for a stream, opened by the first, that may owe its reader about `backlogMaxBytes`. Once it owes that much there
 * is no room before half of it has been taken, so that what is missing is missing in one piece; nor is there any once
 * it has failed.
 */
export function createLineWriter(open: () => TextStream, backlogMaxBytes: number): LineWriter {
  let stream: TextStream | null = null
  let owedBytes = 0
  let isFull = false
  let isGone = false
  return {
    hasRoom: () => {
      isFull = owedBytes >= (isFull ? backlogMaxBytes / 2 : backlogMaxBytes)
      return !isFull && !isGone
    },
    write: (line) => {
      const bytes = Buffer.byteLength(line) + 1
      owedBytes += bytes
      stream ??= open()
      stream.write(`${line}\n`, (error) => {
        owedBytes -= bytes
        if (error) isGone = true
      })
    },
  }
}

/** The log fields of a bug: its name and place, not the message, which may quote a caller's text. */
export function crashFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  return {
    error: error.name,
    at: error.stack
      ?.split('\n')
      .find((line) => /^\s+at /.test(line))
      ?.trim(),
  }
}

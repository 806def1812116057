import type { LogEvent } from '../contract/operator/log-events.ts'
import type { Clock, Log, LogFields } from './ports.ts'

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/** Severities of syslog (RFC 5424, 6.2.1). */
const PRIORITIES: Readonly<Record<LogLevel, number>> = { error: 3, warn: 4, info: 6, debug: 7 }

/** A log that never waits: it drops lines and counts them in `lostLines`. */
type LossyLog = { readonly log: Log; readonly lostLines: () => number }

type LogOptions = LineWriter & {
  /** Called for each line, so that the level can change. */
  readonly level: () => LogLevel
  /** Whether each line starts with its priority, as systemd's journal reads it (sd-daemon(3)). */
  readonly hasPriorities: boolean
  readonly clock: Clock
}

/**
 * Creates a log of JSON lines: time, level, event, fields. A line below the level costs one comparison. If the writer
 * has no room, the line is dropped. Before the next written line, an additional line reports the number of dropped
 * lines.
 */
export function createLog({ level, hasPriorities, clock, hasRoom, write }: LogOptions): LossyLog {
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

  function isWritten(name: LogLevel): boolean {
    return LOG_LEVELS.indexOf(name) <= LOG_LEVELS.indexOf(level())
  }

  function at(name: LogLevel) {
    return (event: LogEvent, fields?: LogFields) => {
      if (isWritten(name)) offer(name, event, fields)
    }
  }

  const log = {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    isWritten,
  }
  return { log, lostLines: () => lost }
}

/** A stream that accepts text asynchronously. It calls `settled` after writing, or with the error. */
type TextStream = {
  readonly write: (text: string, settled: (error?: Error | null) => void) => unknown
}

/** Writes lines to a stream with a slow or absent reader, without waiting. */
type LineWriter = {
  /** Whether a line can be accepted now. A line written without room is kept in memory. */
  readonly hasRoom: () => boolean
  /** Writes one line, given without its newline. */
  readonly write: (line: string) => void
}

/**
 * Creates a writer to a stream that the first line opens, with a backlog of about `backlogMaxBytes`. A full backlog has
 * no room until half of it is written, so that dropped lines form one gap. A failed stream has no room.
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

/**
 * The log fields of an unexpected error: its name and location. The message is omitted, because it may quote a caller's
 * text.
 */
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

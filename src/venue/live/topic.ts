import type { Peek } from '../venue.ts'
import type { Happenings } from './happenings.ts'
import { textOf } from './rows.ts'

/** Where topics look: the venue's own reads, and what has happened since they last looked. */
export type Source = {
  readonly peek: Peek
  readonly trades: Happenings['trades']
  /** How many trades a market had in its last 24 hours. */
  readonly tradesOfDay: (symbol: string) => number
}

/** What one topic shows: the state as of now, and the messages that tell how it came to be from the one before. */
export type LiveTopic = {
  /** Its market; null where it is about all of them. */
  readonly symbol: string | null
  readonly beatMs: number
  /** So often it is told though nothing has changed. */
  readonly forcedMs?: number
  /** Whether who subscribes is told the state at once. */
  readonly isState?: boolean
  readonly read: (source: Source) => unknown
  /** The `data` of each message; `before` is undefined at the first. */
  readonly tell: (now: unknown, before: unknown) => readonly unknown[]
  /** Nobody listens any more. */
  readonly end?: () => void
}

/** What is told as a whole whenever it has changed. */
export function whole(now: unknown, before: unknown): readonly unknown[] {
  return now === undefined || textOf(now) === textOf(before) ? [] : [now]
}

import { CLUSTER_FEED } from '../../contract/engines/valkey.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { FeedMessage } from '../../core/feed.ts'
import { parseExact } from '../../core/json.ts'

/**
 * An event that the leader publishes: a message of the venue, a topic that was opened or lost, the result of a book
 * request, or the end of the lead.
 */
export type FeedEvent =
  | { readonly kind: 'message'; readonly message: FeedMessage }
  | { readonly kind: 'opened'; readonly subject: string }
  | { readonly kind: 'lost'; readonly subject: string }
  | { readonly kind: 'no_book'; readonly subject: string }
  | { readonly kind: 'book'; readonly subject: string; readonly message: FeedMessage }
  | { readonly kind: 'end' }

/** Events that were published together. `seq` rises by one per batch of a term, so followers notice a lost batch. */
export type FeedBatch = {
  readonly term: number
  readonly seq: number
  readonly events: Iterable<FeedEvent>
}

/** A follower's request. It asks for topics for a limited time, or for one snapshot of a book. */
export type FeedRequest = { readonly kind: 'topics' | 'book'; readonly subjects: readonly string[] }

type IsWanted = (topic: string) => boolean

const SUBJECT_PATTERN = /^[\w@.-]{1,80}$/
const KIND_LETTERS = {
  message: 'm',
  opened: 'o',
  lost: 'l',
  book: 'b',
  no_book: 'n',
  end: 'e',
} as const

/** One line of a batch. */
export function eventLine(event: FeedEvent): string {
  const letter = KIND_LETTERS[event.kind]
  if (event.kind === 'end') return letter
  if (event.kind !== 'message' && event.kind !== 'book') return `${letter} ${event.subject}`
  const { topic, atMs, data } = event.message
  const subject = event.kind === 'book' ? event.subject : topic
  return `${letter} ${subject} ${atMs} ${JSON.stringify(data ?? null)}`
}

export function batchText(term: number, seq: number, lines: readonly string[]): string {
  return [`${term} ${seq}`, ...lines].join('\n')
}

/**
 * Parses a batch. Its events are parsed lazily while the caller iterates, and messages of unwanted topics are skipped.
 * Null for a malformed batch.
 */
export function readBatch(text: string, isWanted: IsWanted): FeedBatch | null {
  const [head = '', ...lines] = text.split('\n')
  const [term, seq] = head.split(' ').map(Number)
  if (!Number.isSafeInteger(term) || !Number.isSafeInteger(seq)) return null
  return { term: term ?? 0, seq: seq ?? 0, events: readLines(lines, isWanted) }
}

function* readLines(lines: readonly string[], isWanted: IsWanted): Iterable<FeedEvent> {
  for (const line of lines) {
    const event = readLine(line, isWanted)
    if (event) yield event
  }
}

function readLine(line: string, isWanted: IsWanted): FeedEvent | null {
  const [letter, subject = '', at = ''] = line.split(' ', 3)
  if (letter === KIND_LETTERS.end) return { kind: 'end' }
  if (!SUBJECT_PATTERN.test(subject)) return null
  if (letter === KIND_LETTERS.opened) return { kind: 'opened', subject }
  if (letter === KIND_LETTERS.lost) return { kind: 'lost', subject }
  if (letter === KIND_LETTERS.no_book) return { kind: 'no_book', subject }
  if (letter === KIND_LETTERS.message && !isWanted(subject)) return null
  const json = line.slice(`${letter} ${subject} ${at} `.length)
  const message = { topic: subject, atMs: Number(at), data: parseExact(json, LIMITS.scrubDepthMax) }
  return letter === KIND_LETTERS.book
    ? { kind: 'book', subject, message }
    : { kind: 'message', message }
}

export function feedRequestText({ kind, subjects }: FeedRequest): string {
  return [kind, ...subjects].join(' ')
}

/** Parses a follower's request. Null if it is malformed or has too many subjects. */
export function parseFeedRequest(text: string): FeedRequest | null {
  const [kind, ...subjects] = text.split(' ')
  if (kind !== 'topics' && kind !== 'book') return null
  if (
    subjects.length > CLUSTER_FEED.topicsMax ||
    !subjects.every((each) => SUBJECT_PATTERN.test(each))
  )
    return null
  return { kind, subjects }
}

import { signal } from '@preact/signals'
import { ApiFailure } from '../../common/api.ts'
import { failureWords } from './failure-messages.ts'

/** One thing the page has to say about what was done. */
export type Note = {
  readonly id: number
  readonly kind: 'good' | 'bad' | 'wait'
  readonly text: string
  readonly next: string
  readonly action: { readonly label: string; readonly run: () => void } | null
}

const SHOWN_MAX = 4
const GOOD_MS = 6000
const BAD_MS = 20_000

export const notes = signal<readonly Note[]>([])

let lastId = 0

/** Says something. What is good goes by itself; what waits stays until it is replaced or dismissed. */
export function tell(note: Omit<Note, 'id' | 'action' | 'next'> & Partial<Note>): number {
  lastId += 1
  const id = lastId
  notes.value = [...notes.peek(), { next: '', action: null, ...note, id }].slice(-SHOWN_MAX)
  const lifeMs = { good: GOOD_MS, bad: BAD_MS, wait: 0 }[note.kind]
  if (lifeMs > 0) setTimeout(() => dismiss(id), lifeMs)
  return id
}

/** Says what went wrong and the way on. */
export function tellFailure(error: unknown, lead = ''): number {
  const failure = error instanceof ApiFailure ? error : new ApiFailure('internal', 0, '')
  const { text, next } = failureWords(failure)
  const wait = failure.retryAfterSeconds === null ? '' : ` (${failure.retryAfterSeconds} s)`
  return tell({ kind: 'bad', text: `${lead}${lead && ' '}${text}`, next: next + wait })
}

export function dismiss(id: number): void {
  notes.value = notes.peek().filter((note) => note.id !== id)
}

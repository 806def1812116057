import { signal } from '@preact/signals'
import { ApiFailure } from '../../common/api.ts'
import { failureMessage } from './failure-messages.ts'

/** A message to the user about an action. */
export type PageNotice = {
  readonly id: number
  readonly kind: 'good' | 'bad' | 'wait' | 'warn'
  readonly text: string
  readonly next: string
  readonly action: { readonly label: string; readonly run: () => void } | null
}

const SHOWN_MAX = 4
const GOOD_MS = 6000
const BAD_MS = 20_000

export const notices = signal<readonly PageNotice[]>([])

let lastId = 0

/**
 * Shows a notice and returns its id. A notice disappears after a time, except one of kind `wait`, which stays until it
 * is dismissed.
 */
export function showNotice(
  note: Omit<PageNotice, 'id' | 'action' | 'next'> & Partial<PageNotice>,
): number {
  lastId += 1
  const id = lastId
  notices.value = [...notices.peek(), { next: '', action: null, ...note, id }].slice(-SHOWN_MAX)
  const lifeMs = { good: GOOD_MS, bad: BAD_MS, warn: BAD_MS, wait: 0 }[note.kind]
  if (lifeMs > 0) setTimeout(() => dismiss(id), lifeMs)
  return id
}

/** An error as ApiFailure, with its text and next step. */
export function explainedFailure(error: unknown) {
  const failure = error instanceof ApiFailure ? error : new ApiFailure('internal')
  return { failure, ...failureMessage(failure) }
}

/** Shows the text of a failure and the next step. */
export function notifyFailure(error: unknown, lead = ''): number {
  const { failure, text, next } = explainedFailure(error)
  const seconds = failure.code !== 'mandate_exceeded' && failure.retryAfterSeconds
  const wait = seconds ? ` (${seconds} s)` : ''
  return showNotice({ kind: 'bad', text: `${lead}${lead && ' '}${text}`, next: next + wait })
}

export function dismiss(id: number): void {
  notices.value = notices.peek().filter((note) => note.id !== id)
}

import type { FailureRow } from './failures.ts'

type Table = Readonly<Record<string, FailureRow>>

/** Failures that are the page's own. */
const OWN_WORDS: Table = {
  offline: { text: 'The server cannot be reached.', next: 'The page keeps trying.' },
  clock: {
    text: 'This device’s clock is too far off: nothing was signed.',
    next: 'Set the clock; the page notices by itself.',
  },
}

let words: Table = OWN_WORDS

/** Fetches the words for every failure of the catalogue; until they are there the server's own serve. */
export async function loadFailureWords(): Promise<void> {
  const { FAILURE_WORDS } = await import('./failures.ts')
  words = { ...FAILURE_WORDS, ...OWN_WORDS }
}

type Told = { readonly code: string; readonly message: string; readonly parameter?: string }

/** A failure in two sentences. A code that is new here shows the server's own sentence. */
export function failureWords({ code, message, parameter }: Told): FailureRow {
  const known = Object.hasOwn(words, code) ? words[code] : undefined
  const row = known ?? { text: message || code, next: '' }
  return parameter ? { ...row, text: `${row.text} (${parameter})` } : row
}

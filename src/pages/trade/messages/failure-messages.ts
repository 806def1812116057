import type { FailureMessage } from './failures.ts'

type Table = Readonly<Record<string, FailureMessage>>

/** Failures that are the page's own. */
const OWN_MESSAGES: Table = {
  offline: { text: 'The server cannot be reached.', next: 'The page keeps trying.' },
  clock: {
    text: 'This device’s clock is too far off: nothing was signed.',
    next: 'Set the clock, or agree above to sign with the server’s time.',
  },
}

let messages: Table = OWN_MESSAGES

/** Sets the messages for all failures of the catalogue; until then the server's own sentence is shown. */
export function learnMessages(all: Table): void {
  messages = { ...all, ...OWN_MESSAGES }
}

type NamedFailure = { readonly code: string; readonly message: string; readonly parameter?: string }

/** A failure in two sentences. A code that is new here shows the server's own sentence. */
export function failureMessage({ code, message, parameter }: NamedFailure): FailureMessage {
  const known = Object.hasOwn(messages, code) ? messages[code] : undefined
  const row = known ?? { text: message || code, next: '' }
  return parameter ? { ...row, text: `${row.text} (${parameter})` } : row
}

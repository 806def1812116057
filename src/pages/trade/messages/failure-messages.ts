import type { FailureMessage } from './failures.ts'

type Table = Readonly<Record<string, FailureMessage>>

/** Messages for failures that the page itself raises. */
const OWN_MESSAGES: Table = {
  offline: { text: 'The server cannot be reached.', next: 'The page keeps trying.' },
  clock: {
    text: 'This device’s clock is too far off: nothing was signed.',
    next: 'Set the clock, or agree above to sign with the server’s time.',
  },
}

let messages: Table = OWN_MESSAGES

/** Sets the messages for all failure codes; before this, the server's text is shown. */
export function learnMessages(all: Table): void {
  messages = { ...all, ...OWN_MESSAGES }
}

type NamedFailure = { readonly code: string; readonly message: string; readonly parameter?: string }

/** The text and next step of a failure. An unknown code shows the server's text. */
export function failureMessage({ code, message, parameter }: NamedFailure): FailureMessage {
  const known = Object.hasOwn(messages, code) ? messages[code] : undefined
  const row = known ?? { text: message || code, next: '' }
  return parameter ? { ...row, text: `${row.text} (${parameter})` } : row
}

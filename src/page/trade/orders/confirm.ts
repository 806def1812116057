import { signal } from '@preact/signals'
import { nowMs } from '../../common/world.ts'
import { bytesOf, type Call, type StampedCall, stamp } from '../account/relay.ts'
import { asksFirst } from './switches.ts'

/** What is about to be signed, waiting for a yes. */
export type Question = {
  readonly title: string
  readonly rows: readonly (readonly [string, string])[]
  readonly call: StampedCall
  readonly answer: (yes: boolean) => void
}

export const question = signal<Question | null>(null)

/** The server takes a signature for five minutes; a question older than this is put anew. */
const QUESTION_MAX_MS = 120_000

/** Shows the bytes and asks; null is a no. Where questions are switched off, the stamped call at once. */
export async function confirmed(
  title: string,
  rows: Question['rows'],
  call: Call,
): Promise<StampedCall | null> {
  const stamped = stamp(call)
  if (!asksFirst.peek()) return stamped
  question.peek()?.answer(false)
  const yes = await new Promise<boolean>((resolve) => {
    question.value = { title, rows, call: stamped, answer: resolve }
  })
  question.value = null
  if (!yes) return null
  const isOld = nowMs() - Number(stamped.timestamp) > QUESTION_MAX_MS
  return isOld ? confirmed(title, rows, call) : stamped
}

/** The text under the signature, as it is shown. */
export function shownBytes({ call }: Question): string {
  return bytesOf(call)
}

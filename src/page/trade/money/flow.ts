import { signal } from '@preact/signals'
import { ApiFailure } from '../../common/api.ts'
import { fill } from '../../common/format.ts'
import type { CheckedDocument } from '../account/document-check.ts'
import type { OpeningDialog } from '../account/opening.ts'
import { isClockUnusable } from '../feed/clock.ts'
import type { FailureRow } from '../messages/failures.ts'
import { W } from '../messages/money.ts'
import { DepositFailure } from './deposit-failure.ts'

/** Where something stands that the wallet has to agree to. */
export type Step =
  | { readonly at: 'idle' }
  | { readonly at: 'working'; readonly text: string; readonly waitSeconds: number }
  | {
      readonly at: 'review'
      readonly document: CheckedDocument
      readonly answer: (yes: boolean) => void
    }
  | { readonly at: 'stopped'; readonly text: string; readonly next: string }

export const step = signal<Step>({ at: 'idle' })

let leaving = new AbortController()

/** Does what the wallet has to agree to, one at a time; whatever stops it is shown. */
export async function run(
  text: string,
  work: (dialog: OpeningDialog, showText: (text: string) => void) => Promise<void>,
): Promise<void> {
  if (step.peek().at === 'working' || step.peek().at === 'review') return
  leaving = new AbortController()
  const { signal: left } = leaving
  const show = (next: Step) => {
    if (!left.aborted) step.value = next
  }
  const showText = (next: string) => show({ at: 'working', text: next, waitSeconds: 0 })
  const dialog: OpeningDialog = {
    left,
    confirm: async (document) => {
      const yes = await new Promise<boolean>((answer) => show({ at: 'review', document, answer }))
      if (yes) showText(text)
      return yes
    },
    onWait: (waitSeconds) => show({ at: 'working', text, waitSeconds }),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }
  showText(text)
  try {
    if (isClockUnusable.peek()) throw new ApiFailure('clock', 0, '')
    await work(dialog, showText)
    show({ at: 'idle' })
  } catch (error) {
    if (error instanceof DepositFailure) {
      show({ at: 'stopped', ...refused(error) })
      return
    }
    // What says it comes with what the wallet signs, which most readers never load.
    const { sentenceOf } = await import('../account/connecting.ts')
    const sentence = sentenceOf(error)
    show(sentence ? { at: 'stopped', ...sentence } : { at: 'idle' })
  }
}

/** What the chain did not do, and the way on. */
function refused({ reason, hash }: DepositFailure): FailureRow {
  return { text: fill(W.deposit[reason], { hash }), next: '' }
}

/** Ends what is shown: a question is answered with no, and work goes no further. */
export function leave(): void {
  const { value } = step
  leaving.abort()
  if (value.at === 'review') value.answer(false)
  step.value = { at: 'idle' }
}

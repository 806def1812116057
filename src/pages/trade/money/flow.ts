import { signal } from '@preact/signals'
import { ApiFailure } from '../../common/api.ts'
import { filledTemplate } from '../../common/format.ts'
import { sleep } from '../../common/world.ts'
import type { CheckedDocument } from '../account/document-check.ts'
import type { OpeningDialog } from '../account/opening.ts'
import { isClockUnusable } from '../feed/clock.ts'
import { ChainFailure } from './chain-failure.ts'

/** The stage of a request that needs the wallet's consent. */
export type WalletStep =
  | { readonly at: 'idle' }
  | { readonly at: 'working'; readonly text: string; readonly waitUntilMs: number }
  | {
      readonly at: 'review'
      readonly document: CheckedDocument
      readonly answer: (yes: boolean) => void
    }
  | { readonly at: 'stopped'; readonly text: string; readonly next: string }

/** The text, with the next step, for each failure of the chain. */
export type Refusals = Readonly<Record<ChainFailure['reason'], string>>

export const step = signal<WalletStep>({ at: 'idle' })

let leaving = new AbortController()

/**
 * Runs a request that needs the wallet's consent, one at a time. A failure is shown; `refusals` has the texts for
 * failures of the chain.
 */
export async function runWithWallet(
  text: string,
  work: (dialog: OpeningDialog, showText: (text: string) => void) => Promise<void>,
  refusals: Refusals | null = null,
): Promise<void> {
  if (step.peek().at === 'working' || step.peek().at === 'review') return
  leaving = new AbortController()
  const { signal: left } = leaving
  const show = (next: WalletStep) => {
    if (!left.aborted) step.value = next
  }
  const showText = (next: string) => show({ at: 'working', text: next, waitUntilMs: 0 })
  const dialog: OpeningDialog = {
    left,
    confirm: async (document) => {
      const yes = await new Promise<boolean>((answer) => show({ at: 'review', document, answer }))
      if (yes) showText(text)
      return yes
    },
    onWait: (waitUntilMs) => show({ at: 'working', text, waitUntilMs }),
    sleep,
  }
  showText(text)
  try {
    if (isClockUnusable.peek()) throw new ApiFailure('clock')
    await work(dialog, showText)
    show({ at: 'idle' })
  } catch (error) {
    if (error instanceof ChainFailure && refusals) {
      show({
        at: 'stopped',
        text: filledTemplate(refusals[error.reason], { hash: error.hash }),
        next: '',
      })
      return
    }
    // The texts of errors are loaded with the signing code, which most users never need.
    const { sentenceOf } = (await import('../account/wallet-bundle.ts')).WALLET_BUNDLE
    const sentence = sentenceOf(error)
    show(sentence ? { at: 'stopped', ...sentence } : { at: 'idle' })
  }
}

/** Ends the current step: answers an open review with no, and stops work in progress. */
export function leaveStep(): void {
  const { value } = step
  leaving.abort()
  if (value.at === 'review') value.answer(false)
  step.value = { at: 'idle' }
}

import { signal } from '@preact/signals'
import { ApiFailure } from '../../common/api.ts'
import { ageText, filledTemplate } from '../../common/format.ts'
import { type InjectedWallet, requestWallet, WalletRefusal } from '../../common/wallets.ts'
import { sleep } from '../../common/world.ts'
import { isClockUnusable } from '../feed/clock.ts'
import { CONNECT_TEXTS } from '../messages/connect.ts'
import { failureMessage } from '../messages/failure-messages.ts'
import type { FailureMessage } from '../messages/failures.ts'
import { showNotice } from '../messages/notices.ts'
import { AlteredDocument, type CheckedDocument } from './document-check.ts'
import {
  Declined,
  injectedSigner,
  type KeyOptions,
  type OpeningDialog,
  openSignerAccount,
  type Signer,
  throwAwaySigner,
  WrongChain,
} from './opening.ts'

/** The stage of the dialog that opens an account. */
export type OpeningStage =
  | { readonly at: 'choosing' }
  | { readonly at: 'working'; readonly waitUntilMs: number }
  | {
      readonly at: 'review'
      readonly document: CheckedDocument
      readonly answer: (yes: boolean) => void
    }
  | {
      readonly at: 'stopped'
      readonly text: string
      readonly next: string
      readonly wrongChain: WrongWalletChain | null
    }
  | { readonly at: 'done'; readonly address: string }

type WrongWalletChain = { readonly wallet: InjectedWallet; readonly chains: WrongChain['chains'] }

export const stage = signal<OpeningStage>({ at: 'choosing' })

/** The throw-away wallet of this page, kept until the page closes so that it can bind a new key. */
let throwAway: Signer | null = null

let leaving = new AbortController()

/** Opens an account, or binds a new key, with a wallet of the browser; null means a throw-away wallet. */
export async function connect(wallet: InjectedWallet | null, options: KeyOptions): Promise<void> {
  leaving = new AbortController()
  const { signal: left } = leaving
  const show = (next: OpeningStage) => {
    if (!left.aborted) stage.value = next
  }
  show({ at: 'working', waitUntilMs: 0 })
  const dialog: OpeningDialog = {
    left,
    confirm: review,
    onWait: (waitUntilMs) => show({ at: 'working', waitUntilMs }),
    sleep,
  }
  try {
    if (isClockUnusable.peek()) throw new ApiFailure('clock')
    const signer = wallet ? await injectedSigner(wallet, dialog) : await prepareThrowAway(dialog)
    if (left.aborted) return
    await openSignerAccount(signer, options, dialog)
    show({ at: 'done', address: signer.address })
  } catch (error) {
    show(stoppedStage(error, wallet))
  }
}

async function prepareThrowAway(dialog: OpeningDialog): Promise<Signer> {
  if (throwAway) return { ...throwAway, isNew: false }
  throwAway = await throwAwaySigner(dialog)
  return throwAway
}

async function review(document: CheckedDocument): Promise<boolean> {
  const yes = await new Promise<boolean>((answer) => {
    stage.value = { at: 'review', document, answer }
  })
  if (yes) stage.value = { at: 'working', waitUntilMs: 0 }
  return yes
}

function stoppedStage(error: unknown, wallet: InjectedWallet | null): OpeningStage {
  const sentence = walletFailureMessage(error)
  if (!sentence) return { at: 'choosing' }
  const wrongChain = error instanceof WrongChain && wallet ? { wallet, chains: error.chains } : null
  return { at: 'stopped', wrongChain, ...sentence }
}

/** The message for an error in a step that needs the wallet; null if its owner declined on this page. */
export function walletFailureMessage(error: unknown): FailureMessage | null {
  if (error instanceof Declined) return null
  if (error instanceof WalletRefusal) return { text: CONNECT_TEXTS.refusal[error.reason], next: '' }
  if (error instanceof WrongChain) return { text: CONNECT_TEXTS.wrongChain, next: '' }
  if (error instanceof AlteredDocument) {
    return { text: filledTemplate(CONNECT_TEXTS.altered, { field: error.field }), next: '' }
  }
  if (!(error instanceof ApiFailure)) return failureMessage({ code: 'internal', message: '' })
  if (error.code === 'invalid_signature') return { text: CONNECT_TEXTS.wrongSigner, next: '' }
  const row = failureMessage(error)
  if (error.retryAfterSeconds === null) return row
  return {
    ...row,
    next: filledTemplate(CONNECT_TEXTS.later, { age: ageText(error.retryAfterSeconds * 1000) }),
  }
}

/** Asks the wallet to switch to a chain of the venue, then returns to the choice of wallets. */
export async function switchChain({ wallet }: WrongWalletChain, chainId: number): Promise<void> {
  try {
    await requestWallet(wallet, 'wallet_switchEthereumChain', [
      { chainId: `0x${chainId.toString(16)}` },
    ])
    stage.value = { at: 'choosing' }
  } catch (error) {
    stage.value = stoppedStage(error, wallet)
  }
}

/** Ends the opening: answers an open review with no, and stops work in progress. */
export function leaveOpening(): void {
  const { value } = stage
  leaving.abort()
  if (value.at === 'review') value.answer(false)
  if (value.at === 'working') showNotice({ kind: 'bad', text: CONNECT_TEXTS.stopped })
  stage.value = { at: 'choosing' }
}

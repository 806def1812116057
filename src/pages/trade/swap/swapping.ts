import { signal } from '@preact/signals'
import { DEMO_SELECTOR, demoTransactionHash } from '../../../core/crypto/demo-swap.ts'
import {
  type InjectedWallet,
  requestAddress,
  requestWallet,
  switchWalletChain,
  WalletRefusal,
} from '../../common/wallets.ts'
import { nowMs } from '../../common/world.ts'
import { session } from '../account/session.ts'
import { api } from '../feed/service.ts'
import { SWAP_TEXTS } from '../messages/swap.ts'
import { runWithWallet } from '../money/flow.ts'
import { allow, readTokenBalance, sendTransaction } from '../money/transactions.ts'
import { quotePath, type SwapChoice, swapChoice } from './choice.ts'
import { type Quote, tokenAmountText, toQuote } from './quote.ts'
import { noteSent } from './sent.ts'

/** A quote for one wallet. The user reviews the quote before the page asks the wallet. */
export type Reviewed = Readonly<Awaited<ReturnType<typeof quoteFor>>>

export const reviewedQuote = signal<Reviewed | null>(null)

/** Requests a quote for a wallet of this browser, or for the account's wallet, and shows the transactions to send. */
export async function reviewQuote(wallet: InjectedWallet | null): Promise<void> {
  const asked = swapChoice.peek()
  if (!asked) return
  await runWithWallet(SWAP_TEXTS.asking, async () => {
    const address = wallet ? await requestAddress(wallet) : session.peek()?.address
    if (!address) throw new WalletRefusal('no_account')
    reviewedQuote.value = await quoteFor(asked, wallet, address)
  })
}

/** Requests the shown quote again. */
export async function renewQuote(): Promise<void> {
  const { value } = reviewedQuote
  if (!value) return
  await runWithWallet(SWAP_TEXTS.asking, async () => {
    reviewedQuote.value = await quoteFor(value.order, value.wallet, value.address)
  })
}

/**
 * Requests a quote and checks it. `wallet` is null without a wallet of this browser. Throws AlteredDocument if the
 * quote differs from the request.
 */
async function quoteFor(asked: SwapChoice, wallet: InjectedWallet | null, address: string) {
  const quote = toQuote(await api.get(quotePath(asked, address)))
  const wrong = wrongPart(asked, quote, address)
  const { AlteredDocument } = (await import('../account/wallet-bundle.ts')).WALLET_BUNDLE
  if (wrong) throw new AlteredDocument(wrong)
  const isSimulated = quote.transaction?.data.startsWith(DEMO_SELECTOR) ?? false
  // The wallet's balance of the token, in the token's smallest unit; null if the balance was not read.
  const held = wallet && !isSimulated ? await heldBy(wallet, asked, address) : null
  const endsAtMs = nowMs() + quote.lifeMs
  return { order: asked, quote, endsAtMs, wallet, address, held, isSimulated, isRenewed: false }
}

/** The name of the first part of a quote that differs from the request; '' if all match. */
function wrongPart(asked: SwapChoice, { give, receive, ...quote }: Quote, address: string): string {
  const isOwn = (text: string | undefined) => text?.toLowerCase() === address.toLowerCase()
  const { approval, transaction } = quote
  const isToken = (token: SwapChoice['from'], wanted: SwapChoice['from']) =>
    token.address === wanted.address && token.chainId === wanted.chainId
  const isApprovalExact =
    !approval || (approval.units === asked.units && approval.token === asked.from.address)
  const parts: readonly (readonly [string, boolean])[] = [
    ['fromToken', isToken(give.token, asked.from)],
    ['toToken', isToken(receive.token, asked.to)],
    ['fromAmount', give.units === asked.units],
    ['toAddress', isOwn(quote.toAddress)],
    ['approval', isApprovalExact],
    ['transaction.from', isOwn(transaction?.from)],
    ['transaction.chainId', transaction?.chainId === asked.from.chainId],
  ]
  return parts.find(([, isRight]) => !isRight)?.[0] ?? ''
}

/** Switches the wallet to the given token's chain, and reads its balance of that token. */
async function heldBy(
  wallet: InjectedWallet,
  { from }: SwapChoice,
  address: string,
): Promise<bigint> {
  await switchWalletChain(wallet, from.chainId)
  const call = (method: string, params: readonly unknown[]) => requestWallet(wallet, method, params)
  if (isCoin(from.address)) return BigInt(String(await call('eth_getBalance', [address, 'latest'])))
  return readTokenBalance(call, from.address, address)
}

/** Whether a token address stands for the chain's native coin. */
function isCoin(address: string): boolean {
  return /^0x0+$/.test(address)
}

/** Has the wallet approve the token, if needed, and send the swap. A simulated swap needs no wallet. */
export async function sendSwap(): Promise<void> {
  const { value } = reviewedQuote
  const transaction = value?.quote.transaction
  if (!value || !transaction) return
  await runWithWallet(
    SWAP_TEXTS.steps.send,
    async ({ sleep, left }, showText) => {
      const { wallet, address: from, quote } = value
      if (value.isSimulated) {
        return finish(value, demoTransactionHash(transaction.data))
      }
      if (!wallet) throw new WalletRefusal('no_account')
      await switchWalletChain(wallet, transaction.chainId)
      const chain = {
        from,
        sleep,
        left,
        ask: (...call: AskArguments) => requestWallet(wallet, ...call),
      }
      const amount = tokenAmountText(quote.give, Infinity)
      if (quote.approval)
        await allow(chain, quote.approval, (name) =>
          showText(fillAmount(SWAP_TEXTS.steps[name], amount)),
        )
      if (nowMs() > value.endsAtMs) {
        reviewedQuote.value = { ...(await quoteFor(value.order, wallet, from)), isRenewed: true }
        return
      }
      showText(SWAP_TEXTS.steps.send)
      const { to, data, value: coins } = transaction
      finish(value, await sendTransaction(chain, { to, data, value: `0x${coins.toString(16)}` }))
    },
    SWAP_TEXTS.refusals,
  )
}

type AskArguments = [method: string, params: readonly unknown[]]

function fillAmount(text: string, amount: string): string {
  return text.replace('{amount}', amount)
}

function finish({ quote }: Reviewed, hash: string): void {
  noteSent(quote, hash)
  reviewedQuote.value = null
}

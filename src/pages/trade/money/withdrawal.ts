import { computed, signal } from '@preact/signals'
import { sumOrNull, toAmount } from '../../../perp/amounts.ts'
import { withdrawableUsdc } from '../../../perp/withdrawable.ts'
import { shownPage } from '../../common/address.ts'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { filledTemplate, fixedText } from '../../common/format.ts'
import type { InjectedWallet } from '../../common/wallets.ts'
import type { WalletOnlyDocument } from '../account/owner.ts'
import { read } from '../account/relay.ts'
import { session } from '../account/session.ts'
import { accountTopic, LIVE_MS, positionsReading } from '../account/state.ts'
import type { KeptKey } from '../account/trading-key.ts'
import { followTopic } from '../feed/service.ts'
import { MONEY_TEXTS } from '../messages/money.ts'
import { typedNumber } from '../orders/inputs.ts'
import type { OutcomeText } from '../orders/outcomes.ts'
import { askAndSend } from '../orders/writes.ts'
import { chain, type TransferChain, toTokenUnits } from './chains.ts'
import { runWithWallet } from './flow.ts'

export const amountInput = signal('')

const holdingReading = followTopic(() =>
  shownPage.value === 'withdraw'
    ? accountTopic('/v1/client/holding', LIVE_MS, { topics: ['balances'] })
    : null,
)

const TRANSFERS_MS = 15_000

const transfersReading = followTopic(() =>
  shownPage.value === 'deposit' || shownPage.value === 'withdraw'
    ? accountTopic('/v1/asset/history?page=1&size=20', TRANSFERS_MS, { topics: ['balances'] })
    : null,
)

export const transfers = computed(() => {
  const { data } = transfersReading.value
  return data === null ? null : memberRows(data, 'rows')
})

/** The PnL that settling now would pay; null while it is unknown. */
export const unsettled = computed(() => {
  const { data } = positionsReading.value
  return data === null
    ? null
    : sumOrNull(memberRows(data, 'rows'), (row) => toAmount(memberText(row, 'unsettled_pnl')))
})

/** The USDC that can be withdrawn; null while the holding is unknown. Other unknown figures do not lower it. */
export const withdrawable = computed(() => {
  const [{ data: holding }, { data: positions }] = [holdingReading.value, positionsReading.value]
  if (holding === null) return null
  const usdc = memberRows(holding, 'holding').find((row) => memberText(row, 'token') === 'USDC')
  const held = usdc ? toAmount(memberText(usdc, 'holding')) : 0n
  const free = toAmount(memberText(positions, 'free_collateral'))
  return withdrawableUsdc(held, free, unsettled.value ?? 0n) ?? held
})

/** The text of the problem with the amount; null if it can be withdrawn to the chosen chain. */
export const amountProblem = computed(() => {
  const [amount, to, most] = [typedNumber(amountInput.value), chain.value, withdrawable.value]
  const P = MONEY_TEXTS.withdraw.problems
  if (amount === null || amount <= 0n || !to) return P.none
  if (toTokenUnits(amount, to.decimals) === null)
    return filledTemplate(P.fine, { places: to.decimals })
  if (amount <= to.fee) return filledTemplate(P.fee, { fee: fixedText(to.fee, 2) })
  return most !== null && amount > most
    ? filledTemplate(P.much, { most: fixedText(most, 6) })
    : null
})

type Body = {
  readonly path: string
  readonly title: string
  readonly outcome: (id: string) => OutcomeText
}

/** Sends a request that moves money, signed by the owner's wallet. A lost answer is handled like an order's lost answer. */
async function sendMoneyRequest(
  wallet: InjectedWallet | null,
  to: TransferChain,
  askedOf: (key: KeptKey) => Promise<WalletOnlyDocument>,
  { path, title, outcome }: Body,
): Promise<void> {
  const key = session.peek()
  if (!key) return
  await runWithWallet(MONEY_TEXTS.withdraw.signing, async (dialog) => {
    const { consent, ownSigner, secretSigner } = (await import('../account/wallet-bundle.ts'))
      .WALLET_BUNDLE
    const signer = wallet ? await ownSigner(key, wallet, to.id) : await secretSigner(key, to.id)
    const body = await consent(signer, await askedOf(key), key, dialog)
    const idName = path === '/v1/settle_pnl' ? 'settle_pnl_id' : 'withdraw_id'
    await askAndSend({
      ...{ method: 'POST', path, body, title, rows: [], isAgreed: true },
      outcome: async (_, answer) => outcome(memberText(answer, idName)),
    })
  })
}

/** Withdraws the typed amount to the account's own wallet. */
export async function withdrawTyped(wallet: InjectedWallet | null): Promise<void> {
  const [amount, to] = [typedNumber(amountInput.peek()), chain.peek()]
  const units = amount && to && toTokenUnits(amount, to.decimals)
  if (!to || !units || amountProblem.peek() !== null) return
  const asked = async (key: KeptKey): Promise<WalletOnlyDocument> => ({
    kind: 'withdraw',
    chainId: to.id,
    receiver: key.address,
    token: 'USDC',
    amount: String(units),
    withdrawNonce: await readNonce(key, 'withdraw_nonce'),
  })
  await sendMoneyRequest(wallet, to, asked, {
    path: '/v1/withdraw_request',
    title: MONEY_TEXTS.withdraw.title,
    outcome: (id) => {
      amountInput.value = ''
      const wallet = session.peek()?.address ?? ''
      const text = filledTemplate(MONEY_TEXTS.withdraw.done, {
        id,
        wallet,
        amount: fixedText(amount - to.fee, 2),
      })
      return { kind: 'good', text }
    },
  })
}

/** Settles the account's PnL. */
export async function settlePnl(wallet: InjectedWallet | null): Promise<void> {
  const to = chain.peek()
  if (!to) return
  const asked = async (key: KeptKey): Promise<WalletOnlyDocument> => ({
    kind: 'settle',
    chainId: to.id,
    settleNonce: await readNonce(key, 'settle_nonce'),
  })
  await sendMoneyRequest(wallet, to, asked, {
    path: '/v1/settle_pnl',
    title: MONEY_TEXTS.settle.title,
    outcome: (id) => ({ kind: 'good', text: filledTemplate(MONEY_TEXTS.settle.done, { id }) }),
  })
}

async function readNonce(key: KeptKey, name: 'withdraw_nonce' | 'settle_nonce'): Promise<number> {
  const answer: Exact = await read(key, `/v1/${name}`)
  return Number(memberText(answer, name))
}

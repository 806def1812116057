import { computed, signal } from '@preact/signals'
import { ONE } from '../../../core/decimals.ts'
import { amountText } from '../../../perp/amounts.ts'
import { filledTemplate, fixedText } from '../../common/format.ts'
import { type InjectedWallet, requestWallet } from '../../common/wallets.ts'
import { refreshAccount, session } from '../account/session.ts'
import type { KeptKey } from '../account/trading-key.ts'
import { MONEY_TEXTS } from '../messages/money.ts'
import { showNotice } from '../messages/notices.ts'
import { typedNumber } from '../orders/inputs.ts'
import { chain, fromTokenUnits, type TransferChain, toTokenUnits } from './chains.ts'
import { runWithWallet } from './flow.ts'
import type { DepositStep } from './transactions.ts'
import { readTokenBalance, sendDeposit } from './transactions.ts'

export const depositInput = signal('')

/** The wallet's USDC balance on a chain; null before it was read. */
export const walletBalance = signal<{ readonly chainId: number; readonly amount: bigint } | null>(
  null,
)

/** The text of the problem with the amount; null if it can be deposited. */
export const depositProblem = computed(() => {
  const [amount, from, held] = [typedNumber(depositInput.value), chain.value, walletBalance.value]
  const P = MONEY_TEXTS.deposit.problems
  if (amount === null || amount <= 0n || !from) return P.none
  if (toTokenUnits(amount, from.decimals) === null)
    return filledTemplate(P.fine, { places: from.decimals })
  if (held === null || held.chainId !== from.id || amount <= held.amount) return null
  return filledTemplate(P.much, { balance: fixedText(held.amount, 2) })
})

/** Reads the USDC balance of the account's wallet on the chosen chain. */
export async function updateWalletBalance(wallet: InjectedWallet): Promise<void> {
  const [key, from] = [session.peek(), chain.peek()]
  if (!key || !from) return
  const work = async () => void (await readWalletBalance(key, wallet, from))
  await runWithWallet(MONEY_TEXTS.deposit.steps.connect, work, MONEY_TEXTS.deposit)
}

async function readWalletBalance(
  key: KeptKey,
  wallet: InjectedWallet,
  from: TransferChain,
): Promise<bigint> {
  const { ownSigner } = (await import('../account/wallet-bundle.ts')).WALLET_BUNDLE
  const { address } = await ownSigner(key, wallet, from.id)
  const units = await readTokenBalance(
    (...call) => requestWallet(wallet, ...call),
    from.usdc,
    address,
  )
  walletBalance.value = { chainId: from.id, amount: fromTokenUnits(units, from.decimals) }
  return units
}

/** Deposits the typed amount from the account's own wallet. */
export async function depositTyped(wallet: InjectedWallet): Promise<void> {
  const [key, from, amount] = [session.peek(), chain.peek(), typedNumber(depositInput.peek())]
  const units = amount && from && toTokenUnits(amount, from.decimals)
  if (!key || !from || !units || depositProblem.peek() !== null) return
  await runWithWallet(
    MONEY_TEXTS.deposit.steps.connect,
    async (dialog, showText) => {
      if ((await readWalletBalance(key, wallet, from)) < units) return
      const { brokerOf } = (await import('../account/wallet-bundle.ts')).WALLET_BUNDLE
      const brokerId = await brokerOf(key, from.id, dialog)
      const names = { amount: fixedText(amount, 2), native: from.nativeSymbol }
      const hash = await sendDeposit({
        ...{ from: key.address, vault: from.vault, usdc: from.usdc },
        ...{ sleep: dialog.sleep, left: dialog.left },
        ask: (...call) => requestWallet(wallet, ...call),
        data: { accountId: key.accountId, brokerId, units },
        onStep: (step) =>
          showText(
            filledTemplate(MONEY_TEXTS.deposit.steps[step.name], {
              ...names,
              fee: stepFeeText(step),
            }),
          ),
      })
      depositInput.value = ''
      showNotice({
        kind: 'good',
        text: filledTemplate(MONEY_TEXTS.deposit.done, { ...names, hash }),
      })
      refreshAccount()
      await readWalletBalance(key, wallet, from)
    },
    MONEY_TEXTS.deposit,
  )
}

/** Every supported chain's native coin has eighteen decimals. */
const COIN_PLACES = 18n

function stepFeeText(step: DepositStep): string {
  return step.name === 'deposit' ? amountText((step.fee * ONE) / 10n ** COIN_PLACES) : ''
}

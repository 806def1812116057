import { signal } from '@preact/signals'
import { FAUCET_PATH } from '../../../../contract/act-paths.ts'
import { memberText } from '../../../common/exact-json.ts'
import { displayDecimal, filledTemplate, fixedText } from '../../../common/format.ts'
import { findWallets } from '../../../common/wallets.ts'
import { sendSignedCall, sign, stamp } from '../../account/relay.ts'
import { refreshAccount, session } from '../../account/session.ts'
import { IS_EMBEDDED } from '../../market/state.ts'
import { MONEY_TEXTS } from '../../messages/money.ts'
import { notifyFailure, showNotice } from '../../messages/notices.ts'
import { chain } from '../../money/chains.ts'
import {
  depositInput,
  depositProblem,
  depositTyped,
  updateWalletBalance,
  walletBalance,
} from '../../money/depositing.ts'
import { inputText, typedNumber } from '../../orders/inputs.ts'
import { PageFrame } from '../connect/frame.tsx'
import { ChainChoice, SignButtons, Transfers, WalletProgress } from '../money/parts.tsx'
import { WalletButtons } from '../money/working.tsx'
import { NumberField } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'

findWallets()

/** The page for deposits from the account's wallet; on the simulated venue, a faucet. */
export function DepositPage() {
  return (
    <PageFrame title={MONEY_TEXTS.deposit.title} nobody={MONEY_TEXTS.deposit.nobody}>
      {IS_EMBEDDED ? <Faucet /> : <FromWallet />}
      <Transfers />
    </PageFrame>
  )
}

const isFilling = signal(false)

/** Free money of the simulated venue. */
function Faucet() {
  return (
    <Panel title={MONEY_TEXTS.faucet.title}>
      <p class="quiet">{MONEY_TEXTS.faucet.why}</p>
      <p class="row">
        <button
          type="button"
          class="primary"
          disabled={isFilling.value}
          onClick={() => void fillUp()}
        >
          {MONEY_TEXTS.faucet.submit}
        </button>
      </p>
    </Panel>
  )
}

async function fillUp(): Promise<void> {
  const key = session.peek()
  if (!key) return
  isFilling.value = true
  try {
    const answer = await sendSignedCall(
      await sign(key, stamp({ method: 'POST', path: FAUCET_PATH })),
    )
    const credited = displayDecimal(memberText(answer, 'creditedUsdc'))
    const full = fixedText(displayDecimal(memberText(answer, 'fullUsdc')), 0)
    const text = credited === 0n ? MONEY_TEXTS.faucet.full : MONEY_TEXTS.faucet.done
    showNotice({
      kind: 'good',
      text: filledTemplate(text, { full, amount: fixedText(credited, 2) }),
    })
    refreshAccount()
  } catch (error) {
    notifyFailure(error)
  } finally {
    isFilling.value = false
  }
}

function FromWallet() {
  const isThrowAway = session.value?.wallet === 'throw-away'
  return (
    <Panel title={MONEY_TEXTS.deposit.title} heading={null}>
      <p class="quiet">{MONEY_TEXTS.deposit.why}</p>
      {isThrowAway ? <p class="notice">{MONEY_TEXTS.deposit.other}</p> : <Form />}
      <WalletProgress rows={[]} />
    </Panel>
  )
}

function Form() {
  const amount = typedNumber(depositInput.value)
  const { value: problem } = depositProblem
  const isReady = problem === null && amount !== null
  const text = isReady
    ? filledTemplate(MONEY_TEXTS.deposit.submit, { amount: inputText(amount) })
    : MONEY_TEXTS.deposit.submitNone
  return (
    <>
      <ChainChoice />
      <Balance />
      <NumberField label={MONEY_TEXTS.amount} input={depositInput} suffix="USDC" />
      <p class="quiet" role="status">
        {problem}
      </p>
      <SignButtons
        text={text}
        isReady={isReady}
        onSign={(wallet) => wallet && void depositTyped(wallet)}
      />
    </>
  )
}

/**
 * The wallet's balance on the chain. The balance is read only on request, because the wallet may ask its owner first.
 */
function Balance() {
  const { value: held } = walletBalance
  const isKnown = held !== null && held.chainId === chain.value?.id
  return (
    <p>
      {MONEY_TEXTS.deposit.balance}:{' '}
      {isKnown ? (
        <b>{filledTemplate(MONEY_TEXTS.usdc, { amount: fixedText(held.amount, 2) })}</b>
      ) : (
        <WalletButtons class="link" text={MONEY_TEXTS.deposit.look} onPress={updateWalletBalance} />
      )}
    </p>
  )
}

import { signal } from '@preact/signals'
import { FAUCET_PATH } from '../../../../contract/act-paths.ts'
import { memberText } from '../../../common/exact-json.ts'
import { fill, fixedText, near } from '../../../common/format.ts'
import { findWallets } from '../../../common/wallets.ts'
import { sendSignedCall, sign, stamp } from '../../account/relay.ts'
import { refreshAccount, session } from '../../account/session.ts'
import { IS_EMBEDDED } from '../../market/state.ts'
import { W } from '../../messages/money.ts'
import { notifyFailure, showNotice } from '../../messages/notices.ts'
import { chain } from '../../money/chains.ts'
import {
  depositInput,
  depositProblem,
  depositTyped,
  lookAtWallet,
  walletBalance,
} from '../../money/depositing.ts'
import { inputText, typed } from '../../orders/inputs.ts'
import { PageFrame } from '../connect/frame.tsx'
import { ChainChoice, SignButtons, Transfers, WalletProgress } from '../money/parts.tsx'
import { WalletButtons } from '../money/working.tsx'
import { NumberField } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'

findWallets()

/** The page for deposits from the account's wallet; on the simulated venue, a faucet. */
export function DepositPage() {
  return (
    <PageFrame title={W.deposit.title} nobody={W.deposit.nobody}>
      {IS_EMBEDDED ? <Faucet /> : <FromWallet />}
      <Transfers />
    </PageFrame>
  )
}

const isFilling = signal(false)

/** Free money of the simulated venue. */
function Faucet() {
  return (
    <Panel title={W.faucet.title}>
      <p class="quiet">{W.faucet.why}</p>
      <p class="row">
        <button
          type="button"
          class="primary"
          disabled={isFilling.value}
          onClick={() => void fillUp()}
        >
          {W.faucet.submit}
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
    const credited = near(memberText(answer, 'creditedUsdc'))
    const full = fixedText(near(memberText(answer, 'fullUsdc')), 0)
    const text = credited === 0n ? W.faucet.full : W.faucet.done
    showNotice({ kind: 'good', text: fill(text, { full, amount: fixedText(credited, 2) }) })
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
    <Panel title={W.deposit.title} heading={null}>
      <p class="quiet">{W.deposit.why}</p>
      {isThrowAway ? <p class="notice">{W.deposit.other}</p> : <Form />}
      <WalletProgress rows={[]} />
    </Panel>
  )
}

function Form() {
  const amount = typed(depositInput.value)
  const { value: problem } = depositProblem
  const isReady = problem === null && amount !== null
  const text = isReady
    ? fill(W.deposit.submit, { amount: inputText(amount) })
    : W.deposit.submitNone
  return (
    <>
      <ChainChoice />
      <Balance />
      <NumberField label={W.amount} input={depositInput} suffix="USDC" />
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
      {W.deposit.balance}:{' '}
      {isKnown ? (
        <b>{fill(W.usdc, { amount: fixedText(held.amount, 2) })}</b>
      ) : (
        <WalletButtons class="link" text={W.deposit.look} onPress={lookAtWallet} />
      )}
    </p>
  )
}

import { fill, fixed } from '../../../common/format.ts'
import { findWallets, wallets } from '../../../common/wallets.ts'
import { keyState, session } from '../../account/session.ts'
import { IS_EMBEDDED } from '../../market/state.ts'
import { C } from '../../messages/connect.ts'
import { W } from '../../messages/money.ts'
import { chain } from '../../money/chains.ts'
import {
  depositInput,
  depositProblem,
  depositTyped,
  lookAtWallet,
  walletBalance,
} from '../../money/depositing.ts'
import { transfers } from '../../money/withdrawal.ts'
import { inputText, typed } from '../../orders/text.ts'
import { Nobody } from '../connect/nobody.tsx'
import { ChainChoice, Progress, SignButtons, Transfers } from '../money/parts.tsx'
import { Field } from '../parts/form.tsx'
import { Faucet } from './faucet.tsx'

findWallets()

/** Deposits from the account's wallet; on the simulated venue a faucet. */
export function Page() {
  return (
    <>
      <div class="title">
        <h1>{W.deposit.title}</h1>
      </div>
      {!session.value || keyState.value !== 'active' ? (
        <Nobody text={W.deposit.nobody} />
      ) : (
        <>
          {IS_EMBEDDED ? <Faucet /> : <FromWallet />}
          {transfers.value && <Transfers rows={transfers.value} />}
        </>
      )}
    </>
  )
}

function FromWallet() {
  const isThrowAway = session.value?.wallet === 'throw-away'
  return (
    <section class="panel" aria-label={W.deposit.title}>
      <div class="inside">
        <p class="quiet">{W.deposit.why}</p>
        {isThrowAway ? <p class="notice">{W.deposit.other}</p> : <Form />}
        <Progress rows={[]} />
      </div>
    </section>
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
      <Field label={W.amount} input={depositInput} suffix="USDC" />
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

/** What the wallet holds on the chain, which is read when somebody asks: the wallet may ask its owner first. */
function Balance() {
  const { value: held } = walletBalance
  const isKnown = held !== null && held.chainId === chain.value?.id
  return (
    <p>
      {W.deposit.balance}:{' '}
      {isKnown ? (
        <b>{fill(W.usdc, { amount: fixed(held.amount, 2) })}</b>
      ) : (
        wallets.value.map((wallet) => (
          <button
            key={wallet.id}
            type="button"
            class="link"
            onClick={() => void lookAtWallet(wallet)}
          >
            {wallets.value.length > 1
              ? `${W.deposit.look} · ${wallet.name || C.unnamed}`
              : W.deposit.look}
          </button>
        ))
      )}
    </p>
  )
}

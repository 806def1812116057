import { larger, PER_MICRO } from '../../../../core/decimals.ts'
import { changeTone, fill, fixedText, signed } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import { findWallets } from '../../../common/wallets.ts'
import { session } from '../../account/session.ts'
import { W } from '../../messages/money.ts'
import { M } from '../../messages/page.ts'
import { chain } from '../../money/chains.ts'
import {
  amountInput,
  amountProblem,
  settlePnl,
  unsettled,
  withdrawable,
  withdrawTyped,
} from '../../money/withdrawal.ts'
import { inputText, typed } from '../../orders/inputs.ts'
import { PageFrame } from '../connect/frame.tsx'
import { ChainChoice, SignButtons, Transfers, WalletProgress } from '../money/parts.tsx'
import { shortId } from '../parts/dialog.tsx'
import { NumberField } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'

findWallets()

/** The page for withdrawals to the account's own wallet, and for settling PnL. */
export function WithdrawPage() {
  return (
    <PageFrame title={W.withdraw.title} nobody={W.withdraw.nobody}>
      <WalletProgress rows={outcomeRows()} />
      <div class="halves">
        <Withdrawal />
        <Settlement />
      </div>
      <Transfers />
    </PageFrame>
  )
}

function usdc(value: bigint | null): string {
  return value === null ? W.unknown : fill(W.usdc, { amount: fixedText(value, 2) })
}

/** Rows with the receiver, fee and arriving amount of the typed withdrawal. */
function outcomeRows(): Rows {
  const [amount, to] = [typed(amountInput.value), chain.value]
  if (!to || amount === null || amountProblem.value !== null) return []
  return [
    [W.withdraw.to, session.value?.address ?? ''],
    [W.withdraw.fee, usdc(to.fee)],
    [W.withdraw.arrives, usdc(larger(0n, amount - to.fee))],
  ]
}

function Withdrawal() {
  const key = session.value
  const amount = typed(amountInput.value)
  const isReady = amountProblem.value === null
  const text =
    isReady && amount !== null
      ? fill(W.withdraw.submit, { amount: inputText(amount) })
      : W.withdraw.submitNone
  return (
    <Panel title={W.withdraw.title} heading={null}>
      <p class="quiet">{W.withdraw.why}</p>
      <Pairs
        rows={[
          [W.withdraw.most, usdc(withdrawable.value)],
          [W.withdraw.to, shortId(key?.address ?? '')],
          [W.withdraw.fee, chain.value ? usdc(chain.value.fee) : M.none],
        ]}
      />
      <p class="quiet">{W.withdraw.mostWhy}</p>
      <NumberField
        label={W.amount}
        input={amountInput}
        suffix="USDC"
        end={
          <button
            type="button"
            class="plain"
            disabled={!withdrawable.value}
            onClick={() => {
              amountInput.value = inputText(((withdrawable.peek() ?? 0n) / PER_MICRO) * PER_MICRO)
            }}
          >
            {W.all}
          </button>
        }
      />
      <ChainChoice />
      <p class="quiet" role="status">
        {amountProblem.value ??
          `${W.withdraw.arrives}: ${usdc((amount ?? 0n) - (chain.value?.fee ?? 0n))}`}
      </p>
      <SignButtons text={text} isReady={isReady} onSign={withdrawTyped} />
    </Panel>
  )
}

function Settlement() {
  const { value } = unsettled
  return (
    <Panel title={W.settle.title}>
      <p class="quiet">{W.settle.why}</p>
      <dl class="pairs">
        <div>
          <dt>{W.settle.unsettled}</dt>
          <dd class={value === null ? '' : changeTone(value, 2)}>
            {value === null ? W.unknown : fill(W.usdc, { amount: signed(value, 2) })}
          </dd>
        </div>
      </dl>
      {value === 0n ? (
        <p class="quiet">{W.settle.none}</p>
      ) : (
        <SignButtons
          text={W.settle.submit}
          isReady={value !== null && chain.value !== null}
          onSign={settlePnl}
        />
      )}
    </Panel>
  )
}

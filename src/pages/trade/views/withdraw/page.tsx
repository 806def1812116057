import { larger, PER_MICRO } from '../../../../core/decimals.ts'
import { changeTone, filledTemplate, fixedText, signed } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import { findWallets } from '../../../common/wallets.ts'
import { session } from '../../account/session.ts'
import { MONEY_TEXTS } from '../../messages/money.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { chain } from '../../money/chains.ts'
import {
  amountInput,
  amountProblem,
  settlePnl,
  unsettled,
  withdrawable,
  withdrawTyped,
} from '../../money/withdrawal.ts'
import { inputText, typedNumber } from '../../orders/inputs.ts'
import { PageFrame } from '../connect/frame.tsx'
import { ChainChoice, SignButtons, Transfers, WalletProgress } from '../money/parts.tsx'
import { shortId } from '../parts/dialog.tsx'
import { NumberField } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'

findWallets()

/** The page for withdrawals to the account's own wallet, and for settling PnL. */
export function WithdrawPage() {
  return (
    <PageFrame title={MONEY_TEXTS.withdraw.title} nobody={MONEY_TEXTS.withdraw.nobody}>
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
  return value === null
    ? MONEY_TEXTS.unknown
    : filledTemplate(MONEY_TEXTS.usdc, { amount: fixedText(value, 2) })
}

/** Rows with the receiver, fee and arriving amount of the typed withdrawal. */
function outcomeRows(): Rows {
  const [amount, to] = [typedNumber(amountInput.value), chain.value]
  if (!to || amount === null || amountProblem.value !== null) return []
  return [
    [MONEY_TEXTS.withdraw.to, session.value?.address ?? ''],
    [MONEY_TEXTS.withdraw.fee, usdc(to.fee)],
    [MONEY_TEXTS.withdraw.arrives, usdc(larger(0n, amount - to.fee))],
  ]
}

function Withdrawal() {
  const key = session.value
  const amount = typedNumber(amountInput.value)
  const isReady = amountProblem.value === null
  const text =
    isReady && amount !== null
      ? filledTemplate(MONEY_TEXTS.withdraw.submit, { amount: inputText(amount) })
      : MONEY_TEXTS.withdraw.submitNone
  return (
    <Panel title={MONEY_TEXTS.withdraw.title} heading={null}>
      <p class="quiet">{MONEY_TEXTS.withdraw.why}</p>
      <Pairs
        rows={[
          [MONEY_TEXTS.withdraw.most, usdc(withdrawable.value)],
          [MONEY_TEXTS.withdraw.to, shortId(key?.address ?? '')],
          [MONEY_TEXTS.withdraw.fee, chain.value ? usdc(chain.value.fee) : PAGE_TEXTS.none],
        ]}
      />
      <p class="quiet">{MONEY_TEXTS.withdraw.mostWhy}</p>
      <NumberField
        label={MONEY_TEXTS.amount}
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
            {MONEY_TEXTS.all}
          </button>
        }
      />
      <ChainChoice />
      <p class="quiet" role="status">
        {amountProblem.value ??
          `${MONEY_TEXTS.withdraw.arrives}: ${usdc((amount ?? 0n) - (chain.value?.fee ?? 0n))}`}
      </p>
      <SignButtons text={text} isReady={isReady} onSign={withdrawTyped} />
    </Panel>
  )
}

function Settlement() {
  const { value } = unsettled
  return (
    <Panel title={MONEY_TEXTS.settle.title}>
      <p class="quiet">{MONEY_TEXTS.settle.why}</p>
      <dl class="pairs">
        <div>
          <dt>{MONEY_TEXTS.settle.unsettled}</dt>
          <dd class={value === null ? '' : changeTone(value, 2)}>
            {value === null
              ? MONEY_TEXTS.unknown
              : filledTemplate(MONEY_TEXTS.usdc, { amount: signed(value, 2) })}
          </dd>
        </div>
      </dl>
      {value === 0n ? (
        <p class="quiet">{MONEY_TEXTS.settle.none}</p>
      ) : (
        <SignButtons
          text={MONEY_TEXTS.settle.submit}
          isReady={value !== null && chain.value !== null}
          onSign={settlePnl}
        />
      )}
    </Panel>
  )
}

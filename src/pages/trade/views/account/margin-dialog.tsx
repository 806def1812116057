import { computed, signal } from '@preact/signals'
import { absolute, PER_MICRO } from '../../../../core/decimals.ts'
import { filledTemplate, fixedText } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { type AccountPosition, positionKey } from '../../account/rows.ts'
import { heldPositions, imrFactor } from '../../account/state.ts'
import { summary } from '../../account/summary.ts'
import { rules } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import type { FieldProblem } from '../../orders/check.ts'
import { typedNumber } from '../../orders/inputs.ts'
import { limitsOnChange } from '../../orders/limit-verdict.ts'
import { liquidationAfter, spareMargin } from '../../orders/margin-change.ts'
import { changeMargin } from '../../orders/margin-commands.ts'
import { priceText, symbolBase } from '../../orders/text.ts'
import { NumberField, Segments } from '../parts/form.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { LimitNotice } from '../parts/limit-notice.tsx'

const WAYS = { ADD: ACCOUNT_TEXTS.margin.add, REDUCE: ACCOUNT_TEXTS.margin.remove } as const

/** The key of the isolated position whose margin is being changed. */
const moving = signal('')
const way = signal<keyof typeof WAYS>('ADD')
const amountInput = signal('')

/** Opens the dialog that moves margin into an isolated position or out of it. */
export function askMargin(position: AccountPosition): void {
  amountInput.value = ''
  way.value = 'ADD'
  moving.value = positionKey(position)
}

function shut(): void {
  moving.value = ''
}

/** The margin to move into the position; negative moves it out. Null without a valid amount. */
const change = computed(() => {
  const amount = typedNumber(amountInput.value)
  if (amount === null || amount <= 0n) return null
  return way.value === 'ADD' ? amount : -amount
})

/** The dialog for an isolated position's margin, which shows the resulting liquidation price. */
export function MarginDialog() {
  const position = heldPositions.value.find((row) => positionKey(row) === moving.value)
  if (!position?.isIsolated) return null
  const most = way.value === 'ADD' ? (summary.value?.free ?? 0n) : spareMargin(position)
  const { value: amount } = change
  const problem = amount === null ? null : marginProblem(absolute(amount), most)
  const rows = marginRows(position, amount ?? 0n)
  return (
    <FormDialog
      title={filledTemplate(ACCOUNT_TEXTS.margin.moveOf, { base: symbolBase(position.symbol) })}
      onClose={shut}
      submit={WAYS[way.value]}
      isReady={amount !== null && problem === null}
      onSubmit={() => amount !== null && changeMargin(position, amount, rows.slice(1))}
    >
      <Segments label={ACCOUNT_TEXTS.margin.moveOf} kind="ways" options={WAYS} chosen={way} />
      <NumberField
        label={ACCOUNT_TEXTS.lists.head.amount}
        input={amountInput}
        suffix="USDC"
        problem={problem}
      />
      <div role="status">
        <LimitNotice found={limitsOnChange(position.symbol, null)} />
      </div>
      <Pairs rows={[[ACCOUNT_TEXTS.margin.movable, `${fixedText(most, 2)} USDC`], ...rows]} />
    </FormDialog>
  )
}

/** The problem with an amount: the venue moves whole micro-USDC, up to the available margin. */
function marginProblem(amount: bigint, most: bigint): FieldProblem | null {
  const cut = (value: bigint) => value - (value % PER_MICRO)
  if (amount > most) {
    const text = filledTemplate(ACCOUNT_TEXTS.margin.tooMuch, { most: fixedText(cut(most), 2) })
    return { text, corrections: most >= PER_MICRO ? [cut(most)] : [] }
  }
  return amount % PER_MICRO === 0n
    ? null
    : { text: ACCOUNT_TEXTS.margin.tooFine, corrections: [cut(amount)] }
}

function marginRows(position: AccountPosition, amount: bigint) {
  const { symbol, margin } = position
  const rule = rules.value.get(symbol)
  const liquidation = (moved: bigint) => {
    const terms = rule && { ...rule, leverage: 0, imrFactor: imrFactor(symbol) }
    const at = terms ? liquidationAfter(terms, position, moved) : null
    return at === null ? PAGE_TEXTS.none : priceText(symbol, at)
  }
  const after = (now: string, then: string) => (amount === 0n ? now : `${now} → ${then}`)
  return [
    [TICKET_TEXTS.margin, `${after(fixedText(margin, 2), fixedText(margin + amount, 2))} USDC`],
    [TICKET_TEXTS.liquidation, after(liquidation(0n), liquidation(amount))],
  ] as const
}

import { computed, signal } from '@preact/signals'
import { absolute, PER_MICRO } from '../../../../core/decimals.ts'
import { fill, fixedText } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { type AccountPosition, positionKey } from '../../account/rows.ts'
import { heldPositions, imrFactor } from '../../account/state.ts'
import { summary } from '../../account/summary.ts'
import { rules } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { F } from '../../messages/ticket.ts'
import type { FieldProblem } from '../../orders/check.ts'
import { typed } from '../../orders/inputs.ts'
import { limitsOnChange } from '../../orders/limit-verdict.ts'
import { liquidationAfter, spareMargin } from '../../orders/margin-change.ts'
import { changeMargin } from '../../orders/margin-commands.ts'
import { priceText, symbolBase } from '../../orders/text.ts'
import { NumberField, Segments } from '../parts/form.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { LimitNotice } from '../parts/limit-notice.tsx'

const WAYS = { ADD: A.margin.add, REDUCE: A.margin.remove } as const

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
  const amount = typed(amountInput.value)
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
      title={fill(A.margin.moveOf, { base: symbolBase(position.symbol) })}
      onClose={shut}
      submit={WAYS[way.value]}
      isReady={amount !== null && problem === null}
      onSubmit={() => amount !== null && changeMargin(position, amount, rows.slice(1))}
    >
      <Segments label={A.margin.moveOf} kind="ways" options={WAYS} chosen={way} />
      <NumberField
        label={A.lists.head.amount}
        input={amountInput}
        suffix="USDC"
        problem={problem}
      />
      <div role="status">
        <LimitNotice found={limitsOnChange(position.symbol, null)} />
      </div>
      <Pairs rows={[[A.margin.movable, `${fixedText(most, 2)} USDC`], ...rows]} />
    </FormDialog>
  )
}

/** The problem with an amount: the venue moves whole micro-USDC, up to the available margin. */
function marginProblem(amount: bigint, most: bigint): FieldProblem | null {
  const cut = (value: bigint) => value - (value % PER_MICRO)
  if (amount > most) {
    const text = fill(A.margin.tooMuch, { most: fixedText(cut(most), 2) })
    return { text, corrections: most >= PER_MICRO ? [cut(most)] : [] }
  }
  return amount % PER_MICRO === 0n ? null : { text: A.margin.tooFine, corrections: [cut(amount)] }
}

function marginRows(position: AccountPosition, amount: bigint) {
  const { symbol, margin } = position
  const rule = rules.value.get(symbol)
  const liquidation = (moved: bigint) => {
    const terms = rule && { ...rule, leverage: 0, imrFactor: imrFactor(symbol) }
    const at = terms ? liquidationAfter(terms, position, moved) : null
    return at === null ? M.none : priceText(symbol, at)
  }
  const after = (now: string, then: string) => (amount === 0n ? now : `${now} → ${then}`)
  return [
    [F.margin, `${after(fixedText(margin, 2), fixedText(margin + amount, 2))} USDC`],
    [F.liquidation, after(liquidation(0n), liquidation(amount))],
  ] as const
}

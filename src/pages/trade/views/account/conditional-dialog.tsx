import { type Signal, signal } from '@preact/signals'
import type { MarketRules } from '../../../../perp/market-rules.ts'
import { checkOrder } from '../../../../perp/order-check.ts'
import { filledTemplate } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import type { Conditional } from '../../account/conditional.ts'
import { orderLeg } from '../../account/legs.ts'
import { marketMark, rules } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import {
  brokenRule,
  checkTrigger,
  type FieldProblem,
  ruleProblem,
  toProblems,
} from '../../orders/check.ts'
import { LEGS, type LegName, legProblem } from '../../orders/conditional.ts'
import { editConditional } from '../../orders/conditional-commands.ts'
import { tradedSide, triggerText } from '../../orders/conditional-outcomes.ts'
import { inputText, typedNumber } from '../../orders/inputs.ts'
import { limitsOnWaiting } from '../../orders/limit-verdict.ts'
import { sizeText, symbolBase } from '../../orders/text.ts'
import { NumberField } from '../parts/form.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { LimitNotice } from '../parts/limit-notice.tsx'

type Name = 'trigger' | 'price' | 'size' | LegName

const INPUTS: Readonly<Record<Name, Signal<string>>> = {
  ...{ trigger: signal(''), price: signal(''), size: signal('') },
  ...{ TAKE_PROFIT: signal(''), STOP_LOSS: signal('') },
}

const LABELS: Readonly<Record<Name, string>> = {
  ...{ trigger: TICKET_TEXTS.trigger, price: TICKET_TEXTS.price, size: TICKET_TEXTS.size },
  ...TICKET_TEXTS.legs,
}

const editing = signal<Conditional | null>(null)

/** Opens the dialog that edits a waiting order; `values` replaces current values. */
export function editWaiting(order: Conditional, values: Partial<Record<Name, bigint>> = {}): void {
  for (const name of editableNames(order))
    INPUTS[name].value = inputText(values[name] ?? currentValue(order, name) ?? 0n)
  editing.value = order
}

function shut(): void {
  editing.value = null
}

/**
 * The editable values of an order. A trailing stop has no trigger. The main order of a bracket is an open order, which
 * the dialog for open orders edits.
 */
function editableNames(order: Conditional): readonly Name[] {
  const { kind, type, children, size } = order
  const legs = LEGS.filter((leg) => orderLeg(order, leg) !== null)
  if (kind === 'BRACKET') return legs
  const own: Name[] = kind === 'STOP' ? ['trigger'] : []
  if (type === 'LIMIT' && children.length === 0) own.push('price')
  return size > 0n ? [...own, 'size', ...legs] : [...own, ...legs]
}

function currentValue(order: Conditional, name: Name): bigint | null {
  if (name === 'TAKE_PROFIT' || name === 'STOP_LOSS') return orderLeg(order, name)?.trigger ?? null
  return order[name]
}

/** The dialog for editing a waiting order. Values that the venue would refuse cannot be sent. */
export function ConditionalDialog() {
  const { value: order } = editing
  if (!order) return null
  const names = editableNames(order)
  const values = new Map(names.map((name) => [name, typedNumber(INPUTS[name].value)]))
  const problems = new Map(names.map((name) => [name, valueProblem(order, name)]))
  const isSound = names.every((name) => values.get(name) !== null && problems.get(name) === null)
  // Unchanged values are not sent, because a leg's size follows the size of its order.
  const changed = (name: Name) => {
    const value = values.get(name) ?? null
    return value === currentValue(order, name) ? null : value
  }
  const isChanged = names.some((name) => changed(name) !== null)
  const change = () => ({
    ...{ trigger: changed('trigger'), price: changed('price'), size: changed('size') },
    legs: { TAKE_PROFIT: changed('TAKE_PROFIT'), STOP_LOSS: changed('STOP_LOSS') },
  })
  return (
    <FormDialog
      title={filledTemplate(ACCOUNT_TEXTS.lists.editOf, { id: order.id })}
      onClose={shut}
      submit={ACCOUNT_TEXTS.lists.save}
      isReady={isSound && isChanged}
      onSubmit={() => editConditional(order, change())}
    >
      <Pairs rows={presentRows(order)} />
      {names.map((name) => (
        <NumberField
          key={name}
          label={LABELS[name]}
          input={INPUTS[name]}
          suffix={name === 'size' ? symbolBase(order.symbol) : 'USDC'}
          problem={problems.get(name) ?? null}
        />
      ))}
      <LimitNotice found={limitsOnWaiting(order)} />
    </FormDialog>
  )
}

/** The current values of the order. */
function presentRows(order: Conditional): Rows {
  const { symbol, kind, size } = order
  return [
    [PAGE_TEXTS.market, symbolBase(symbol)],
    [TICKET_TEXTS.type, ACCOUNT_TEXTS.lists.kinds[kind] ?? kind],
    [
      PAGE_TEXTS.side[tradedSide(order)],
      size === 0n ? ACCOUNT_TEXTS.lists.wholePosition : sizeText(symbol, size),
    ],
    [TICKET_TEXTS.trigger, triggerText(order)],
  ]
}

/** The market rule that a new value breaks; null if it breaks no rule. */
function valueProblem(order: Conditional, name: Name): FieldProblem | null {
  const rule = rules.value.get(order.symbol)
  const value = typedNumber(INPUTS[name].value)
  if (!rule || value === null) return null
  if (name === 'TAKE_PROFIT' || name === 'STOP_LOSS')
    return legValueProblem(rule, order, name, value)
  if (name === 'trigger') {
    const problem = checkTrigger(rule, order.side, value)
    return problem && brokenRule(problem)
  }
  const changed = {
    side: order.side,
    price: name === 'price' ? value : order.price,
    quantity: name === 'size' ? value : order.size,
    reference: typedNumber(INPUTS.trigger.value) ?? marketMark(order.symbol),
    reduceOnly: order.isReduceOnly || order.children.length > 0,
    closable: null,
  }
  return ruleProblem(toProblems(checkOrder({ ...rule, mark: null }, changed).broken), name)
}

function legValueProblem(rule: MarketRules, order: Conditional, leg: LegName, value: bigint) {
  const { symbol, kind, price } = order
  const isLong = orderLeg(order, leg)?.side === 'SELL'
  const reference = (kind === 'BRACKET' ? price : null) ?? marketMark(symbol)
  return legProblem(rule, { leg, isLong, reference }, value)
}

import { fill } from '../../common/fill.ts'
import { fixed, ONE, placesOf } from '../../common/format.ts'
import { canTrade, standing } from '../account/session.ts'
import { summary } from '../account/state.ts'
import { market, rule, stepsReading, symbol } from '../market/state.ts'
import { ORDER_TYPES, type Problem } from '../orders/check.ts'
import {
  estimate,
  isReduceOnly,
  largest,
  price,
  problems,
  SLIPPAGE_MAX,
  side,
  size,
  sizeInput,
  slippage,
  slippageInput,
  UNITS,
  unit,
} from '../orders/draft.ts'
import { asksFirst, isBusy, priceInput, type } from '../orders/switches.ts'
import { baseOf, inputText, typed } from '../orders/text.ts'
import { F } from '../words/ticket.ts'
import { W } from '../words/words.ts'
import { openConnect } from './connect-door.tsx'
import { withDesk } from './desk-door.ts'
import { EstimateRows, estimateRows } from './estimate-rows.tsx'
import { Check, Field, type FieldProblem, Segments } from './form.tsx'

/** The form of an order. */
export function Ticket() {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Segments
        label={F.side}
        kind="sides"
        options={[
          ['BUY', W.side.BUY],
          ['SELL', W.side.SELL],
        ]}
        chosen={side.value}
        onChoose={(name) => {
          side.value = name
        }}
      />
      <Segments
        label={F.type}
        kind="types"
        options={ORDER_TYPES.map((name) => [name, W.orderType[name]] as const)}
        chosen={type.value}
        onChoose={(name) => {
          type.value = name
        }}
      />
      <p class="quiet why">{F.orderTypeWhy[type.value]}</p>
      {type.value === 'MARKET' ? <Slippage /> : <Price />}
      <Size />
      <Options />
      <EstimateRows />
      <Submit />
    </form>
  )
}

function Price() {
  return (
    <Field
      label={F.price}
      input={priceInput}
      suffix="USDC"
      problem={brokenRule('price')}
      placeholder={market.value ? inputText(market.value.mark) : ''}
    />
  )
}

function Slippage() {
  const given = slippage.value
  const isBad = given === null || given > SLIPPAGE_MAX
  return (
    <Field
      label={F.slippage}
      input={slippageInput}
      suffix="%"
      problem={isBad ? { text: F.slippageBad, corrections: [] } : null}
    />
  )
}

function Size() {
  const base = market.value?.base ?? ''
  const names = { base, quote: 'USDC', percent: F.percent }
  return (
    <Field
      label={F.size}
      input={sizeInput}
      problem={brokenRule('size')}
      end={
        <select
          aria-label={F.unit}
          title={F.percentWhy}
          value={unit.value}
          onChange={(event) => {
            unit.value = UNITS.find((name) => name === event.currentTarget.value) ?? 'base'
          }}
        >
          {UNITS.map((name) => (
            <option key={name} value={name}>
              {names[name]}
            </option>
          ))}
        </select>
      }
    />
  )
}

/** The rule of the market that a field breaks, and the value that keeps it. */
function brokenRule(field: Problem['field']): FieldProblem | null {
  const problem = problems.value.find((row) => row.field === field)
  if (!problem) return null
  const { rule: name, corrected } = problem
  return {
    text: F.problem[name],
    corrections: corrected > 0n ? [corrected] : [],
    onCorrect: field === 'size' ? correctSize : undefined,
  }
}

function correctSize(value: bigint): void {
  unit.value = 'base'
  sizeInput.value = inputText(value)
}

function Options() {
  return (
    <div class="options">
      <Check label={F.reduceOnly} checked={isReduceOnly} />
      <Check label={F.asks} checked={asksFirst} />
      {summary.value && <Leverage />}
    </div>
  )
}

function Leverage() {
  const { value: account } = summary
  const max = rule.value?.maxLeverage ?? 1
  const told = stepsOf().filter((step) => step <= max)
  const current = account?.leverage || 1
  const steps = told.includes(current) ? told : [...told, current].sort((a, b) => a - b)
  return (
    <label>
      {F.leverage}{' '}
      <select
        value={current}
        disabled={isBusy.value || !canTrade.value}
        onChange={(event) => {
          const element = event.currentTarget
          const wanted = Number(element.value)
          element.value = String(current)
          void setLeverage(wanted)
        }}
      >
        {steps.map((step) => (
          <option key={step} value={step}>
            {step}×
          </option>
        ))}
      </select>
    </label>
  )
}

async function setLeverage(wanted: number): Promise<void> {
  const market = symbol.peek()
  await withDesk((desk) => desk.setLeverage(market, wanted))
}

function stepsOf(): readonly number[] {
  const { data } = stepsReading.value
  const steps = typeof data === 'object' && data !== null && 'leverageSteps' in data ? data : null
  const list = steps && Reflect.get(steps, 'leverageSteps')
  return Array.isArray(list) ? list.map(Number) : []
}

/** Why the order cannot be sent as it stands; null when it can. */
function obstacle(): string | null {
  return OBSTACLES.find(([isThere]) => isThere())?.[1]() ?? null
}

const isMarket = () => type.value === 'MARKET'

const OBSTACLES: readonly (readonly [isThere: () => boolean, words: () => string])[] = [
  [() => !canTrade.value, () => F.readOnly],
  [() => !isMarket() && price.value === null, () => F.missingPrice],
  [() => typed(sizeInput.value) === null, () => F.missingSize],
  [() => isReduceOnly.value && largest.value === 0n, () => F.nothingToReduce],
  [() => size.value === null || size.value <= 0n, () => F.missingSize],
  [() => isMarket() && (slippage.value ?? ONE) > SLIPPAGE_MAX, () => F.slippageBad],
  [() => problems.value.length > 0, () => F.problem[problems.value[0]?.rule ?? 'price_tick']],
]

function Submit() {
  if (standing.value !== 'active') {
    return (
      <button type="button" class="primary submit" onClick={openConnect}>
        {F.connect}
      </button>
    )
  }
  const reason = obstacle()
  const name = fill(F.submit, { side: W.side[side.value], base: baseOf(symbol.value) })
  return (
    <button
      type="submit"
      class={`submit ${side.value === 'BUY' ? 'buy' : 'sell'}`}
      disabled={isBusy.value || reason !== null}
      title={reason ?? ''}
    >
      {name}
      {size.value !== null && reason === null
        ? ` · ${fixed(size.value, placesOf(rule.value?.baseTick ?? '0.01'))}`
        : ''}
    </button>
  )
}

async function submit(): Promise<void> {
  const amount = size.peek()
  if (amount === null || obstacle() !== null) return
  const order = {
    ...{ symbol: symbol.peek(), side: side.peek(), type: type.peek(), price: price.peek() },
    ...{ size: amount, isReduceOnly: isReduceOnly.peek(), slippage: slippage.peek() },
  }
  const isPlaced = await withDesk((desk) => desk.placeOrder(order, estimateRows(estimate.peek())))
  if (isPlaced) sizeInput.value = ''
}

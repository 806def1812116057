import { fill, fixed, placesOf } from '../../common/format.ts'
import { canTrade, keyState } from '../account/session.ts'
import { market, rule, stepsReading, symbol } from '../market/state.ts'
import { M } from '../messages/page.ts'
import { F } from '../messages/ticket.ts'
import { ORDER_TYPES, type Problem } from '../orders/check.ts'
import {
  account,
  estimate,
  isReduceOnly,
  price,
  side,
  size,
  sizeInput,
  slippage,
  slippageInput,
  UNITS,
  unit,
  verdict,
} from '../orders/draft.ts'
import { type FieldProblem, type Obstacle, obstacle, ruleProblem } from '../orders/problems.ts'
import { asksFirst, isBusy, priceInput, type } from '../orders/switches.ts'
import { baseOf, inputText } from '../orders/text.ts'
import { openConnect } from './connect/open.tsx'
import { EstimateRows, estimateRows } from './estimate-rows.tsx'
import { withAccountViews } from './load-account.ts'
import { Check, Field, Segments } from './parts/form.tsx'

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
          ['BUY', M.side.BUY],
          ['SELL', M.side.SELL],
        ]}
        chosen={side.value}
        onChoose={(name) => {
          side.value = name
        }}
      />
      <Segments
        label={F.type}
        kind="types"
        options={ORDER_TYPES.map((name) => [name, M.orderType[name]] as const)}
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
  return (
    <Field
      label={F.slippage}
      input={slippageInput}
      suffix="%"
      problem={slippage.value === null ? { text: F.slippageBad, corrections: [] } : null}
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
  const problem = ruleProblem(verdict.value?.problems.find((row) => row.field === field))
  return problem && field === 'size' ? { ...problem, onCorrect: correctSize } : problem
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
      {account.value && <Leverage />}
    </div>
  )
}

function Leverage() {
  const max = rule.value?.maxLeverage ?? 1
  const offered = stepsOf().filter((step) => step <= max)
  const current = account.value?.leverage || 1
  const steps = offered.includes(current) ? offered : [...offered, current].sort((a, b) => a - b)
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
      {account.value?.isIsolated && <span class="quiet"> {M.isolated}</span>}
    </label>
  )
}

async function setLeverage(wanted: number): Promise<void> {
  const market = symbol.peek()
  await withAccountViews((views) => views.setLeverage(market, wanted))
}

function stepsOf(): readonly number[] {
  const { data } = stepsReading.value
  const steps = typeof data === 'object' && data !== null && 'leverageSteps' in data ? data : null
  const list = steps && Reflect.get(steps, 'leverageSteps')
  return Array.isArray(list) ? list.map(Number) : []
}

function Submit() {
  if (keyState.value !== 'active') {
    return (
      <button type="button" class="primary submit" onClick={openConnect}>
        {F.connect}
      </button>
    )
  }
  const { value: reason } = obstacle
  const fate = verdict.value?.fate
  const name = fill(F.submit, { side: M.side[side.value], base: baseOf(symbol.value) })
  return (
    <>
      <button
        type="submit"
        class={`submit ${side.value === 'BUY' ? 'buy' : 'sell'}`}
        disabled={isBusy.value || reason !== null}
        aria-describedby="obstacle"
      >
        {name}
        {size.value !== null && reason === null
          ? ` · ${fixed(size.value, placesOf(rule.value?.baseTick ?? '0.01'))}`
          : ''}
      </button>
      <div id="obstacle" role="status">
        {reason ? <Reason {...reason} /> : fate && <p class="warn">{F.fate[fate]}</p>}
      </div>
    </>
  )
}

function Reason({ text, isMissing, corrected }: Obstacle) {
  return (
    <p class={isMissing ? 'quiet' : 'warn'}>
      {text}{' '}
      {corrected > 0n && (
        <button type="button" class="link" onClick={() => correctSize(corrected)}>
          {fill(F.use, { value: inputText(corrected) })}
        </button>
      )}
    </p>
  )
}

async function submit(): Promise<void> {
  const amount = size.peek()
  if (amount === null || obstacle.peek() !== null) return
  const order = {
    ...{ symbol: symbol.peek(), side: side.peek(), type: type.peek(), price: price.peek() },
    ...{ size: amount, isReduceOnly: isReduceOnly.peek(), slippage: slippage.peek() },
  }
  const isPlaced = await withAccountViews((views) =>
    views.placeOrder(order, estimateRows(estimate.peek())),
  )
  if (isPlaced) sizeInput.value = ''
}

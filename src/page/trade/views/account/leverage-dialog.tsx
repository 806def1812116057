import { signal } from '@preact/signals'
import { ONE } from '../../../../core/decimals.ts'
import { divided, onStep } from '../../../../perp/amounts.ts'
import { textOf } from '../../../common/exact-json.ts'
import { compact, fill, fixed } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import { accountTopic, isIsolated, leveragePath, SLOW_MS } from '../../account/state.ts'
import { followed } from '../../feed/service.ts'
import { leverageSteps, rules } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { F } from '../../messages/ticket.ts'
import { currentAccount } from '../../orders/current-account.ts'
import { estimate, side } from '../../orders/draft.ts'
import { type Estimated, estimateOf } from '../../orders/estimate.ts'
import type { MarketAccount } from '../../orders/margin.ts'
import { atLeverage } from '../../orders/margin-change.ts'
import { setLeverage, setMarginMode } from '../../orders/margin-commands.ts'
import { baseOf, priceText } from '../../orders/text.ts'
import { Segments } from '../parts/form.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'

type Mode = keyof typeof A.margin.modes

/** The market whose leverage is being set, or was set last. */
const market = signal('')
const isOpen = signal(false)
const mode = signal<Mode>('CROSS')
/** Null before another one than the present is chosen. */
const chosen = signal<number | null>(null)

/** Opens the dialog that sets margin mode and leverage of a market. */
export function askLeverage(symbol: string): void {
  mode.value = isIsolated(symbol) ? 'ISOLATED' : 'CROSS'
  chosen.value = null
  market.value = symbol
  isOpen.value = true
}

function shut(): void {
  isOpen.value = false
}

/**
 * The leverage of the chosen margin mode: each mode has its own. It is read on after the dialog is closed, so that the
 * order form has nothing to wait for once the mode is changed.
 */
const reading = followed(() =>
  market.value
    ? accountTopic(leveragePath(market.value, mode.value === 'ISOLATED'), SLOW_MS)
    : null,
)

/** Margin mode and leverage of a market, with what follows from them before anything is signed. */
export function LeverageDialog() {
  const { value: symbol } = market
  const account = isOpen.value ? currentAccount(symbol) : null
  if (!account) return null
  const present = Number(textOf(reading.value.data, 'leverage')) || account.leverage
  const leverage = chosen.value ?? present
  const isInUse = account.held !== 0n || account.buys + account.sells > 0n
  const isHeld = isInUse && account.isIsolated
  const wanted = { ...account, leverage, isIsolated: mode.value === 'ISOLATED' }
  const rows = rowsOf(symbol, account, wanted)
  const isNew = leverage !== present || wanted.isIsolated !== account.isIsolated
  return (
    <FormDialog
      title={fill(A.margin.title, { base: baseOf(symbol) })}
      onClose={shut}
      submit={A.margin.set}
      isReady={isNew && rows.problem === null}
      onSubmit={() => send(symbol, account, wanted, present)}
    >
      <Segments
        label={A.margin.mode}
        kind="modes"
        options={A.margin.modes}
        chosen={mode}
        isStill={isInUse}
        onChoose={() => {
          chosen.value = null
        }}
      />
      <p class="quiet">{isInUse ? A.margin.inUse : A.margin.why[mode.value]}</p>
      {!isInUse && account.unsettled !== 0n && <p class="quiet">{A.margin.unsettled}</p>}
      <Steps symbol={symbol} leverage={leverage} isStill={isHeld} />
      {isHeld && <p class="quiet">{A.margin.held}</p>}
      <Pairs rows={rows.shown} />
      <div id="leverage-problem" role="status">
        {rows.problem && <p class="warn">{rows.problem}</p>}
      </div>
    </FormDialog>
  )
}

type StepsProps = {
  readonly symbol: string
  readonly leverage: number
  readonly isStill: boolean
}

/** A slider over the leverages that the venue offers, and a button for each. */
function Steps({ symbol, leverage, isStill }: StepsProps) {
  const max = rules.value.get(symbol)?.maxLeverage ?? 1
  const offered = leverageSteps.value.filter((step) => step <= max)
  const steps = [...new Set([...offered, leverage])].sort((one, other) => one - other)
  const choose = (step: number | undefined) => {
    chosen.value = step ?? null
  }
  return (
    <div class="leverages">
      <output>{leverage}×</output>
      <input
        type="range"
        min="0"
        max={steps.length - 1}
        aria-label={F.leverage}
        aria-valuetext={`${leverage}×`}
        disabled={isStill}
        value={steps.indexOf(leverage)}
        onInput={(event) => choose(steps[Number(event.currentTarget.value)])}
      />
      <div>
        {steps.map((step) => (
          <button
            key={step}
            type="button"
            class="plain"
            aria-pressed={step === leverage}
            disabled={isStill}
            onClick={() => choose(step)}
          >
            {step}×
          </button>
        ))}
      </div>
    </div>
  )
}

type Comparison = { readonly shown: Rows; readonly problem: string | null }

/** What is open and what the ticket holds, as they are and as they would be. */
function rowsOf(symbol: string, now: MarketAccount, wanted: MarketAccount): Comparison {
  const rule = rules.value.get(symbol)
  if (!rule) return { shown: [], problem: null }
  const [before, after] = [
    atLeverage(rule, now, now.leverage),
    atLeverage(rule, now, wanted.leverage),
  ]
  const order = ticketOrder(symbol, now)
  const [then, found] = [now, wanted].map((each) => estimateOf(rule, order, each)?.figures)
  const usdc = (value: bigint) => fixed(value, 2)
  const at = (price: bigint | null | undefined) =>
    price === null ? F.noLiquidation : price ? priceText(symbol, price) : M.none
  const most = after.notionalMax
  const isCross = !now.isIsolated && !wanted.isIsolated
  return {
    shown: [
      isCross && [A.margin.used, change(usdc(before.margin), usdc(after.margin))],
      isCross && [F.available, change(usdc(before.free), usdc(after.free))],
      most !== null && [
        fill(A.margin.most, { leverage: wanted.leverage }),
        `${compact(most)} USDC`,
      ],
      [fill(A.margin.ofOrder, { order: textOfOrder(symbol, order) }), ''],
      [F.margin, change(usdc(then?.margin ?? 0n), usdc(found?.margin ?? 0n))],
      [F.liquidation, change(at(then?.liquidation), at(found?.liquidation))],
    ],
    problem: after.excess && !wanted.isIsolated ? A.margin.excess[after.excess] : null,
  }
}

function change(before: string, after: string): string {
  return before === after ? after : `${before} → ${after}`
}

/** The order of the ticket, or, while there is none, one of 1,000 USDC at the mark. */
function ticketOrder(symbol: string, { mark }: MarketAccount): Estimated {
  const { value: found } = estimate
  const step = rules.peek().get(symbol)?.step ?? 1n
  const price = found?.price ?? mark
  const value = found && found.value > 0n ? found.value : EXAMPLE
  const size = onStep(divided(value, price), step, 'floor')
  const fill = { size: 0n, value: 0n, loss: 0n, worst: null }
  return { side: side.value, type: 'LIMIT', size, price, fill }
}

const EXAMPLE = 1000n * ONE

function textOfOrder(symbol: string, { side: name, size, price }: Estimated): string {
  const { [name]: text } = M.side
  return `${text} ${fixed(size, 4)} ${baseOf(symbol)} @ ${priceText(symbol, price)}`
}

/** The mode first: each mode has a leverage of its own. */
async function send(
  symbol: string,
  now: MarketAccount,
  wanted: MarketAccount,
  present: number,
): Promise<void> {
  const { isIsolated: isOwn, leverage } = wanted
  const { shown } = rowsOf(symbol, now, wanted)
  if (isOwn !== now.isIsolated && !(await setMarginMode(symbol, isOwn))) return
  if (leverage !== present) await setLeverage(symbol, leverage, isOwn, shown)
}

import { signal } from '@preact/signals'
import { ONE } from '../../../../core/decimals.ts'
import { quotient, roundedToStep } from '../../../../perp/amounts.ts'
import { marketState } from '../../../../perp/margin-account.ts'
import type { MarketNow } from '../../../../perp/order-match.ts'
import { memberText } from '../../../common/exact-json.ts'
import { compact, filledTemplate, fixedText } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import { accountTopic, isIsolated, leveragePath, SLOW_MS } from '../../account/state.ts'
import { followTopic } from '../../feed/service.ts'
import { leverageSteps, marketMark, rules } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import type { Draft } from '../../orders/check.ts'
import { currentAccount } from '../../orders/current-account.ts'
import { side } from '../../orders/draft.ts'
import { estimated } from '../../orders/estimate.ts'
import { arrivingOrderVerdict, inMode, marketNow, NO_BOOK } from '../../orders/judge.ts'
import { limitsOnChange } from '../../orders/limit-verdict.ts'
import { atLeverage } from '../../orders/margin-change.ts'
import { changeLeverage, changeMarginMode } from '../../orders/margin-commands.ts'
import { priceText, symbolBase } from '../../orders/text.ts'
import type { TicketAccount } from '../../orders/ticket-account.ts'
import { estimate } from '../../orders/verdict.ts'
import { Segments } from '../parts/form.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { LimitNotice } from '../parts/limit-notice.tsx'

type Mode = keyof typeof ACCOUNT_TEXTS.margin.modes

/** The market whose leverage is being set, or was set last. */
const market = signal('')
const isOpen = signal(false)
const mode = signal<Mode>('CROSS')
/** The chosen leverage; null keeps the current leverage. */
const chosen = signal<number | null>(null)

/** Opens the dialog for a market's margin mode and leverage. */
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
 * The leverage in the chosen margin mode; each mode has a separate leverage. Reading continues after the dialog is
 * closed, so that the ticket has the leverage once the mode is changed.
 */
const reading = followTopic(() =>
  market.value
    ? accountTopic(leveragePath(market.value, mode.value === 'ISOLATED'), SLOW_MS)
    : null,
)

/** The dialog for a market's margin mode and leverage. It shows the effects of a change before the user signs. */
export function LeverageDialog() {
  const { value: symbol } = market
  const account = isOpen.value ? currentAccount(symbol) : null
  if (!account) return null
  const present = Number(memberText(reading.value.data, 'leverage')) || account.rates.leverage
  const leverage = chosen.value ?? present
  const { quantity, buys, sells, cost } = marketState(account, symbol, account.mode)
  const isInUse = quantity !== 0n || buys.quantity + sells.quantity > 0n
  const isHeld = isInUse && account.mode === 'ISOLATED'
  const wanted = { ...account, rates: { ...account.rates, leverage }, mode: mode.value }
  const rows = leverageComparison(symbol, account, wanted)
  const isChanged = isOther(account, wanted, present)
  return (
    <FormDialog
      title={filledTemplate(ACCOUNT_TEXTS.margin.title, { base: symbolBase(symbol) })}
      onClose={shut}
      submit={ACCOUNT_TEXTS.margin.set}
      isReady={isChanged && rows.problem === null}
      onSubmit={() => send(symbol, account, wanted, present)}
    >
      <Segments
        label={ACCOUNT_TEXTS.margin.mode}
        kind="modes"
        options={ACCOUNT_TEXTS.margin.modes}
        chosen={mode}
        isStill={isInUse}
        onChoose={() => {
          chosen.value = null
        }}
      />
      <p class="quiet">
        {isInUse ? ACCOUNT_TEXTS.margin.inUse : ACCOUNT_TEXTS.margin.why[mode.value]}
      </p>
      {!isInUse && cost !== 0n && <p class="quiet">{ACCOUNT_TEXTS.margin.unsettled}</p>}
      <Steps symbol={symbol} leverage={leverage} isStill={isHeld} />
      {isHeld && <p class="quiet">{ACCOUNT_TEXTS.margin.held}</p>}
      <Pairs rows={rows.shown} />
      <div id="leverage-problem" role="status">
        {rows.problem && <p class="warn">{rows.problem}</p>}
        <LimitNotice found={isChanged ? limitsOnChange(symbol, leverage) : null} />
      </div>
    </FormDialog>
  )
}

type StepsProps = {
  readonly symbol: string
  readonly leverage: number
  readonly isStill: boolean
}

/** A slider over the venue's leverage steps, and a button for each step. */
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
        aria-label={TICKET_TEXTS.leverage}
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

/** Compares the position and the ticket's order in this market before and after the change. */
function leverageComparison(symbol: string, now: TicketAccount, wanted: TicketAccount): Comparison {
  const rule = rules.value.get(symbol)
  if (!rule) return { shown: [], problem: null }
  const market = marketNow(rule, marketMark(symbol), NO_BOOK)
  const before = atLeverage(market, now, now.rates.leverage)
  const after = atLeverage(market, now, wanted.rates.leverage)
  const order = ticketOrder(market)
  const [then, found] = [now, wanted].map((each) => orderFigures(market, order, each))
  const usdc = (value?: bigint) => (value === undefined ? PAGE_TEXTS.none : fixedText(value, 2))
  const at = (price: bigint | null | undefined) =>
    price === null ? TICKET_TEXTS.noLiquidation : price ? priceText(symbol, price) : PAGE_TEXTS.none
  const most = after.notionalMax
  const isCross = now.mode === 'CROSS' && wanted.mode === 'CROSS'
  return {
    shown: [
      isCross && [ACCOUNT_TEXTS.margin.used, change(usdc(before.margin), usdc(after.margin))],
      isCross && [TICKET_TEXTS.available, change(usdc(before.free), usdc(after.free))],
      most !== null && [
        filledTemplate(ACCOUNT_TEXTS.margin.most, { leverage: wanted.rates.leverage }),
        `${compact(most)} USDC`,
      ],
      [filledTemplate(ACCOUNT_TEXTS.margin.ofOrder, { order: textOfOrder(symbol, order) }), ''],
      [TICKET_TEXTS.margin, change(usdc(then?.margin), usdc(found?.margin))],
      [TICKET_TEXTS.liquidation, change(at(then?.liquidation), at(found?.liquidation))],
    ],
    problem:
      after.excess && wanted.mode === 'CROSS' ? ACCOUNT_TEXTS.margin.excess[after.excess] : null,
  }
}

function change(before: string, after: string): string {
  return before === after ? after : `${before} → ${after}`
}

/** The estimated cost and result of an order, with an empty book. */
function orderFigures(market: MarketNow, order: Draft, account: TicketAccount) {
  const { match } = arrivingOrderVerdict(market, order, account)
  return match && estimated(market, inMode(order, account), match, account)?.figures
}

/** The ticket's order; for an empty ticket, an example of 1,000 USDC at the mark price. */
function ticketOrder({ mark, baseTick }: MarketNow): Draft {
  const { value: found } = estimate
  const price = found?.price ?? mark ?? 0n
  const value = found && found.value > 0n ? found.value : EXAMPLE
  const quantity = roundedToStep(quotient(value, price), baseTick, 'floor')
  return { side: side.value, type: 'LIMIT', quantity, price, reduceOnly: false, slippage: null }
}

const EXAMPLE = 1000n * ONE

function textOfOrder(symbol: string, { side: name, quantity, price }: Draft): string {
  const { [name]: text } = PAGE_TEXTS.side
  return `${text} ${fixedText(quantity, 4)} ${symbolBase(symbol)} @ ${priceText(symbol, price ?? 0n)}`
}

function isOther(now: TicketAccount, wanted: TicketAccount, present: number): boolean {
  return wanted.mode !== now.mode || wanted.rates.leverage !== present
}

/** Sends the new settings. The new mode's leverage goes first, because limits check a change of mode by that leverage. */
async function send(
  symbol: string,
  now: TicketAccount,
  wanted: TicketAccount,
  present: number,
): Promise<void> {
  const isOwn = wanted.mode === 'ISOLATED'
  const { leverage } = wanted.rates
  const { shown } = leverageComparison(symbol, now, wanted)
  if (leverage !== present && !(await changeLeverage(symbol, leverage, isOwn, shown))) return
  if (wanted.mode !== now.mode) await changeMarginMode(symbol, isOwn)
}

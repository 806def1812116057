import { filledTemplate, fixedText } from '../../common/format.ts'
import { canTrade, isSessionKnown, keyState } from '../account/session.ts'
import { decimalPlaces, symbol } from '../market/state.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import {
  activation,
  callback,
  children,
  dropLegs,
  everyMs,
  hasLegs,
  isReduceOnly,
  legs,
  price,
  side,
  slippage,
  ticketAccount,
  ticketSize,
  trigger,
  type,
} from '../orders/draft.ts'
import { FIELDS } from '../orders/fields.ts'
import { limitsOnTicket } from '../orders/limit-verdict.ts'
import { applyCorrection, inputObstacle, obstacle } from '../orders/obstacle.ts'
import { isBusy, mustWait, REDUCTION } from '../orders/pending-writes.ts'
import { asksFirst, kind } from '../orders/switches.ts'
import { symbolBase } from '../orders/text.ts'
import { estimate, shortFill, verdict } from '../orders/verdict.ts'
import { ClosedMarket } from './closed-market.tsx'
import { openConnect } from './connect/open.tsx'
import { EstimateRows, estimateRows, worstTexts } from './estimate-rows.tsx'
import { accountViews, withAccountViews } from './load-account.ts'
import { Checkbox, FieldProblemText, Segments } from './parts/form.tsx'
import { LimitNotice } from './parts/limit-notice.tsx'
import { KindFields, Legs, LimitTypeChoice, Size } from './ticket-fields.tsx'

/** The order form, below the notice of a closed market and the held positions. */
export function Ticket() {
  return (
    <>
      <ClosedMarket />
      {accountViews.value && <accountViews.value.Held />}
      <OrderForm />
    </>
  )
}

function OrderForm() {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Segments label={TICKET_TEXTS.side} kind="sides" options={PAGE_TEXTS.side} chosen={side} />
      <Segments label={TICKET_TEXTS.type} kind="types" options={TICKET_TEXTS.kinds} chosen={kind} />
      <p class="quiet why">{TICKET_TEXTS.orderTypeWhy[orderTypeKey()]}</p>
      <KindFields />
      <Size />
      <Options />
      <Legs />
      <Submit />
      {accountViews.value && <accountViews.value.TwapStatus />}
      <EstimateRows />
    </form>
  )
}

function orderTypeKey(): keyof typeof TICKET_TEXTS.orderTypeWhy {
  if (kind.value === 'MARKET' && hasLegs.value) return 'MARKET_WITH_LEGS'
  return kind.value === 'LIMIT' ? type.value : kind.value
}

function Options() {
  return (
    <div class="options">
      {kind.value === 'LIMIT' && <LimitTypeChoice />}
      <Checkbox label={TICKET_TEXTS.reduceOnly} checked={isReduceOnly} />
      {ticketAccount.value && <Leverage />}
      <Checkbox label={TICKET_TEXTS.asks} checked={asksFirst} />
    </div>
  )
}

/** The button that shows the market's margin mode and leverage, and opens their dialog. */
function Leverage() {
  const leverage = ticketAccount.value?.rates.leverage ?? 1
  const isIsolated = ticketAccount.value?.mode === 'ISOLATED'
  return (
    <button
      type="button"
      aria-label={`${TICKET_TEXTS.marginOf}: ${isIsolated ? TICKET_TEXTS.isolated : TICKET_TEXTS.cross} ${leverage}×`}
      disabled={isBusy.value || !canTrade.value}
      onClick={() => {
        const market = symbol.peek()
        void withAccountViews(async (views) => views.askLeverage(market))
      }}
    >
      {isIsolated ? TICKET_TEXTS.isolated : TICKET_TEXTS.cross} {leverage}×
    </button>
  )
}

/** The submit button, with the obstacle or the order's likely fate. Its height is constant, so that the form does not move. */
function Submit() {
  const isOpen = keyState.value === 'active'
  const reason = isOpen ? obstacle.value : inputObstacle.value
  const fate = verdict.value?.fate
  return (
    <>
      {isOpen || !isSessionKnown.value ? (
        <SendButton isReady={isOpen && reason === null} />
      ) : (
        <ConnectButton />
      )}
      <div id="obstacle" role="status">
        {reason && (isOpen || !reason.isMissing) && (
          <FieldProblemText
            {...reason}
            onCorrect={(value) => reason.field && applyCorrection(reason.field, value)}
          />
        )}
        {!reason && (
          <LimitNotice
            found={limitsOnTicket.value}
            onCorrect={(value) => applyCorrection('size', value)}
          />
        )}
        {!reason && fate && <p class="warn">{TICKET_TEXTS.fate[fate]}</p>}
        {!reason && !fate && <ShortFill />}
      </div>
    </>
  )
}

/** The warning that the book has less than the order's size, with the worst price that the order reaches. */
function ShortFill() {
  const { value: short } = shortFill
  if (!short) return null
  const text = (amount: bigint) => fixedText(amount, decimalPlaces.value.size)
  const values = { filled: text(short.filled), amount: text(short.amount) }
  return (
    <p class="warn">
      {filledTemplate(TICKET_TEXTS.short, { ...values, ...worstTexts(short.worst) })}
    </p>
  )
}

function ConnectButton() {
  return (
    <button type="button" class="primary submit" onClick={openConnect}>
      {TICKET_TEXTS.connect}
    </button>
  )
}

function SendButton({ isReady }: { readonly isReady: boolean }) {
  const isSending = mustWait(isReduceOnly.value ? REDUCTION : null)
  const name = filledTemplate(TICKET_TEXTS.submit, {
    side: PAGE_TEXTS.side[side.value],
    base: symbolBase(symbol.value),
  })
  const amount =
    ticketSize.value !== null && isReady
      ? ` · ${fixedText(ticketSize.value, decimalPlaces.value.size)}`
      : ''
  return (
    <button
      type="submit"
      class={`submit ${side.value === 'BUY' ? 'buy' : 'sell'}`}
      disabled={isSending || !isReady}
      aria-describedby="obstacle"
    >
      {isSending ? TICKET_TEXTS.sending : name + amount}
    </button>
  )
}

async function submit(): Promise<void> {
  const amount = ticketSize.peek()
  if (amount === null || obstacle.peek() !== null) return
  const { input } = FIELDS.size
  const text = input.peek()
  const isWithLegs = hasLegs.peek()
  const rows = estimateRows(estimate.peek())
  const order = {
    ...{ symbol: symbol.peek(), side: side.peek(), type: type.peek(), price: price.peek() },
    ...{ quantity: amount, reduceOnly: isReduceOnly.peek(), slippage: slippage.peek() },
  }
  const isPlaced = await withAccountViews((views) => {
    const waits = kind.peek()
    if (waits === 'SCALED') return views.placeScaled(order, children.peek(), rows)
    if (waits === 'TWAP') return views.startTwap(order, children.peek(), everyMs.peek() ?? 0, rows)
    if (waits === 'STOP' || waits === 'TRAILING_STOP') {
      const at = { trigger: trigger.peek(), callback: callback.peek() }
      const waiting = { ...order, ...at, kind: waits, activation: activation.peek() }
      return views.placeConditional(waiting, rows)
    }
    if (isWithLegs) return views.placeBracket(order, legs.peek(), rows)
    return views.placeOrder(order, rows)
  })
  // A size typed while the order was being sent belongs to the next order, and stays.
  if (!isPlaced || input.peek() !== text) return
  input.value = ''
  if (isWithLegs) dropLegs()
}

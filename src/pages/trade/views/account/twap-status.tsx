import { countdown, filledTemplate } from '../../../common/format.ts'
import { second } from '../../feed/clock.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import { symbolBase } from '../../orders/text.ts'
import { stopTwap, twap } from '../../orders/twap.ts'

/** The progress of the time-weighted order that this page is sending, and the button that stops it. */
export function TwapStatus() {
  const { value } = twap
  if (!value) return null
  const { order, count, done, nextAtMs } = value
  const values = {
    ...{ side: PAGE_TEXTS.side[order.side], base: symbolBase(order.symbol), done, count },
    left: countdown(nextAtMs - second.value),
  }
  return (
    <div class="notice" role="status">
      <p>{filledTemplate(TICKET_TEXTS.twap.state, values)}</p>
      <p>{TICKET_TEXTS.twap.why}</p>
      <button type="button" onClick={stopTwap}>
        {TICKET_TEXTS.twap.stop}
      </button>
    </div>
  )
}

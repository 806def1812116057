import { countdown, fill } from '../../../common/format.ts'
import { second } from '../../feed/clock.ts'
import { M } from '../../messages/page.ts'
import { F } from '../../messages/ticket.ts'
import { symbolBase } from '../../orders/text.ts'
import { stopTwap, twap } from '../../orders/twap.ts'

/** The progress of the time-weighted order that this page is sending, and the button that stops it. */
export function TwapStatus() {
  const { value } = twap
  if (!value) return null
  const { order, count, done, nextAtMs } = value
  const values = {
    ...{ side: M.side[order.side], base: symbolBase(order.symbol), done, count },
    left: countdown(nextAtMs - second.value),
  }
  return (
    <div class="notice" role="status">
      <p>{fill(F.twap.state, values)}</p>
      <p>{F.twap.why}</p>
      <button type="button" onClick={stopTwap}>
        {F.twap.stop}
      </button>
    </div>
  )
}

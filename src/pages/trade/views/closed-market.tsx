import { computed } from '@preact/signals'
import { memberRows, memberText, memberValue } from '../../common/exact-json.ts'
import { dayTime, filledTemplate } from '../../common/format.ts'
import { serverSecond } from '../feed/clock.ts'
import { sessionsReading } from '../market/groups.ts'
import { symbol } from '../market/state.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import { symbolBase } from '../orders/text.ts'

/** The opening time of the shown market and the venue's note, while the market is closed; otherwise null. */
const closed = computed(() => {
  const row = memberRows(sessionsReading.value.data, 'rows').find(
    (each) => memberText(each, 'symbol') === symbol.value,
  )
  if (memberValue(row, 'open') !== false) return null
  return { opensAtMs: Number(memberText(row, 'opensAt')), note: memberText(row, 'note') }
})

/** Shows until when the shown market is closed, in the user's time zone, and the venue's note. */
export function ClosedMarket() {
  const { value } = closed
  if (!value || (value.opensAtMs > 0 && value.opensAtMs <= serverSecond.value)) return null
  const values = { base: symbolBase(symbol.value), time: dayTime(value.opensAtMs) }
  const text = filledTemplate(
    value.opensAtMs > 0 ? TICKET_TEXTS.closedUntil : TICKET_TEXTS.closed,
    values,
  )
  return (
    <p class="warn" role="status">
      {text} {value.note}
    </p>
  )
}

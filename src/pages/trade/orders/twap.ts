import { signal } from '@preact/signals'
import { amountText } from '../../../perp/amounts.ts'
import { filledTemplate, unsignedPercent } from '../../common/format.ts'
import type { Rows } from '../../common/pairs.tsx'
import { nowMs, sleep } from '../../common/world.ts'
import { showNotice } from '../messages/notices.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import { type NewOrder, placeNewOrder } from './commands.ts'
import { isBusy } from './pending-writes.ts'
import { symbolBase } from './text.ts'

/** A time-weighted order that this page is sending. */
export type Twap = {
  readonly order: NewOrder
  readonly count: number
  readonly done: number
  readonly nextAtMs: number
}

export const twap = signal<Twap | null>(null)

/** Interval of the check whether the next part is due. */
const LOOK_MS = 500

type Part = { readonly size: bigint }

/**
 * Sends a market order in parts, one after another, until the user stops it or the venue refuses a part. The user
 * confirms all parts at once. Resolves to true once the venue has accepted the first part.
 */
export async function startTwap(
  order: NewOrder,
  parts: readonly Part[],
  everyMs: number,
  estimates: Rows,
): Promise<boolean> {
  const [first] = parts
  if (!first || twap.peek()) return false
  const { symbol, side, quantity, slippage } = order
  const base = symbolBase(symbol)
  const title = filledTemplate(TICKET_TEXTS.twap.title, {
    side: PAGE_TEXTS.side[side],
    size: amountText(quantity),
    base,
  })
  const rows: Rows = [
    [
      TICKET_TEXTS.slices,
      filledTemplate(TICKET_TEXTS.each, {
        count: parts.length,
        size: amountText(first.size),
        base,
      }),
    ],
    [TICKET_TEXTS.twap.every, `${Math.round(everyMs / 1000)} s`],
    slippage !== null && [TICKET_TEXTS.slippage, unsignedPercent(slippage)],
    ...estimates,
  ]
  if (
    !(await placeNewOrder({ ...order, quantity: first.size }, rows, { title, asks: 'by setting' }))
  )
    return false
  twap.value = { order, count: parts.length, done: 1, nextAtMs: nowMs() + everyMs }
  addEventListener('beforeunload', warnBeforeClosing)
  void sendRemaining(order, parts, everyMs)
  return true
}

/** Stops the order: no further part is sent. */
export function stopTwap(): void {
  twap.value = null
}

/** Makes the browser ask before it closes a tab with unsent parts. */
function warnBeforeClosing(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

async function sendRemaining(
  order: NewOrder,
  parts: readonly Part[],
  everyMs: number,
): Promise<void> {
  let done = 1
  for (const { size } of parts.slice(1)) {
    if (!(await isDue())) break
    if (!(await placeNewOrder({ ...order, quantity: size }, [], { title: '', asks: 'never' })))
      break
    done += 1
    // After the tab slept, missed parts are sent one at a time, each after a full interval.
    const { value } = twap
    if (value) twap.value = { ...value, done, nextAtMs: nowMs() + everyMs }
  }
  removeEventListener('beforeunload', warnBeforeClosing)
  twap.value = null
  const values = { done, count: parts.length }
  if (done === parts.length)
    showNotice({ kind: 'good', text: filledTemplate(TICKET_TEXTS.twap.done, values) })
  else showNotice({ kind: 'bad', text: filledTemplate(TICKET_TEXTS.twap.stopped, values) })
}

/** Waits until the next part is due and no other write is in progress; false once the order is stopped. */
async function isDue(): Promise<boolean> {
  for (;;) {
    const running = twap.peek()
    if (!running) return false
    if (nowMs() >= running.nextAtMs && !isBusy.peek()) return true
    await sleep(LOOK_MS)
  }
}

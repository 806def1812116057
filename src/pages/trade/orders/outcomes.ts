import { RESTING_TYPES } from '../../../perp/order-match.ts'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { filledTemplate } from '../../common/format.ts'
import { nowMs, sleep } from '../../common/world.ts'
import { awaitOrder } from '../account/order-events.ts'
import { read, refusalIn } from '../account/relay.ts'
import { type AccountOrder, accountOrders, OPEN_STATUSES, toAccountOrder } from '../account/rows.ts'
import { session } from '../account/session.ts'
import { OPEN_ORDERS, ordersReading, topicName } from '../account/state.ts'
import type { KeptKey } from '../account/trading-key.ts'
import { feed } from '../feed/service.ts'
import { ACCOUNT_TEXTS } from '../messages/account.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { priceText, sizeText, symbolBase } from './text.ts'

/** The outcome of a write as a sentence. */
export type OutcomeText = { readonly kind: 'good' | 'bad' | 'wait' | 'warn'; readonly text: string }

/** Reads the outcome of an accepted write. */
export type ReadOutcome = (key: KeptKey, answer: Exact) => Promise<OutcomeText>

/** Looks up a write whose answer was lost, by its client order id; null if the venue has no such write. Throws ApiFailure. */
export type WriteLookUp = (
  key: KeptKey,
) => Promise<{ readonly status: string; readonly outcome: OutcomeText } | null>

const OUTCOME_TEXTS = ACCOUNT_TEXTS.outcomes

/** Waits before each read of an outcome. Most orders are final at the first read. */
const WAITS_MS = [0, 250, 750, 1500, 3000] as const

/** Reads the outcome of a new order. For a type that never rests, waits until the order has ended. */
export function placedOutcome(type: string): ReadOutcome {
  return (key, answer) =>
    orderOutcome(
      key,
      memberText(answer, 'order_id'),
      ({ status }) => RESTING_TYPES.has(type) || !OPEN_STATUSES.has(status),
      placedText,
    )
}

/** Reads the outcome of a batch: the number of accepted orders, and the number of accepted orders that are open. */
export function batchOutcome(clientIds: readonly string[]): ReadOutcome {
  return async (_, answer) => {
    const count = clientIds.length
    const reasons = memberRows(answer, 'rows')
      .map(refusalIn)
      .filter((text) => text !== null)
    const [reason] = reasons
    if (reason !== undefined) {
      const values = { count, taken: count - reasons.length, reason }
      return { kind: 'bad', text: filledTemplate(OUTCOME_TEXTS.partOfBatch, values) }
    }
    const isOurs = ({ clientId }: AccountOrder) => clientIds.includes(clientId)
    return awaitOutcome(
      async () => accountOrders(await latest(OPEN_ORDERS)).filter(isOurs).length,
      (open) => open === count,
      (open) => ({ kind: 'good', text: filledTemplate(OUTCOME_TEXTS.batch, { count, open }) }),
    )
  }
}

/** Looks for an order by its client order id. */
export function orderLookUp(clientOrderId: string): WriteLookUp {
  return async (key) => {
    const rows = accountOrders(await read(key, '/v1/orders?page=1&size=100'))
    const found = rows.find(({ clientId }) => clientId === clientOrderId)
    return found ? { status: found.status, outcome: placedText(found) } : null
  }
}

/** Reads the outcome of an edited order, again while it still has its old values. */
export function editedOutcome(id: string, price: bigint, size: bigint): ReadOutcome {
  const isChanged = (order: AccountOrder) => order.price === price && order.size === size
  return (key) =>
    orderOutcome(
      key,
      id,
      (order) => isChanged(order) || !OPEN_STATUSES.has(order.status),
      (order) =>
        OPEN_STATUSES.has(order.status) && !isChanged(order)
          ? { kind: 'bad', text: filledTemplate(OUTCOME_TEXTS.unchanged, figureTexts(order)) }
          : { ...placedText(order), text: `${OUTCOME_TEXTS.changed} ${placedText(order).text}` },
    )
}

/** Reads the outcome of cancelling an order. */
export function cancelledOutcome(id: string): ReadOutcome {
  return (key) => orderOutcome(key, id, ({ status }) => !OPEN_STATUSES.has(status), cancelledText)
}

/** The fields of an order that describe its state. */
type OrderProgress = Pick<
  AccountOrder,
  'symbol' | 'side' | 'status' | 'executed' | 'size' | 'type' | 'average' | 'price'
>

/** The text of an order's state, or of how it ended. */
export function placedText(order: OrderProgress): OutcomeText {
  const { status, executed, size, type } = order
  const figures = figureTexts(order)
  if (status === 'FILLED')
    return { kind: 'good', text: filledTemplate(OUTCOME_TEXTS.filled, figures) }
  if (OPEN_STATUSES.has(status))
    return {
      kind: 'good',
      text: filledTemplate(
        executed > 0n ? OUTCOME_TEXTS.partlyRests : OUTCOME_TEXTS.rests,
        figures,
      ),
    }
  if (executed > 0n && executed < size)
    return { kind: 'warn', text: filledTemplate(OUTCOME_TEXTS.partlyEnded, figures) }
  if (status === 'REJECTED') return { kind: 'bad', text: OUTCOME_TEXTS.rejected }
  const reasons: Readonly<Record<string, string>> = OUTCOME_TEXTS.cancelledBy
  return { kind: 'bad', text: filledTemplate(reasons[type] ?? OUTCOME_TEXTS.cancelled, figures) }
}

function cancelledText(order: AccountOrder): OutcomeText {
  const figures = figureTexts(order)
  if (order.status === 'FILLED')
    return { kind: 'bad', text: filledTemplate(OUTCOME_TEXTS.filledBefore, figures) }
  if (OPEN_STATUSES.has(order.status)) return { kind: 'bad', text: OUTCOME_TEXTS.notCancelled }
  return {
    kind: 'good',
    text: filledTemplate(
      order.executed > 0n ? OUTCOME_TEXTS.restCancelled : OUTCOME_TEXTS.cancelled,
      figures,
    ),
  }
}

function figureTexts({ symbol, side, size, executed, average, price }: OrderProgress) {
  return {
    side: PAGE_TEXTS.side[side],
    base: symbolBase(symbol),
    size: sizeText(symbol, size),
    executed: sizeText(symbol, executed),
    average: priceText(symbol, average),
    price: price === null ? '' : priceText(symbol, price),
  }
}

/** Maximum wait for a live message about an order; after it, the order is read. */
const MESSAGE_MAX_MS = 1500

async function orderOutcome(
  key: KeptKey,
  id: string,
  isFinal: (order: AccountOrder) => boolean,
  textOfOrder: (order: AccountOrder) => OutcomeText,
): Promise<OutcomeText> {
  const final = ordersReading.peek().isLive ? await awaitOrder(id, isFinal, MESSAGE_MAX_MS) : null
  if (final) return textOfOrder(final)
  const load = async () => {
    const row = await read(key, `/v1/order/${id}`)
    feed.patch(topicName(key, OPEN_ORDERS), 'orders', [row])
    return toAccountOrder(row)
  }
  return awaitOutcome(load, isFinal, textOfOrder)
}

/** Reads a followed path anew and returns the answer. Throws if the path cannot be read. */
export async function latest(path: string): Promise<Exact> {
  const key = session.peek()
  const answer = key && (await feed.latest(topicName(key, path), nowMs()))
  if (answer === null) throw new Error('unread')
  return answer
}

/** Reads until the answer is final, at most once per wait, and returns the outcome of the last answer. */
export async function awaitOutcome<T>(
  load: () => Promise<T | null>,
  isFinal: (value: T) => boolean,
  outcome: (value: T) => OutcomeText,
): Promise<OutcomeText> {
  const last = await awaitFinal(load, isFinal)
  return last === null ? { kind: 'wait', text: OUTCOME_TEXTS.unknown } : outcome(last)
}

/** Repeats a read until its value is final. Returns the last value; null if every read failed. */
export async function awaitFinal<T>(
  load: () => Promise<T | null>,
  isFinal: (value: T) => boolean,
): Promise<T | null> {
  let last: T | null = null
  for (const ms of WAITS_MS) {
    if (ms > 0) await sleep(ms)
    last = await load().catch(() => last)
    if (last !== null && isFinal(last)) break
  }
  return last
}

import { DAY_MS } from '../../spec/durations.ts'
import { LIMITS } from '../../spec/limits.ts'
import { refusal } from '../refusal.ts'
import type { Row } from '../rows.ts'
import type { SignedContext } from '../tool.ts'
import { orderByClientId } from './look-up.ts'

/** An order that is about to be sent. `content` is everything that makes it this order; only its digest is kept. */
export type SendingOrder = {
  readonly clientOrderId: string
  readonly symbol: string
  readonly content: string
  readonly lookUp: object
}

/**
 * Sends an order whose client_order_id this account and key have not used within a day. The same order again gets what
 * became of the first, or outcome_unknown with its look-up; another order of the id is duplicate_request. Nothing is
 * sent before the id is on the disk, and the id is free again when the order certainly did not arrive.
 */
export async function sentOnce(
  context: SignedContext,
  order: SendingOrder,
  send: () => Promise<Row>,
  mayHaveArrived: (error: unknown) => boolean,
): Promise<Row> {
  const { sentOrders } = context
  const digests = digestsOf(context, order)
  const outcome = await reserve(context, digests)
  if (outcome === 'other') throw refusal('duplicate_request', { ...named(order), next: OTHER })
  if (outcome === 'equal') return resultOfFirst(context, order, digests.id)
  try {
    return await send()
  } catch (error) {
    if (!mayHaveArrived(error)) {
      await sentOrders.release(digests.id)
      await sentOrders.release(digests.content)
    }
    throw error
  }
}

const OTHER =
  'Another order was sent with this client_order_id within a day. Make the look_up; take a new id for a new order.'
const SENT_BEFORE =
  'This order was sent before and does not show yet: make the look_up, or wait_for until=order_seen. After may_arrive_until (ms) it never arrived: send it with a new id then, not before.'

type Digests = { readonly id: string; readonly content: string }

function digestsOf({ credentials }: SignedContext, order: SendingOrder): Digests {
  const { accountId, key } = credentials
  const id = digest(['agent order', accountId, key, order.clientOrderId])
  return { id, content: digest([id, order.content]) }
}

function digest(parts: readonly string[]): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** The content is claimed before the id, so that a process that dies between leaves no id without its content. */
async function reserve({ sentOrders, clock }: SignedContext, { id, content }: Digests) {
  const nowMs = clock.nowMs()
  const claim = (identity: string) => {
    const times = { sinceMs: nowMs - DAY_MS, expiresAtMs: nowMs + DAY_MS }
    return sentOrders.claim({ identity, ...times }, nowMs)
  }
  if (!(await claim(content))) return 'equal'
  if (await claim(id)) return 'new'
  await sentOrders.release(content)
  return 'other'
}

async function resultOfFirst(
  context: SignedContext,
  order: SendingOrder,
  id: string,
): Promise<Row> {
  const { clientOrderId: client_order_id, symbol } = order
  const row = await orderByClientId(context, client_order_id, symbol)
  if (!row)
    throw refusal('outcome_unknown', {
      ...named(order),
      may_arrive_until: await lastArrivalMs(context, id),
      next: SENT_BEFORE,
    })
  const { order_id, type, price, quantity } = row
  const first = { order_id, order_type: type, order_price: price ?? null, order_quantity: quantity }
  return { ...first, client_order_id, repeated: true }
}

/** Until when the first order can arrive, counted from its claim. */
async function lastArrivalMs({ sentOrders, clock }: SignedContext, id: string): Promise<number> {
  const expiresAtMs = await sentOrders.find(id)
  const sentMs = expiresAtMs === null ? clock.nowMs() : expiresAtMs - DAY_MS
  return sentMs + LIMITS.signatureAgeMaxMs
}

function named({ clientOrderId, lookUp }: SendingOrder) {
  return { parameter: 'client_order_id', client_order_id: clientOrderId, look_up: lookUp }
}

import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { ClaimedUse, StoredClaim } from '../../core/claim.ts'
import { sha256Hex } from '../../core/digest.ts'
import { toHex } from '../../core/hex.ts'
import { isObject, type Row } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { rowOrderId } from '../../core/order-fills.ts'
import { product, toAmount, toUsdcNumber } from '../../perp/amounts.ts'
import { accountRead, type OutcomeLookUp } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { claimedUse, isOutcomeUnknown, type TimedWrite } from '../limits/spending.ts'
import { toolRefusal } from '../refusal.ts'
import type { SignedContext, ToolFailure } from '../tool.ts'
import { cleanedPayload } from '../untrusted-text.ts'
import { orderByClientId } from './look-up.ts'

/** An order that is about to be sent. */
export type SendingOrder = {
  readonly clientOrderId: string
  /** Whether the id was generated for this order, so that no earlier order can have it. */
  readonly isNewId: boolean
  readonly symbol: string
  /**
   * The path that places the order. With `/{id}` appended, the path reads one order; with `s` appended, the newest
   * orders.
   */
  readonly path: '/v1/order' | '/v1/algo/order'
  /** The text that identifies the order's content; only its digest is stored. */
  readonly content: string
  readonly lookUp: OutcomeLookUp
}

type NewOrder = Pick<SendingOrder, 'symbol' | 'path'> & {
  /** The caller's own client_order_id. */
  readonly id?: string | undefined
  readonly content: (clientOrderId: string) => string
}

const ID_BYTES = 12

/** An order with the look-up call for a lost answer. Without a caller's id, the order gets a new random id. */
export function newSendingOrder(
  { random }: SignedContext,
  { id, symbol, path, content }: NewOrder,
): SendingOrder {
  const clientOrderId = id ?? `agent-${toHex(random.bytes(ID_BYTES))}`
  const lookUp = {
    tool: 'list_orders',
    arguments: { client_order_id: clientOrderId, symbol },
  }
  const isNewId = id === undefined
  return { clientOrderId, isNewId, symbol, path, content: content(clientOrderId), lookUp }
}

/**
 * Sends an order at most once per client_order_id, account and key within a day. If the same order is sent again,
 * returns the first result, or throws outcome_unknown, which names the tool call that looks up the order. Throws
 * duplicate_request for a different order with the same id. The id is stored durably before sending, and released if
 * the order certainly had no effect. The limit reservation (`claimedUse`) is stored together with the id.
 */
export async function sendOnce(
  context: SignedContext,
  order: SendingOrder,
  valued: TimedWrite,
  send: () => Promise<Row>,
): Promise<Row> {
  const { sentOrders, clock } = context
  const identity = orderIdentity(context, order)
  const nowMs = clock.nowMs()
  const claim = {
    identity,
    sinceMs: order.isNewId ? nowMs : nowMs - DAY_MS,
    expiresAtMs: nowMs + DAY_MS,
    record: recordText(order, 'SENT'),
    owner: context.credentials.accountId.toLowerCase(),
    isReducing: () => valued.spending.kind === 'reduces',
  }
  const use = await claimedUse(context, valued, identity)
  if (!(await sentOrders.claim(claim, nowMs, use)))
    return firstResult(context, order, await sentOrders.find(identity))
  try {
    const result = await send()
    await storeOrderId(context, order, result['order_id'])
    if (use) await storeReservedOrderId(context, order, use, result)
    return result
  } catch (error) {
    if (!isOutcomeUnknown(error)) await sentOrders.release(identity)
    throw error
  }
}

/** The result of an order that was sent earlier with this id; null without such an order. Throws like `sendOnce`. */
export async function readEarlierResult(
  context: SignedContext,
  order: SendingOrder,
): Promise<Row | null> {
  if (order.isNewId) return null
  const claim = await context.sentOrders.find(orderIdentity(context, order))
  if (!claim || claim.expiresAtMs <= context.clock.nowMs()) return null
  return firstResult(context, order, claim)
}

const OTHER_ORDER_STEP =
  'Another order was sent with this client_order_id within a day. Make the look_up; take a new id for a new order.'
const SENT_BEFORE =
  'An order may have been sent before with this client_order_id, and does not show yet: make the look_up, or wait_for until=order_seen. After may_arrive_until (ms) it did not arrive: send it with a new id only then.'
const RECORD_LOST =
  'The record of sent orders was lost within the last day, so an order with this client_order_id may have been sent before. Until a day after the loss no client_order_id of your own is accepted. Make the look_up, or wait_for until=order_seen. If nothing shows after may_arrive_until (ms), send the order without client_order_id.'
const RECORD_PUT_BACK =
  'Nothing was sent: the record of sent orders was lost minutes ago, and orders are accepted again five minutes after that. Call again then.'

function orderIdentity(
  { credentials }: SignedContext,
  { clientOrderId }: Pick<SendingOrder, 'clientOrderId'>,
): string {
  const { accountId, key } = credentials
  return sha256Hex(JSON.stringify(['agent order', accountId, key, clientOrderId]))
}

/** The stored record of an order: the digest of its content, its status, and the order id once accepted. */
function recordText({ content }: SendingOrder, status: 'SENT' | 'ACCEPTED', orderId = ''): string {
  return `${sha256Hex(content)} ${status} ${orderId}`
}

/** Stores the order id. Without it, a repeat searches the order by its client_order_id. */
async function storeOrderId(
  context: SignedContext,
  order: SendingOrder,
  orderId: unknown,
): Promise<void> {
  if (!Number.isSafeInteger(orderId)) return
  const record = recordText(order, 'ACCEPTED', String(orderId))
  await context.sentOrders.settle(orderIdentity(context, order), record)
}

/**
 * Stores the order's id with its limit reservation. The id leads to the order's fills. A conditional order has no
 * fills, so null is stored.
 */
async function storeReservedOrderId(
  { spending, clock }: SignedContext,
  { path }: SendingOrder,
  { reservation }: ClaimedUse,
  result: Row,
): Promise<void> {
  const orderId = path === '/v1/order' ? rowOrderId(result) : null
  await spending.settle(reservation, clock.nowMs(), [{ orderId, isRefused: false }])
}

// The order was sent; a failed read only leaves its state unknown.
const NULL_ON_FAILURE = defaultOnFailure('mcp', null, ClientFailure)

async function rowOfClientId(
  context: SignedContext,
  { clientOrderId, symbol }: SendingOrder,
): Promise<Row | null> {
  const found = await orderByClientId(context, clientOrderId, symbol).catch(NULL_ON_FAILURE)
  return found?.row ?? null
}

async function firstResult(
  context: SignedContext,
  order: SendingOrder,
  claim: StoredClaim | null,
): Promise<Row> {
  const { clientOrderId: client_order_id, path, content, lookUp } = order
  const named = { parameter: 'client_order_id', client_order_id, look_up: lookUp }
  const [firstContent, , orderId] = claim?.record?.split(' ') ?? []
  if (firstContent !== undefined && firstContent !== sha256Hex(content))
    throw toolRefusal('duplicate_request', { ...named, next: OTHER_ORDER_STEP })
  const isKnown = orderId !== undefined && orderId !== ''
  const row = await (isKnown
    ? accountRead(context, `${path}/${orderId}`).catch(NULL_ON_FAILURE)
    : rowOfClientId(context, order))
  const repeated = { client_order_id, repeated: true }
  if (isObject(row)) {
    const first = resultOfRow(row)
    if (!isKnown) await storeOrderId(context, order, first.order_id)
    return Object.assign({}, cleanedPayload(first), repeated)
  }
  if (isKnown) return { order_id: Number(orderId), ...repeated }
  throw neverSeen(context, order, claim)
}

function neverSeen(
  context: SignedContext,
  { clientOrderId: client_order_id, isNewId, lookUp }: SendingOrder,
  claim: StoredClaim | null,
): ToolFailure {
  if (claim === null && isNewId) return toolRefusal('store_unavailable', { next: RECORD_PUT_BACK })
  return toolRefusal('outcome_unknown', {
    ...{ parameter: 'client_order_id', client_order_id, look_up: lookUp },
    may_arrive_until: lastArrivalMs(context, claim),
    next: claim === null ? RECORD_LOST : SENT_BEFORE,
  })
}

/** The result of an order, from the venue's row of the order. */
function resultOfRow(row: Row) {
  if ('algo_order_id' in row) {
    return {
      order_id: row['algo_order_id'],
      algo_type: row['algo_type'],
      algo_status: row['algo_status'],
      quantity: row['quantity'],
    }
  }
  return {
    order_id: row['order_id'],
    order_type: row['type'],
    order_price: row['price'] ?? null,
    order_quantity: row['quantity'],
    value_usdc: orderValue(row),
  }
}

/** The order's value in USDC at its own price, or at the average price of its fills; null without both prices. */
function orderValue(row: Row): number | null {
  const quantity = toAmount(row['quantity'])
  const price = toAmount(row['price'] ?? row['average_executed_price'])
  return quantity === null || price === null ? null : toUsdcNumber(product(quantity, price))
}

/** Maximum time from an order's claim to its signature. */
const SIGNED_WITHIN_MS = MINUTE_MS / 6

/**
 * The latest Unix ms at which an order sent with this id within a day may still arrive; null if the id has no claim.
 */
export async function mayArriveUntilMs(
  context: SignedContext,
  clientOrderId: string,
): Promise<number | null> {
  const claim = await context.sentOrders.find(orderIdentity(context, { clientOrderId }))
  return claim ? lastArrivalMs(context, claim) : null
}

/**
 * The latest Unix ms at which the first order with an id may arrive: counted from its claim, or from now without a
 * claim.
 */
function lastArrivalMs({ clock }: SignedContext, claim: StoredClaim | null): number {
  const claimedMs = claim === null ? clock.nowMs() : claim.expiresAtMs - DAY_MS
  return claimedMs + SIGNED_WITHIN_MS + LIMITS.signatureAgeMaxMs
}

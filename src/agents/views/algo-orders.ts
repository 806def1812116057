import { isObject, pick, type Row, rowsAt } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import type { SignedContext } from '../tool.ts'
import { cleanedPayload } from '../untrusted-text.ts'

// biome-ignore format: read as a list
const FIELDS = [
  'algo_order_id', 'client_order_id', 'symbol', 'side', 'algo_type', 'type', 'algo_status', 'trigger_price', 'price',
  'quantity', 'callback_rate', 'reduce_only', 'is_triggered', 'created_time',
] as const

/**
 * A conditional order in the form of answers. Empty fields are left out. A field of a leg is also left out if it equals
 * the parent's field.
 */
export function shownAlgoOrder(row: Row, parent: Row | null = null): Row {
  const legs = rowsAt(row, 'child_orders').map((leg) => shownAlgoOrder(leg, row))
  const own = Object.entries(pick(row, FIELDS)).filter(([name, value]) => {
    if (parent === null) return name === 'quantity' || !EMPTY_VALUES.has(value)
    return !EMPTY_VALUES.has(value) && (OF_EACH_LEG.has(name) || value !== parent[name])
  })
  const shown = Object.assign({}, cleanedPayload(Object.fromEntries(own)))
  return legs.length > 0 ? { ...shown, child_orders: legs } : shown
}

const OF_EACH_LEG: ReadonlySet<string> = new Set(['algo_order_id', 'side', 'reduce_only'])
const EMPTY_VALUES: ReadonlySet<unknown> = new Set([null, undefined, '', 0])

/** An order followed by all its legs. */
export function orderWithLegs(row: Row): readonly Row[] {
  return [row, ...rowsAt(row, 'child_orders').flatMap(orderWithLegs)]
}

const WAITING_STATUSES: ReadonlySet<unknown> = new Set(['NEW', 'PARTIAL_FILLED', 'INCOMPLETE'])

/** Whether an order or leg still waits for its trigger. */
export function isWaiting({ algo_status, is_triggered }: Row): boolean {
  return WAITING_STATUSES.has(algo_status) && String(is_triggered) !== 'true'
}

const OPEN_MAX = 100

/**
 * Reads the open conditional orders of one or all markets, newest first. Throws not_found at a venue without
 * conditional orders.
 */
export async function openAlgos(
  context: SignedContext,
  symbol: string | undefined,
): Promise<readonly Row[]> {
  const query = { status: 'INCOMPLETE', symbol, page: 1, size: OPEN_MAX }
  return rowsAt(await accountRead(context, '/v1/algo/orders', query), 'rows')
}

/** Reads the open conditional orders and legs with a trigger, as short rows; null if unreadable. */
export async function waitingTriggers(
  context: SignedContext,
  symbol: string | undefined,
): Promise<readonly Row[] | null> {
  const open = await openAlgos(context, symbol).catch(defaultOnFailure('mcp', null, ClientFailure))
  return open === null ? null : open.flatMap(orderWithLegs).filter(hasTrigger).map(triggerShown)
}

function hasTrigger(part: Row): boolean {
  const follows = Number(part['trigger_price']) > 0 || Number(part['callback_rate']) > 0
  return follows && isWaiting(part)
}

/** The id, type and trigger of an order or leg. */
export function triggerShown(part: Row): Row {
  const { algo_order_id, algo_type, trigger_price, callback_rate } = part
  const distance = Number(callback_rate) > 0 ? { callback_rate } : { trigger_price }
  return Object.assign({}, cleanedPayload({ algo_order_id, algo_type, ...distance }))
}

/** Reads the root order of an order or leg, with all its legs; null if the venue has no order with this id. */
export async function readAlgoTree(context: SignedContext, id: number): Promise<Row | null> {
  const row = await accountRead(context, `/v1/algo/order/${id}`).catch(nullIfAbsent)
  if (!isObject(row)) return null
  const root = row['root_algo_order_id']
  if (typeof root !== 'number' || root === 0 || root === id) return row
  const whole = await accountRead(context, `/v1/algo/order/${root}`)
  return isObject(whole) ? whole : null
}

function nullIfAbsent(error: unknown): null {
  if (error instanceof ClientFailure && error.code === 'not_found') return null
  throw error
}

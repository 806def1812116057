import { MINUTE_MS } from '../../contract/durations.ts'
import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { hasEnded } from '../../core/order-fills.ts'
import { accountRead } from '../account-call.ts'
import { orderByClientId } from '../orders/look-up.ts'
import { toToolFailure } from '../refusal.ts'
import { figure } from '../rows.ts'
import type { SignedContext, ToolContext } from '../tool.ts'
import { signedContext } from '../tool-kinds.ts'
import { readAlgoTree } from '../views/algo-orders.ts'
import { bookTimeMs, liveOrPolled, polled } from '../views/current.ts'

/** The conditions that can end a wait. */
// biome-ignore format: read as a list
export const WAIT_CONDITION_NAMES = [
  'price_above', 'price_below', 'funding_above', 'funding_below', 'candle_close', 'order_seen', 'order_done',
  'position_closed',
] as const

type Until = (typeof WAIT_CONDITION_NAMES)[number]

/** The arguments of `wait_for` that conditions use. */
export type WaitTarget = {
  readonly symbol: string
  readonly value: number | undefined
  readonly order_id: number | undefined
  readonly client_order_id: string | undefined
}

/** An observation. `met`: whether it meets the condition. */
export type WaitLook = { readonly observed: unknown; readonly met: boolean }

/** A condition. `needs` names a required argument; `watch` yields observations. */
export type WaitCondition = {
  readonly needs?: 'value' | 'order_id'
  readonly watch: (
    context: ToolContext,
    wanted: WaitTarget,
    signal: AbortSignal,
  ) => AsyncGenerator<WaitLook>
}

/** The implementation of each condition. */
export const WAIT_CONDITIONS: Readonly<Record<Until, WaitCondition>> = {
  price_above: numberCondition('mark', 'mark_price', (now, value) => now > value),
  price_below: numberCondition('mark', 'mark_price', (now, value) => now < value),
  funding_above: numberCondition('funding', 'est_funding_rate', (now, value) => now > value),
  funding_below: numberCondition('funding', 'est_funding_rate', (now, value) => now < value),
  candle_close: { watch: watchCandles },
  order_seen: orderCondition(() => true, 'not_yet'),
  order_done: orderCondition((order) => hasEnded(order['status']), 'not_found'),
  position_closed: { watch: watchPosition },
}

type FieldRead = (context: ToolContext, symbol: string) => () => Promise<unknown>

/** Polled reads that replace live topics if the service has no live data. */
const READS: Readonly<Record<'mark' | 'funding', FieldRead>> = {
  mark:
    ({ client }, symbol) =>
    async () => {
      const rows = rowsAt(await client.get('/api/prep/markets'), 'markets')
      return rows.find((row) => row['symbol'] === symbol)
    },
  funding:
    ({ client }, symbol) =>
    () =>
      client.get('/api/prep/funding', { symbol }),
}

/** Watches one number of a public topic. */
function numberCondition(
  topic: 'mark' | 'funding',
  field: string,
  passes: (now: number, value: number) => boolean,
): WaitCondition {
  return {
    needs: 'value',
    watch: async function* watch(context, { symbol, value = 0 }, signal) {
      const read = READS[topic](context, symbol)
      for await (const data of liveOrPolled(context, `${topic}:${symbol}`, read, signal)) {
        const now = isObject(data) ? data[field] : undefined
        if (typeof now === 'number') yield { observed: now, met: passes(now, value) }
      }
    },
  }
}

/** Watches for the first candle that closes after the call. A candle counts as closed once a newer one exists. */
async function* watchCandles(
  context: ToolContext,
  { symbol }: WaitTarget,
  signal: AbortSignal,
): AsyncGenerator<WaitLook> {
  const calledMs = await bookTimeMs(context, symbol)
  const read = () => context.client.get('/api/prep/candles', { symbol, interval: '1m', limit: '2' })
  let newest: Row | undefined
  for await (const data of liveOrPolled(context, `candles:${symbol}:1m`, read, signal)) {
    for (const row of rowsAt(data, 'rows')) {
      const hasClosed = newest !== undefined && startMs(row) > startMs(newest)
      if (hasClosed && startMs(newest) + MINUTE_MS > calledMs) yield { observed: newest, met: true }
      newest = row
    }
    yield { observed: newest ?? null, met: false }
  }
}

function startMs(candle: Row | undefined): number {
  return figure(candle, 'timestamp')
}

/** Watches one order until `passes` is true. `absent` says how to treat an order_id that the venue does not know. */
function orderCondition(
  passes: (order: Row) => boolean,
  absent: 'not_yet' | 'not_found',
): WaitCondition {
  return {
    needs: 'order_id',
    watch: async function* watch(context, wanted, signal) {
      const own = signedContext(context)
      const read = () =>
        readOrder(own, wanted).catch((error: unknown) => nullIfAbsent(error, absent))
      for await (const order of polled(own, read, signal)) {
        yield { observed: order, met: order !== null && passes(order) }
      }
    },
  }
}

/** Reads an ordinary or conditional order with its status; null if it is not found. */
async function readOrder(own: SignedContext, { symbol, order_id, client_order_id }: WaitTarget) {
  if (client_order_id !== undefined)
    return withStatus((await orderByClientId(own, client_order_id, symbol)).row)
  const order = await accountRead(own, `/v1/order/${order_id}`).catch(async (error: unknown) => {
    const { code } = toToolFailure(error)
    const conditional = code === 'not_found' ? await readAlgoTree(own, Number(order_id)) : null
    if (conditional) return conditional
    throw error
  })
  return withStatus(order)
}

function withStatus(order: unknown): Row | null {
  return isObject(order) ? { status: order['algo_status'], ...order } : null
}

function nullIfAbsent(error: unknown, absent: 'not_yet' | 'not_found'): null {
  if (absent === 'not_yet' && toToolFailure(error).code === 'not_found') return null
  throw error
}

async function* watchPosition(
  context: ToolContext,
  { symbol }: WaitTarget,
  signal: AbortSignal,
): AsyncGenerator<WaitLook> {
  const own = signedContext(context)
  const read = async () => {
    const rows = rowsAt(await accountRead(own, '/v1/positions'), 'rows')
    const inMarket = rows.filter((row) => row['symbol'] === symbol)
    // A market may have a position of each margin mode.
    return inMarket.find((row) => figure(row, 'position_qty') !== 0) ?? inMarket[0] ?? null
  }
  for await (const position of polled(own, read, signal)) {
    yield { observed: position, met: position === null || figure(position, 'position_qty') === 0 }
  }
}

import { SECOND_MS } from '../../contract/durations.ts'
import type { BaselineName } from '../../contract/venue/evaluated-agent.ts'
import { isObject, rowsAt } from '../../core/json.ts'
import { createRng, nextRandom, type Rng } from '../../simulator/base/rng.ts'
import type { CallTool } from './caller.ts'
import type { Evaluation } from './evaluation.ts'
import type { RunTime } from './time.ts'

type BaselineOptions = {
  readonly call: CallTool
  readonly evaluation: Evaluation
  readonly seed: number
  readonly time: Pick<RunTime, 'leftMs'>
}

/** Acts once per step in each market. */
type Act = (parts: BaselineOptions, symbol: string, memory: Memory) => Promise<void>

/** A baseline's memory of one market. */
type Memory = { readonly prices: number[]; readonly rng: Rng; quantity: number }

/** Value of one order, as a share of the starting balance. */
const ORDER_SHARE = 0.05
/** Number of steps in the window of the momentum agent. */
const LOOK_BACK = 30
/** Probability of a trade of the random agent per step. */
const TRADE_PROBABILITY = 0.1
/** Distance of the maker's quotes from the mark price, as a share of that price. */
const QUOTE_DISTANCE = 0.0005
const MICROS = 1_000_000
/** The share of a limit that an order uses. It stays below 1, because limits count the worst possible price. */
const LIMIT_SHARE = 0.9
/** Minimum value of an order. */
const ORDER_MIN_USDC = 25
/** Limits on the value of an order, and limits that forbid opening orders. */
const VALUE_LIMITS: ReadonlySet<unknown> = new Set([
  'max_order_usdc',
  'max_daily_usdc',
  'max_position_usdc',
])
const CLOSING_LIMITS: ReadonlySet<unknown> = new Set(['read_only', 'reduce_only'])

const ACTS: Readonly<Record<BaselineName, Act>> = {
  hold: actAsHolder,
  random: actAtRandom,
  momentum: actOnMomentum,
  maker: actAsMaker,
}

/** Runs a built-in agent through the same tools as any other agent. */
export async function runBaseline(name: BaselineName, parts: BaselineOptions): Promise<void> {
  const { evaluation, seed, time, call } = parts
  const memories = evaluation.markets.map((symbol) => ({
    symbol,
    memory: { prices: [], rng: createRng(seed, 'baseline', name, symbol), quantity: 0 } as Memory,
  }))
  const seconds = Math.ceil(evaluation.stepMs / SECOND_MS)
  while (time.leftMs() > 0) {
    for (const { symbol, memory } of memories) await ACTS[name](parts, symbol, memory)
    const { failed } = await call('advance_clock', { seconds })
    if (failed !== null) throw new Error(`time does not pass: ${failed}`)
  }
}

/** Buys once and holds the position. */
async function actAsHolder(parts: BaselineOptions, symbol: string, memory: Memory): Promise<void> {
  if (memory.quantity > 0) return
  const isPlaced = await trade(parts, symbol, 'BUY', 1 / parts.evaluation.markets.length)
  if (isPlaced) memory.quantity = 1
}

/** At random steps, buys or sells at random. */
async function actAtRandom(parts: BaselineOptions, symbol: string, { rng }: Memory): Promise<void> {
  if (nextRandom(rng) >= TRADE_PROBABILITY) return
  await trade(parts, symbol, nextRandom(rng) < 0.5 ? 'BUY' : 'SELL', ORDER_SHARE)
}

/** Holds a position in the direction of the price change over the window. */
async function actOnMomentum(
  parts: BaselineOptions,
  symbol: string,
  memory: Memory,
): Promise<void> {
  const price = await markPrice(parts, symbol)
  const { prices } = memory
  prices.push(price)
  const before = prices.length > LOOK_BACK ? prices.shift() : undefined
  if (before === undefined || before === price) return
  const side = price > before ? 1 : -1
  if (memory.quantity === side) return
  const turns = memory.quantity === 0 ? 1 : 2
  const isPlaced = await trade(parts, symbol, side === 1 ? 'BUY' : 'SELL', ORDER_SHARE * turns)
  if (isPlaced) memory.quantity = side
}

/** Quotes both sides of the mark price, renewed each step. */
async function actAsMaker(parts: BaselineOptions, symbol: string): Promise<void> {
  const { call, evaluation } = parts
  await call('cancel_all_orders', { symbol })
  const market = await readMarket(parts, symbol)
  const mark = numberAt(market, 'market', 'mark_price')
  const tick = numberAt(market, 'rules', 'quote_tick')
  const base = numberAt(market, 'rules', 'base_tick')
  for (const [side, way] of [
    ['BUY', -1],
    ['SELL', 1],
  ] as const) {
    const usdc = await allowedUsdc(parts, (Number(evaluation.usdcMicros) / MICROS) * ORDER_SHARE)
    if (usdc < ORDER_MIN_USDC) continue
    const order_quantity = rounded(usdc / mark, base)
    const order_price = rounded(mark * (1 + way * QUOTE_DISTANCE), tick)
    await call('place_order', {
      symbol,
      side,
      order_type: 'POST_ONLY',
      order_price,
      order_quantity,
    })
  }
}

/** Places a market order. Returns whether the venue accepted it; looks the order up if the answer was lost. */
async function trade(
  parts: BaselineOptions,
  symbol: string,
  side: 'BUY' | 'SELL',
  share: number,
): Promise<boolean> {
  const { call, evaluation } = parts
  const wanted = (Number(evaluation.usdcMicros) / MICROS) * share
  const usdc = Math.floor(await allowedUsdc(parts, wanted))
  if (usdc < ORDER_MIN_USDC) return false
  const order = { symbol, side, order_type: 'MARKET', order_amount: usdc }
  const { value, failed } = await call('place_order', order)
  return failed === 'outcome_unknown' ? isFound(call, value) : failed === null
}

/** The wanted USDC, reduced to the amount that the evaluation's limits allow for one order now. */
async function allowedUsdc({ call, evaluation }: BaselineOptions, wanted: number): Promise<number> {
  if (Object.keys(evaluation.limits).length === 0) return wanted
  const { value } = await call('get_limits')
  const left = rowsAt(value, 'limits').map((row) => {
    if (CLOSING_LIMITS.has(row['limit'])) return 0
    const most = Number(row['left'] ?? row['max'])
    if (VALUE_LIMITS.has(row['limit'])) return most * LIMIT_SHARE
    return row['limit'] === 'max_orders_per_minute' && most < 1 ? 0 : wanted
  })
  return Math.min(wanted, ...left)
}

/** Looks up an order whose answer was lost. Returns whether it exists. */
async function isFound(call: CallTool, lost: unknown): Promise<boolean> {
  const meta = isObject(lost) ? lost['meta'] : undefined
  const lookUp = isObject(meta) ? meta['look_up'] : undefined
  if (!isObject(lookUp) || !isObject(lookUp['arguments'])) return false
  const { value } = await call(String(lookUp['tool']), lookUp['arguments'])
  return isObject(value) && Array.isArray(value['orders']) && value['orders'].length > 0
}

async function markPrice(parts: BaselineOptions, symbol: string): Promise<number> {
  return numberAt(await readMarket(parts, symbol), 'market', 'mark_price')
}

async function readMarket({ call }: BaselineOptions, symbol: string): Promise<unknown> {
  return (await call('get_market', { symbol })).value
}

function numberAt(answer: unknown, part: string, name: string): number {
  const held = isObject(answer) ? answer[part] : undefined
  return isObject(held) ? Number(held[name]) : Number.NaN
}

/** The nearest multiple of a tick, with the tick's number of decimals. */
function rounded(value: number, tick: number): number {
  const decimals = (String(tick).split('.')[1] ?? '').length
  return Number((Math.round(value / tick) * tick).toFixed(decimals))
}

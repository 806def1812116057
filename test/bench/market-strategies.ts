import type { Rng } from '../../src/simulator/base/rng.ts'
import { nextRandom } from '../../src/simulator/base/rng.ts'
import { cancel } from '../../src/simulator/book/open-orders.ts'
import { placeOrder } from '../../src/simulator/orders/place.ts'
import { type OrderRequest, PLAIN_ORDER } from '../../src/simulator/orders/request.ts'
import {
  type Account,
  BUY,
  type EngineOrder,
  SELL,
  type SideSign,
} from '../../src/simulator/state/state.ts'
import type { EngineWorld, Scene } from '../../src/simulator/state/world.ts'

/** Simple strategies that must not earn in a simulated order flow. Each trades one unit at a time. */

const SECONDS_A_DAY = 86_400
const UNITS_MAX = 10

/** A strategy's account in one market, and what it remembers. */
export type Bot = {
  readonly world: EngineWorld
  readonly scene: Scene
  readonly account: Account
  readonly rng: Rng
  readonly orders: EngineOrder[]
  readonly seen: number[]
  /** Micro-USDC of the largest position it has held. */
  capital: number
}

/** What a bot does once a second. */
type Strategy = (bot: Bot, second: number) => void

export const STRATEGIES: Readonly<Record<string, Strategy>> = {
  'index arbitrage': (bot) => arbitrageIndex(bot, 0.0006),
  'under the index, closed at it': (bot) => besideIndex(bot, 0.0003, 0),
  'far under the index, closed at it': (bot) => besideIndex(bot, 0.001, 0),
  'quotes at the index and 5 bp': (bot) => quoteIndex(bot, 0.0005),
  'quotes at the index and 20 bp': (bot) => quoteIndex(bot, 0.002),
  'joins the best prices': joinBest,
  'momentum of five minutes': (bot, second) => follow(bot, second, 300, 1),
  'momentum of an hour': (bot, second) => follow(bot, second, 3600, 1),
  'mean reversion of five minutes': (bot, second) => follow(bot, second, 300, -1),
  'mean reversion of an hour': (bot, second) => follow(bot, second, 3600, -1),
  grid: (bot, second) => second % 60 === 0 && quoteLevels(bot, [0.001, 0.002, 0.003]),
  random: (bot, second) => second % 600 === 0 && turn(bot, nextRandom(bot.rng) < 0.5 ? BUY : SELL),
  'pings and dumps': pingAndDump,
  'with the last trades': withFlow,
}

/** Its position in steps. */
export function held({ account, scene }: Bot): number {
  return account.marketAccounts.get(scene.market.number)?.quantity ?? 0
}

function unitOf({ scene }: Bot): number {
  return Math.max(1, Math.round(scene.flow?.unitSteps ?? 1))
}

function send(
  bot: Bot,
  order: Partial<OrderRequest> & { readonly side: SideSign; readonly quantity: number },
): EngineOrder | null {
  const { world, scene, account } = bot
  const placed = placeOrder(
    world.exchange,
    { ...PLAIN_ORDER, account, market: scene.market, ...order },
    world.nowMs,
  )
  return 'id' in placed ? placed : null
}

function take(bot: Bot, side: SideSign, quantity: number): void {
  if (quantity >= 1) send(bot, { side, quantity: Math.round(quantity), type: 'MARKET' })
}

function rest(bot: Bot, side: SideSign, price: number, quantity: number): void {
  const order = send(bot, {
    side,
    quantity,
    type: 'POST_ONLY',
    price: Math.max(1, Math.round(price)),
  })
  if (order?.level) bot.orders.push(order)
}

function withdrawAll(bot: Bot): void {
  for (const order of bot.orders)
    if (order.level) cancel(bot.world.exchange, order, bot.world.nowMs)
  bot.orders.length = 0
}

function mayAdd(bot: Bot, side: SideSign): boolean {
  return side * held(bot) < UNITS_MAX * unitOf(bot)
}

/** Brings the position to one unit of a side. */
function turn(bot: Bot, side: SideSign): void {
  take(bot, side, side * (side * unitOf(bot) - held(bot)))
}

function close(bot: Bot): void {
  const position = held(bot)
  take(bot, position > 0 ? SELL : BUY, Math.abs(position))
}

function arbitrageIndex(bot: Bot, edge: number): void {
  const { scene } = bot
  const { bids, asks } = scene.market.book
  if (asks.best && asks.best.price < scene.index * (1 - edge) && mayAdd(bot, BUY))
    take(bot, BUY, unitOf(bot))
  else if (bids.best && bids.best.price > scene.index * (1 + edge) && mayAdd(bot, SELL))
    take(bot, SELL, unitOf(bot))
  else if (held(bot) > 0 && (bids.best?.price ?? 0) >= scene.index) close(bot)
  else if (held(bot) < 0 && (asks.best?.price ?? Number.POSITIVE_INFINITY) <= scene.index)
    close(bot)
}

function besideIndex(bot: Bot, distance: number, closes: number): void {
  const position = held(bot)
  withdrawAll(bot)
  const { index } = bot.scene
  if (position === 0) {
    rest(bot, BUY, index * (1 - distance), unitOf(bot))
    rest(bot, SELL, index * (1 + distance), unitOf(bot))
  } else
    rest(
      bot,
      position > 0 ? SELL : BUY,
      index * (1 + Math.sign(position) * closes),
      Math.abs(position),
    )
}

function quoteIndex(bot: Bot, distance: number): void {
  quoteLevels(bot, [distance])
}

function quoteLevels(bot: Bot, distances: readonly number[]): void {
  withdrawAll(bot)
  for (const side of [BUY, SELL] as const)
    for (const distance of distances)
      if (mayAdd(bot, side)) rest(bot, side, bot.scene.index * (1 - side * distance), unitOf(bot))
}

function joinBest(bot: Bot): void {
  withdrawAll(bot)
  const { bids, asks } = bot.scene.market.book
  if (bids.best && mayAdd(bot, BUY)) rest(bot, BUY, bids.best.price, unitOf(bot))
  if (asks.best && mayAdd(bot, SELL)) rest(bot, SELL, asks.best.price, unitOf(bot))
}

function follow(bot: Bot, second: number, span: number, sign: 1 | -1): void {
  const { seen, scene } = bot
  if (second % 10 !== 0) return
  seen.push(scene.index)
  if (seen.length <= span / 10) return
  const before = seen.shift() ?? scene.index
  const move = scene.index / before - 1
  const usual = 0.024 * Math.sqrt(span / SECONDS_A_DAY)
  if (Math.abs(move) > usual) turn(bot, sign * move > 0 ? BUY : SELL)
  else if (held(bot) !== 0 && Math.abs(move) < usual / 4) close(bot)
}

/** Pushes makers with many small orders, sells to them what it bought before, and the other way round. */
function pingAndDump(bot: Bot, second: number): void {
  const phase = second % 120
  const side: SideSign = Math.floor(second / 120) % 2 === 0 ? BUY : SELL
  const { spec, mark } = bot.scene.market
  const least = Math.ceil((1.05 * spec.notionalMin) / (mark * spec.unit))
  if (phase === 0) take(bot, side, 5 * unitOf(bot))
  else if (phase >= 60 && phase < 90) take(bot, side, least)
  else if (phase === 90) close(bot)
}

/** Goes with the sign of the last trades, for half a minute. */
function withFlow(bot: Bot, second: number): void {
  if (second % 30 !== 0) return
  const { trades } = bot.scene.history
  const sign = trades.slice(-8).reduce((sum, { side }) => sum + side, 0)
  if (Math.abs(sign) >= 4) turn(bot, sign > 0 ? BUY : SELL)
  else close(bot)
}

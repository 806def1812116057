import fc from 'fast-check'
import type { Row } from '../../src/core/json.ts'
import { accountAfter } from '../../src/perp/account-after.ts'
import { amountNumber, toAmount } from '../../src/perp/amounts.ts'
import { parseBook } from '../../src/perp/book.ts'
import { estimatedFees } from '../../src/perp/fee-rates.ts'
import { type OrderAccount, toMarginAccount } from '../../src/perp/margin-account.ts'
import { type MarketRules, toMarketRules } from '../../src/perp/market-rules.ts'
import type { MarketNow, Order } from '../../src/perp/order-match.ts'
import { preTradeCheck } from '../../src/perp/pre-trade-check.ts'
import type { Market } from '../../src/simulator/listing/instruments.ts'
import { openVenueFixture, type Trader, type VenueFixture } from '../simulator/fixture.ts'
import { FOUR_LISTED, OPENING } from '../simulator/past/small-feed.ts'
import { CASE, type Case, mayMeetOwn, PER_UNIT, SYMBOLS, toBody, toOrder } from './oracle-orders.ts'

/** An account meets so many orders before the next one is opened. */
const ORDERS_PER_ACCOUNT = 40
/** A world slows down with its history. */
const ORDERS_PER_WORLD = 2000
/** The venue rounds each fill, and each figure of each market, to a micro-USDC. */
const USDC_TOLERANCE = 0.0005
const LIQUIDATION_TOLERANCE = 2e-4

/** What a run has compared, and each difference as a sentence. */
export type Comparison = {
  readonly compared: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly differences: readonly string[]
}

/**
 * Asks the calculator about random orders of random accounts, sends them to the simulated exchange, and compares what
 * happened: whether the order was accepted or which rule refused it, its fill, and the account afterwards.
 */
export async function compareWithVenue(count: number, seed: number): Promise<Comparison> {
  const outcomes: Record<string, number> = {}
  const differences: string[] = []
  for (let from = 0; from < count; from += ORDERS_PER_WORLD) {
    const numRuns = Math.min(ORDERS_PER_WORLD, count - from)
    for await (const { outcome, found } of inOneWorld(
      fc.sample(CASE, { seed: seed + from, numRuns }),
    )) {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      differences.push(...found.map((text) => `seed ${seed + from}, order ${text}`))
    }
  }
  return { compared: count, outcomes, differences }
}

async function* inOneWorld(cases: readonly Case[]) {
  using fixture = openVenueFixture({ faucet: 30_000_000_000n, listed: FOUR_LISTED })
  let scene: Scene | null = null
  for (const [at, each] of cases.entries()) {
    if (at % ORDERS_PER_ACCOUNT === 0) scene = await openScene(fixture, `${at}`)
    if (!scene) continue
    const { outcome, found } = await compared(scene, each)
    yield { outcome, found: found.map((text) => `${at} ${JSON.stringify(each)}: ${text}`) }
  }
}

type Scene = {
  readonly fixture: VenueFixture
  readonly trader: Trader
  readonly info: Row
}

async function openScene(fixture: VenueFixture, name: string): Promise<Scene> {
  const trader = await fixture.trader(name)
  const info = (await trader.get('/v1/client/info')).data
  for (const symbol of SYMBOLS) quote(fixture, symbol, OPENING[symbol]?.price ?? 0)
  return { fixture, trader, info }
}

/** Moves a market to a price, with some levels on both sides. */
function quote(fixture: VenueFixture, symbol: string, price: number): void {
  fixture.sleep(1000)
  fixture.move(symbol, price)
  const levels = (sign: 1 | -1) =>
    [0.0004, 0.001, 0.004, 0.012].map((away, at) => {
      const tenths = Math.round(price * (1 + sign * away) * 10)
      return [tenths / 10, Math.ceil(((at + 1) * 8_000_000) / price) / 1000] as const
    })
  fixture.quote(symbol, { bids: levels(-1), asks: levels(1) })
}

async function compared(scene: Scene, each: Case) {
  await prepare(scene, each)
  const { symbol, mode } = each
  const market = marketNow(scene, symbol)
  const order = toOrder(market, each)
  const account = await accountNow(scene, market, order)
  const judged = preTradeCheck(market, order, account)
  const expected = [
    ...judged.broken.map(({ rule }) => CODES[rule]),
    ...shortfallCode(judged.shortfall),
  ]
  const answer = await scene.trader.post('/v1/order', toBody(symbol, order))
  if (answer.status !== 200) {
    const isExpected = expected.includes(Number(answer.code))
    const found = isExpected
      ? []
      : [`refused with ${answer.code} ${answer.body['message']}, expected ${expected}`]
    return { outcome: `refused ${answer.code}`, found }
  }
  if (expected.length > 0) return { outcome: 'accepted', found: [`accepted, expected ${expected}`] }
  const { noFill, fill } = judged.match
  const row: Row = (await scene.trader.get(`/v1/order/${answer.data.order_id}`)).data
  const after = accountAfter(market, order, judged.match, account)
  const positions = (await scene.trader.get('/v1/positions')).data
  const held = positions.rows.find(
    (one: Row) => one['symbol'] === symbol && one['margin_mode'] === mode,
  )
  const found = [
    ...differs('filled', row['total_executed_quantity'], fill.quantity, 0),
    ...differs('fee', row['total_fee'], after.fee ?? 0n, USDC_TOLERANCE),
    ...differs('position', held?.position_qty ?? 0, after.state.quantity, 0),
  ]
  if (markNow(scene.fixture, symbol) !== market.mark) return { outcome: 'moved', found }
  if (mayMeetOwn(order, judged.match, account, symbol)) return { outcome: 'queued', found }
  // Below its maintenance margin the account is liquidated, so that other figures follow.
  if (after.cushion < 0n) return { outcome: 'liquidated', found: [] }
  const isEmpty = after.state.quantity === 0n
  found.push(
    ...differs('margin', held?.margin ?? 0, after.state.margin, USDC_TOLERANCE),
    ...differs('cost', held?.cost_position ?? 0, after.state.cost, USDC_TOLERANCE),
    ...differs('collateral', positions.total_collateral_value, after.collateral, USDC_TOLERANCE),
    ...differs(
      'free',
      positions.free_collateral,
      after.free < 0n ? 0n : after.free,
      USDC_TOLERANCE,
    ),
    ...differs(
      'liquidation price',
      isEmpty ? 0 : held.est_liq_price,
      after.liquidation ?? 0n,
      0.1 + LIQUIDATION_TOLERANCE * amountNumber(market.mark ?? 0n),
    ),
  )
  return { outcome: noFill ?? (fill.quantity > 0n ? 'filled' : 'resting'), found }
}

/** The venue's code for each broken rule. */
const CODES = {
  quote_min: -1103,
  quote_max: -1103,
  quote_tick: -1103,
  base_tick: -1104,
  base_min: -1104,
  base_max: -1104,
  min_notional: -1102,
  price_range: -1105,
  price_scope: -1105,
} as const

function shortfallCode(
  shortfall: ReturnType<typeof preTradeCheck>['shortfall'],
): readonly number[] {
  if (shortfall === null) return []
  return shortfall === 'margin' || shortfall === 'leverage' ? [-1101] : [-1012]
}

function differs(name: string, venue: unknown, own: bigint, tolerance: number): readonly string[] {
  const distance = Math.abs(Number(venue) - amountNumber(own))
  return distance <= tolerance ? [] : [`${name} ${venue} at the venue, ${amountNumber(own)} here`]
}

async function prepare({ fixture, trader }: Scene, each: Case): Promise<void> {
  const { symbol, mode, before, shift, leverage } = each
  const price = OPENING[symbol]?.price ?? 0
  if (before === 'move') quote(fixture, symbol, price * (1 + shift / PER_UNIT))
  if (before === 'cancel') await trader.delete(`/v1/orders?symbol=${symbol}`)
  if (before === 'leverage')
    await trader.post('/v1/client/leverages', { symbol, leverage, margin_mode: mode })
  if (before !== 'close') return
  const close = { symbol, order_type: 'MARKET', order_quantity: 100, reduce_only: true }
  for (const side of ['BUY', 'SELL'])
    await trader.post('/v1/order', { ...close, side, margin_mode: mode })
}

/** The rules of a market as the venue's answers have them. */
function ruleRow(listed: Market): Row {
  const value = (units: bigint) => Number(units) / 1e8
  return {
    quote_min: value(listed.quoteMin),
    quote_max: value(listed.quoteMax),
    quote_tick: value(listed.quoteTick),
    base_min: value(listed.baseMin),
    base_max: value(listed.baseMax),
    base_tick: value(listed.baseTick),
    min_notional: Number(listed.minNotional) / 1e6,
    price_range: value(listed.priceRange),
    price_scope: value(listed.priceScope),
    base_imr: value(listed.baseImr),
    base_mmr: value(listed.baseMmr),
  }
}

/** The rules of the markets by symbol. */
const RULES: ReadonlyMap<string, MarketRules> = new Map(
  FOUR_LISTED.map((listed) => [
    listed.symbol,
    toMarketRules({ symbol: listed.symbol, info: ruleRow(listed) }),
  ]),
)

function marketNow({ fixture }: Scene, symbol: string): MarketNow {
  const own = RULES.get(symbol)
  if (!own) throw new RangeError(symbol)
  const levels = (side: ReturnType<VenueFixture['book']>['bids']) =>
    side.map(({ price, quantity }) => ({
      price: Number(price) / 1e8,
      quantity: Number(quantity) / 1e8,
    }))
  const { bids, asks } = fixture.book(symbol)
  return {
    ...own,
    mark: markNow(fixture, symbol),
    book: parseBook({ bids: levels(bids), asks: levels(asks) }),
  }
}

/** The mark price of the engine. */
function markNow(fixture: VenueFixture, symbol: string): bigint | null {
  const live = fixture.exchange().simulation().engine.world.exchange.bySymbol.get(symbol)
  if (!live) throw new RangeError(symbol)
  return toAmount(((live.mark * live.spec.tick) / 1e8).toFixed(8))
}

async function accountNow(
  { trader, info }: Scene,
  { symbol, baseImr, baseMmr }: MarketNow,
  { mode }: Order,
): Promise<OrderAccount> {
  const [answer, orders, settings] = await Promise.all([
    trader.get('/v1/positions'),
    trader.get('/v1/orders?status=INCOMPLETE&size=500'),
    trader.get(`/v1/client/leverage?symbol=${symbol}&margin_mode=${mode}`),
  ])
  const factors: Readonly<Record<string, number>> = Object(info['imr_factor'])
  const found = toMarginAccount([answer.data, info], answer.data.rows, orders.data.rows)
  if (!found) throw new TypeError('unknown margin')
  const { fees, ...account } = found
  return {
    ...account,
    ...estimatedFees(fees, symbol, null),
    rates: { leverage: settings.data.leverage, baseImr, baseMmr, imrFactor: factors[symbol] ?? 0 },
  }
}

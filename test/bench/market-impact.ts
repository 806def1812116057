import { join } from 'node:path'
import { advance, createWorld } from '../../src/simulator/engine/run.ts'
import { MARKETS } from '../../src/simulator/listing/instruments.ts'
import { placeOrder } from '../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../src/simulator/orders/request.ts'
import { deposit, openAccount } from '../../src/simulator/state/accounts.ts'
import { type Account, BUY, SELL, type SideSign } from '../../src/simulator/state/state.ts'
import type { EngineWorld, Scene } from '../../src/simulator/state/world.ts'
import { mean } from '../simulator/flow/statistics.ts'

/**
 * What a user's own market order does to the simulated order flow, and what a round trip costs: writes
 * `config/reference/market.md`. `bun test/bench/market-impact.ts [SEEDS] [DAYS]`. Each order is taken back ten minutes later;
 * the price is compared with that of the same world without the orders. Ends with 1 when a round trip gains.
 */

const [seeds = '1,2,3', days = '1'] = process.argv.slice(2)
const BASES = ['BTC', 'ETH', 'SOL', 'WIF']
/** Shares of a day's turnover. */
const SIZES = [0.00002, 0.0001, 0.0005, 0.001]
const WORLD_START_MS = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000
const SLOT_MS = 1_200_000
const CLOSED_MS = 600_000
const LOOKS_MS = [0, 1000, 10_000, 60_000, 300_000]
/** A round trip of a user pays the fee of takers twice: basis points. */
const FEES_BP = 12
const FEES = { taker: (FEES_BP / 2) * 10_000, maker: 0 }

/** One order and its way back: basis points of the price. */
type Trip = {
  readonly usdc: number
  readonly filled: number
  /** Its mean price against the middle before it. */
  readonly paid: number
  /** By how much the middle is away from where it would be without it, at each look. */
  readonly left: readonly number[]
  /** What the round trip gains before fees, without what the market has moved meanwhile. */
  readonly gain: number
}

const page: string[] = []
let gaining = 0
for (const base of BASES) {
  const trips = SIZES.map((): Trip[] => [])
  for (const seed of seeds.split(',')) measure(base, Number(seed), trips)
  for (const [at, share] of SIZES.entries()) page.push(row(base, share, trips[at] ?? []))
}
await Bun.write(join(import.meta.dir, '../../config/reference/market.md'), pageOf(page))
process.exit(gaining === 0 ? 0 : 1)

function row(base: string, share: number, trips: readonly Trip[]): string {
  const of = (figure: (trip: Trip) => number) => mean(trips.map(figure))
  const gain = of((trip) => trip.gain)
  const error = Math.sqrt(mean(trips.map((trip) => (trip.gain - gain) ** 2)) / (trips.length - 1))
  if (gain - 2 * error > 0) gaining += 1
  const left = LOOKS_MS.map((_, at) =>
    of((trip) => trip.left[at] ?? 0)
      .toFixed(2)
      .replace('-0.00', '0.00'),
  )
  const text = [
    ...[base, `${100 * share} %`, Math.round(of(({ usdc }) => usdc)).toLocaleString('en')],
    ...[`${Math.round(100 * of(({ filled }) => filled))} %`, of(({ paid }) => paid).toFixed(2)],
    ...left,
    `${(-gain).toFixed(2)} ± ${error.toFixed(2)}`,
    (FEES_BP - gain).toFixed(1),
  ].join(' | ')
  console.log(text)
  return `| ${text} |`
}

function measure(base: string, seed: number, trips: readonly Trip[][]): void {
  const [world, other] = [worldOf(base, seed), worldOf(base, seed)]
  const [scene, control] = [sceneOf(world), sceneOf(other)]
  const account = openAccount(world.exchange, { key: 'user', fees: FEES, leverage: 10 })
  deposit(world.exchange, account, 1e13)
  const to = (ms: number) => {
    advance(world, WORLD_START_MS + ms)
    advance(other, WORLD_START_MS + ms)
  }
  for (let slot = 1; slot < (Number(days) * DAY_MS) / SLOT_MS; slot += 1) {
    const size = slot % SIZES.length
    const side = Math.floor(slot / SIZES.length) % 2 === 0 ? BUY : SELL
    to(slot * SLOT_MS)
    const begun = middleOf(control)
    const before = Math.log(middleOf(scene) / begun)
    const quantity = stepsOf(scene, SIZES[size] ?? 0)
    const entry = take(world, scene, account, { side, quantity })
    const left = LOOKS_MS.map((ms) => {
      to(slot * SLOT_MS + ms)
      return side * 10_000 * (Math.log(middleOf(scene) / middleOf(control)) - before)
    })
    to(slot * SLOT_MS + CLOSED_MS)
    const exit = take(world, scene, account, {
      side: side === BUY ? SELL : BUY,
      quantity: entry.quantity,
    })
    const gain = side * 10_000 * Math.log((exit.price / entry.price) * (begun / middleOf(control)))
    const usdc = quantity * entry.price * scene.listed.unitUsdc
    const filled = entry.quantity / quantity
    trips[size]?.push({ usdc, filled, paid: entry.paid, left, gain })
  }
}

function worldOf(base: string, seed: number): EngineWorld {
  const listed = [...MARKETS.values()].filter((market) => market.base === base)
  const prices = { kind: 'seeded' } as const
  return createWorld({
    ...{ seed, beginsAtMs: WORLD_START_MS, prices, listed, activity: 'normal' },
  })
}

function sceneOf({ scenes: [scene] }: EngineWorld): Scene {
  if (!scene) throw new RangeError('a world has a market')
  return scene
}

function stepsOf({ listed, index }: Scene, share: number): number {
  return Math.max(1, Math.round((share * listed.dailyTurnoverUsdc) / (index * listed.unitUsdc)))
}

/** Takes at the market: the mean price, and how much worse than the middle it is in basis points. */
function take(
  world: EngineWorld,
  scene: Scene,
  account: Account,
  { side, quantity }: { readonly side: SideSign; readonly quantity: number },
) {
  const middle = middleOf(scene)
  const order = { ...PLAIN_ORDER, account, market: scene.market, side, quantity }
  const placed = placeOrder(world.exchange, { ...order, type: 'MARKET' }, world.nowMs)
  if (!('id' in placed)) throw new Error(`refused: ${placed.message}`)
  const price = placed.executedValue / placed.executed
  return { quantity: placed.executed, price, paid: (side * 10_000 * (price - middle)) / middle }
}

function middleOf({ market: { book }, index }: Scene): number {
  const [bid, ask] = [book.bids.best?.price, book.asks.best?.price]
  return bid && ask ? (bid + ask) / 2 : index
}

function pageOf(rows: readonly string[]): string {
  return `# Own orders in the simulated market

\`bun test/bench/market-impact.ts\` wrote this page, with seeds ${seeds} and ${days} ${days === '1' ? 'day' : 'days'} per seed. It measures how the order flow of the
embedded venue reacts to market orders of one account. The account places an order every twenty minutes, alternately to buy and
to sell, and closes the position ten minutes later. All figures are means in basis points of the price, with the standard error of the
cost.

- *Paid over the middle* is the distance of the mean execution price from the middle of the order book before the order.
- *Left* is the remaining effect of the order, at once and after the given times. It is the distance of the middle of the order book
  from that of the same world without the orders.
- An order does not change the fair value of the market, so its effect fades, and a round trip costs money. The cost excludes price
  moves of the market during the round trip.
- The last column includes a fee of ${FEES_BP / 2} bp for each of the two orders.

| Market | Order size, % of a day's turnover | Order size, USDC | Filled | Paid over the middle | Left at once | Left after 1 s | 10 s | 1 min | 5 min | Cost of a round trip | Cost with fees |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}

import { randomAt, randomStream } from '../../src/simulator/base/rng.ts'
import { cancel } from '../../src/simulator/book/open-orders.ts'
import { advance, createWorld } from '../../src/simulator/engine/run.ts'
import { MARKETS } from '../../src/simulator/listing/instruments.ts'
import { placeOrder } from '../../src/simulator/orders/place.ts'
import { type OrderRequest, PLAIN_ORDER } from '../../src/simulator/orders/request.ts'
import { BASE_FEES, deposit, openAccount } from '../../src/simulator/state/accounts.ts'
import { createExchange, type ExchangeState } from '../../src/simulator/state/exchange.ts'
import { marketSpec, openMarket } from '../../src/simulator/state/markets.ts'
import { Rejection } from '../../src/simulator/state/rejections.ts'
import { BUY, type EngineOrder, SELL } from '../../src/simulator/state/state.ts'
import { median } from './measure.ts'

/** What the embedded venue's engine does in one core: orders a second at three depths, and a day of all markets. */

const ROUNDS = 5
const ORDERS = 400_000
const OPEN_MAX = 3000
const ACCOUNTS = 400
const DEPTHS = [1000, 10_000, 100_000]
const DAY_MS = 86_400_000
const WORLD_START_MS = Date.UTC(2026, 0, 1)

const source = randomStream(1, 'bench')
let drawn = 0
const draw01 = () => randomAt(source, drawn++)

for (const depth of DEPTHS) {
  const rates = Array.from({ length: ROUNDS }, () => ordersPerSecond(depth))
  console.log(
    `  ${depth.toLocaleString('en').padStart(7)} resting: ${Math.round(median(rates)).toLocaleString('en')} orders/s of processor time, margin checked`,
  )
}
day()
await import('./tape.ts')

function ordersPerSecond(depth: number): number {
  const exchange = newExchange()
  for (const request of requests(exchange, depth, true)) placeOrder(exchange, request, 0)
  const asked = requests(exchange, ORDERS, false)
  const open: EngineOrder[] = []
  const startedAt = process.cpuUsage()
  for (const [at, request] of asked.entries()) {
    const placed = placeOrder(exchange, request, at)
    if (!(placed instanceof Rejection) && placed.level) open[at % OPEN_MAX] = placed
    const oldest = open[(at + 1) % OPEN_MAX]
    if (oldest?.level) cancel(exchange, oldest, at)
  }
  return ORDERS / seconds(startedAt)
}

/** Half the orders meet the book, half rest near it; those of the depth rest further away. */
function requests(exchange: ExchangeState, count: number, isDepth: boolean): OrderRequest[] {
  const { markets, accounts } = exchange
  return Array.from({ length: count }, (_, at) => {
    const market = markets[at % markets.length]
    const account = accounts[(at * 7) % ACCOUNTS]
    if (!market || !account) throw new Error('no market')
    const side = draw01() < 0.5 ? BUY : SELL
    const away = isDepth ? 0.011 + draw01() * 0.3 : (draw01() - 0.3) * 0.01
    const price = Math.round(market.mark * (1 - side * away))
    const usdc = isDepth ? 12 : 12 + draw01() * 1000
    const quantity = Math.ceil((usdc * 1e6) / (price * market.spec.unit))
    return { ...PLAIN_ORDER, account, market, side, price, quantity }
  })
}

function newExchange(): ExchangeState {
  const listed = [...MARKETS.values()].slice(0, 3)
  const exchange = createExchange(
    listed.map((market, at) => openMarket(at, marketSpec(market), market.referenceTicks)),
  )
  for (let number = 0; number < ACCOUNTS; number++) {
    const terms = { key: `${number}`, fees: BASE_FEES, leverage: 10 }
    deposit(exchange, openAccount(exchange, terms), 1e12)
  }
  return exchange
}

function day(): void {
  const world = createWorld({ seed: 1, beginsAtMs: WORLD_START_MS, prices: { kind: 'seeded' } })
  const startedAt = process.cpuUsage()
  advance(world, WORLD_START_MS + DAY_MS)
  const { events, operations } = world.counts
  console.log(
    `  a day of ${world.scenes.length} markets and ${world.agents.length} agents: ${seconds(startedAt).toFixed(2)} s of processor time, ${events.toLocaleString('en')} events and ${operations.toLocaleString('en')} order operations`,
  )
}

function seconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}

import { describe, expect, test } from 'bun:test'
import { restingOrders } from '../../../src/simulator/book/ladder.ts'
import { cancel } from '../../../src/simulator/book/open-orders.ts'
import { checkExchange, worldHash } from '../../../src/simulator/engine/check.ts'
import { REQUESTS } from '../../../src/simulator/engine/requests.ts'
import { advance, createWorld } from '../../../src/simulator/engine/run.ts'
import { countArrival, nextArrival, openArrivals } from '../../../src/simulator/flow/arrivals.ts'
import { takeUnits } from '../../../src/simulator/flow/background.ts'
import { flowProfile } from '../../../src/simulator/flow/profile.ts'
import { MAKERS } from '../../../src/simulator/flow/quoting.ts'
import { agentAt, flowStep, heldUnits } from '../../../src/simulator/flow/step.ts'
import { totalAccountValue } from '../../../src/simulator/ledger/balances.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { BASE_FEES, deposit, openAccount } from '../../../src/simulator/state/accounts.ts'
import { BUY, SELL } from '../../../src/simulator/state/state.ts'
import type { EngineWorld, Scene } from '../../../src/simulator/state/world.ts'
import { restarted, WORLD_START_MS } from '../engine/worlds.ts'
import { figuresOf, taped } from './figures.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

function flowWorld(seed: number, bases: readonly string[]): EngineWorld {
  const listed = [...MARKETS.values()].filter(({ base }) => bases.includes(base))
  const prices = { kind: 'seeded' } as const
  return createWorld({ seed, beginsAtMs: WORLD_START_MS, prices, listed, activity: 'normal' })
}

function sceneOf(world: EngineWorld, at = 0): Scene {
  const scene = world.scenes[at]
  if (!scene) throw new RangeError('no such market')
  return scene
}

/** Somebody who buys and sells much, at the market. */
function trouble(world: EngineWorld, scene: Scene, minutes: number): void {
  const terms = { key: 'trouble', fees: BASE_FEES, leverage: 10 }
  const account = openAccount(world.exchange, terms)
  deposit(world.exchange, account, 1e13)
  const { market } = scene
  for (let minute = 1; minute <= minutes; minute += 1) {
    advance(world, WORLD_START_MS + minute * MINUTE_MS)
    const side = minute % 7 < 4 ? BUY : SELL
    const order = { ...PLAIN_ORDER, account, market, side, quantity: 40_000 } as const
    placeOrder(world.exchange, { ...order, type: 'MARKET' }, world.nowMs)
  }
}

describe('the order flow of a market', () => {
  // Slow: six hours of a market are simulated.
  test('has the figures of a real one in a quarter of a day', () => {
    const world = flowWorld(8, ['BTC'])
    const figures = figuresOf(taped(world, sceneOf(world), 0.25), 'BTC', 0.25)
    expect(figures.length).toBeGreaterThan(5)
    expect(figures.filter(({ isMet }) => !isMet)).toEqual([])
    expect(checkExchange(world.exchange)).toEqual([])
  })

  test('arrives at its usual rate from the first minute on', () => {
    const listed = MARKETS.get('PERP_WIF_USDC')
    if (!listed) throw new RangeError('no market')
    const profile = flowProfile(listed)
    let count = 0
    for (let seed = 0; seed < 400; seed += 1) {
      const arrivals = openArrivals(seed, 'BTC', profile, { atMs: 0, usual: 1 })
      for (; nextArrival(arrivals, profile, 1) < MINUTE_MS; count += 1)
        countArrival(arrivals, profile)
      expect(arrivals.recent).toBeGreaterThan(0)
    }
    expect(count / (400 * 60)).toBeWithin(0.9, 1.1)
  })

  test('is not what single agents make who trade now and then', () => {
    const listed = [...MARKETS.values()].filter(({ base }) => base === 'BTC')
    const prices = { kind: 'seeded' } as const
    const world = createWorld({ seed: 1, beginsAtMs: WORLD_START_MS, prices, listed })
    const figures = figuresOf(taped(world, sceneOf(world), 1 / 24), 'BTC', 1 / 24)
    expect(sceneOf(world).flow).toBeNull()
    expect(figures).toEqual([])
    expect(world.counts.operations).toBeLessThan(2000)
  })

  test('has one hash in 1 step and in 90, restarted or not', () => {
    const run = (steps: number, isRestarted = false) => {
      let world = flowWorld(3, ['BTC', 'WIF'])
      for (let step = 1; step <= steps; step += 1) {
        advance(world, WORLD_START_MS + (step * 30 * MINUTE_MS) / steps)
        if (isRestarted && step % 30 === 0) world = restarted(world)
      }
      return worldHash(world)
    }
    const whole = run(1)
    expect(run(90)).toBe(whole)
    expect(run(90, true)).toBe(whole)
    const other = flowWorld(4, ['BTC', 'WIF'])
    advance(other, WORLD_START_MS + 30 * MINUTE_MS)
    expect(worldHash(other)).not.toBe(whole)
  })

  test('has a value that nobody who trades can move', () => {
    const [quiet, troubled] = [flowWorld(5, ['ETH']), flowWorld(5, ['ETH'])]
    advance(quiet, WORLD_START_MS + 40 * MINUTE_MS)
    trouble(troubled, sceneOf(troubled), 40)
    const [one, other] = [sceneOf(quiet).flow, sceneOf(troubled).flow]
    expect(one?.value).toEqual(other?.value as never)
    expect(one?.quoting.estimate).not.toBe(other?.quoting.estimate)
  })

  test('sends orders at prices that the market takes, also while its mark is late, and none beyond them', () => {
    const world = flowWorld(11, ['ETH'])
    const scene = sceneOf(world)
    const { market, flow } = scene
    if (!flow) throw new RangeError('no flow')
    advance(world, WORLD_START_MS + MINUTE_MS)
    const step = flowStep(world, scene, flow, world.nowMs)
    const taker = agentAt(world, flow.agents.takers[0] ?? -1)
    const sold = (above: number) => {
      const before = heldUnits(step, taker)
      market.mark = Math.round((market.book.bids.best?.price ?? 0) * (1 + above))
      takeUnits(step, taker, { side: SELL, units: 0.2 })
      return before - heldUnits(step, taker)
    }
    expect(sold(0.025)).toBeCloseTo(0.2, 2)
    expect(sold(0.04)).toBe(0)
  })

  test('comes back to its value after a large order, which has paid for it', () => {
    const world = flowWorld(6, ['BTC'])
    const scene = sceneOf(world)
    advance(world, WORLD_START_MS + HOUR_MS)
    const { market, flow } = scene
    const account = openAccount(world.exchange, { key: 'large', fees: BASE_FEES, leverage: 10 })
    deposit(world.exchange, account, 1e13)
    const before = market.book.asks.best?.price ?? 0
    const order = { ...PLAIN_ORDER, account, market, side: BUY, quantity: 60_000 } as const
    const placed = placeOrder(world.exchange, { ...order, type: 'MARKET' }, world.nowMs)
    if (!('executedValue' in placed)) throw new Error('refused')
    expect(placed.executedValue / placed.executed).toBeGreaterThan(before)
    advance(world, world.nowMs + 5000)
    const value = Math.exp(flow?.value.log ?? 0)
    expect(Math.abs((market.book.asks.best?.price ?? 0) / value - 1)).toBeLessThan(0.001)
    const back = { ...order, side: SELL, type: 'MARKET' } as const
    const sold = placeOrder(world.exchange, back, world.nowMs)
    if (!('realizedPnl' in sold)) throw new Error('refused')
    expect(sold.realizedPnl - sold.fee - placed.fee).toBeLessThan(0)
  })

  test('has two sides again at the next step when all of one is gone', () => {
    const world = flowWorld(8, ['BTC'])
    const { market } = sceneOf(world)
    advance(world, WORLD_START_MS + MINUTE_MS)
    const resting = restingOrders(market.book.asks)
    expect(resting.length).toBeGreaterThan(5)
    for (const order of resting) cancel(world.exchange, order, world.nowMs)
    expect(market.book.asks.best).toBeNull()
    advance(world, world.nowMs + 250)
    expect(market.book.asks.best).not.toBeNull()
  })

  test('has two sides when its makers hold as much as they want', () => {
    const world = flowWorld(10, ['BTC'])
    const scene = sceneOf(world)
    const { market, flow } = scene
    const account = openAccount(world.exchange, { key: 'large', fees: BASE_FEES, leverage: 10 })
    deposit(world.exchange, account, 1e15)
    const quantity = Math.round(8 * (flow?.unitSteps ?? 0))
    for (let second = 1; second <= 90; second += 1) {
      advance(world, WORLD_START_MS + second * 1000)
      const order = { ...PLAIN_ORDER, account, market, side: BUY, quantity } as const
      placeOrder(world.exchange, { ...order, type: 'MARKET' }, world.nowMs)
    }
    advance(world, world.nowMs + 250)
    const held = (flow?.agents.makers ?? []).map((number) => {
      const maker = world.agents[number]?.account.marketAccounts.get(0)
      return (maker?.quantity ?? 0) / (flow?.unitSteps ?? 1)
    })
    expect(held.map((units, rank) => units <= -(MAKERS[rank]?.limit ?? 0))).toEqual([
      ...[true, true, true, true],
    ])
    expect(market.book.asks.best).not.toBeNull()
  })

  test('pays holders whom a price has run against, before their liquidation would take a side of the book', () => {
    const listed = [...MARKETS.values()].filter(({ base }) => base === 'WIF')
    const beginsAtMs = WORLD_START_MS - 2 * MINUTE_MS
    const prices = { kind: 'seeded' } as const
    const world = createWorld({ seed: 11, beginsAtMs, prices, listed, activity: 'normal' })
    advance(world, beginsAtMs + MINUTE_MS)
    REQUESTS.shock(world, { market: 0, share: 0.6 }, world.nowMs)
    advance(world, WORLD_START_MS + 1000)
    const holders = world.agents.filter(({ role }) => role === 'holder')
    const shares = holders.map(({ account, stake }) => totalAccountValue(world, account) / stake)
    expect(Math.min(...shares)).toBeGreaterThan(0.95)
    expect(holders.every(({ account }) => account.marketAccounts.get(0)?.quantity !== 0)).toBeTrue()
    expect(checkExchange(world.exchange)).toEqual([])
  })

  test('has no limit orders that the makers’ estimate has passed', () => {
    const world = flowWorld(9, ['ETH'])
    const scene = sceneOf(world)
    advance(world, WORLD_START_MS + 10 * MINUTE_MS)
    const placed = () =>
      (scene.flow?.agents.passive ?? [])
        .flatMap((number) => world.agents[number]?.quotes ?? [])
        .filter((order) => order?.level)
    expect(placed().filter((order) => order?.side === SELL).length).toBeGreaterThan(0)
    REQUESTS.shock(world, { market: 0, share: 0.02 }, world.nowMs)
    advance(world, world.nowMs + 2000)
    const price = Math.exp(scene.flow?.quoting.estimate ?? 0)
    const passed = placed().filter((order) => order && order.side * (order.price - price) > 0)
    expect(passed).toEqual([])
    expect(placed().length).toBeGreaterThan(0)
  })

  test('jumps over a gap that an operator asks for, stays there, and nothing trades in between', () => {
    const world = flowWorld(7, ['BTC'])
    const scene = sceneOf(world)
    advance(world, WORLD_START_MS + 10 * MINUTE_MS)
    const before = scene.index
    const prices: number[] = []
    world.exchange.observers.push({ matched: ({ price }) => void prices.push(price) })
    REQUESTS.gap(world, { market: 0, share: 0.05 }, world.nowMs)
    expect(scene.market.book.bids.orders + scene.market.book.asks.orders).toBe(0)
    advance(world, world.nowMs + MINUTE_MS)
    expect(scene.index / before).toBeWithin(1.045, 1.055)
    expect(prices.length).toBeGreaterThan(10)
    expect(prices.filter((price) => price / before < 1.045)).toEqual([])
  })

  test('quotes thinly at once when an operator asks for it, and not only what is quoted later', () => {
    const world = flowWorld(7, ['BTC'])
    const scene = sceneOf(world)
    advance(world, WORLD_START_MS + 10 * MINUTE_MS)
    const shown = () =>
      (scene.flow?.agents.makers ?? [])
        .flatMap((number) => world.agents[number]?.quotes ?? [])
        .reduce((sum, order) => sum + (order?.level ? order.quantity - order.executed : 0), 0)
    const usual = shown()
    REQUESTS.thin(world, { market: 0, share: 0.1, forMs: HOUR_MS }, world.nowMs)
    advance(world, world.nowMs + 30_000)
    expect(shown() / usual).toBeWithin(0.02, 0.3)
  })

  test('follows an operator: a shock, a frozen index, a bare side', () => {
    const world = flowWorld(7, ['BTC'])
    const scene = sceneOf(world)
    advance(world, WORLD_START_MS + 10 * MINUTE_MS)
    const before = scene.index
    REQUESTS.shock(world, { market: 0, share: 0.05 }, world.nowMs)
    advance(world, world.nowMs + 5000)
    expect(scene.index / before).toBeGreaterThan(1.045)
    expect((scene.market.book.bids.best?.price ?? 0) / before).toBeGreaterThan(1.045)
    REQUESTS.freeze(world, { market: 0, forMs: MINUTE_MS }, world.nowMs)
    advance(world, world.nowMs + 1000)
    const frozen = scene.index
    advance(world, world.nowMs + 30_000)
    expect(scene.index).toBe(frozen)
    REQUESTS.bare(world, { market: 0, side: SELL, forMs: MINUTE_MS }, world.nowMs)
    advance(world, world.nowMs + 25_000)
    const quoted = scene.flow?.agents.makers.flatMap((at) => world.agents[at]?.quotes ?? [])
    expect(quoted?.filter((order) => order?.level && order.side === SELL)).toEqual([])
    expect(quoted?.some((order) => order?.level && order.side === BUY)).toBeTrue()
  })
})

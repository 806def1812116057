import { describe, expect, test } from 'bun:test'
import { worseThan } from '../../../src/simulator/book/ladder.ts'
import { checkExchange, worldHash } from '../../../src/simulator/engine/check.ts'
import {
  type FieldsOf,
  REQUESTS,
  type RequestKind,
} from '../../../src/simulator/engine/requests.ts'
import { advance, settleWorld } from '../../../src/simulator/engine/run.ts'
import { BUY, SELL } from '../../../src/simulator/state/state.ts'
import type { EngineWorld, Scene } from '../../../src/simulator/state/world.ts'
import { restarted, smallWorld, WORLD_START_MS } from './worlds.ts'

const MINUTE_MS = 60_000
const ETH = 1

function sceneOf({ scenes }: EngineWorld, number = ETH): Scene {
  const scene = scenes[number]
  if (!scene) throw new RangeError('no such market')
  return scene
}

/** Does what an operator asks, as the engine does a request. */
function ask<Kind extends RequestKind>(
  world: EngineWorld,
  kind: Kind,
  fields: FieldsOf<Kind>,
): unknown {
  const act = REQUESTS[kind] as (
    world: EngineWorld,
    fields: FieldsOf<Kind>,
    atMs: number,
  ) => unknown
  const outcome = act(world, fields, world.nowMs)
  settleWorld(world, world.nowMs)
  return outcome
}

function at(world: EngineWorld, minutes: number): EngineWorld {
  advance(world, WORLD_START_MS + minutes * MINUTE_MS)
  expect(checkExchange(world.exchange)).toEqual([])
  return world
}

function sizesOf({ market }: Scene, side: typeof BUY | typeof SELL): number {
  const { best } = side === BUY ? market.book.bids : market.book.asks
  let shown = 0
  for (let level = best; level; level = worseThan(level)) shown += level.shown
  return shown
}

describe('what an operator does to a market', () => {
  test('a frozen index stands until its time, and goes on from where it stood', () => {
    const world = at(smallWorld(), 5)
    const scene = sceneOf(world)
    ask(world, 'freeze', { market: ETH, forMs: 30 * MINUTE_MS })
    const { index } = scene
    at(world, 34)
    expect(scene.index).toBe(index)
    at(world, 60)
    expect(scene.index).not.toBe(index)
    expect(Math.abs(scene.index / index - 1)).toBeLessThan(0.05)
  })

  test('a trend takes an index by its share over its time, and no further', () => {
    const [calm, led] = [at(smallWorld(), 5), at(smallWorld(), 5)]
    ask(led, 'trend', { market: ETH, share: 0.2, forMs: 60 * MINUTE_MS })
    const ratio = () => sceneOf(led).index / sceneOf(calm).index
    at(calm, 35)
    at(led, 35)
    expect(ratio()).toBeGreaterThan(1.07)
    expect(ratio()).toBeLessThan(1.13)
    at(calm, 90)
    at(led, 90)
    expect(ratio()).toBeGreaterThan(1.17)
    expect(ratio()).toBeLessThan(1.23)
  })

  test('nothing trades on the way of a gap, a shock is traded against', () => {
    const worlds = { gap: at(smallWorld(), 5), shock: at(smallWorld(), 5) }
    const prices = { gap: new Set<number>(), shock: new Set<number>() }
    for (const kind of ['gap', 'shock'] as const) {
      const world = worlds[kind]
      const { market } = sceneOf(world)
      world.exchange.observers.push({
        matched: (match) => void (match.market === market && prices[kind].add(match.price)),
      })
      ask(world, kind, { market: ETH, share: -0.02 })
      at(world, 7)
    }
    const { market } = sceneOf(at(smallWorld(), 5))
    const between = (set: Set<number>) =>
      [...set].filter((price) => price > market.mark * 0.985 && price < market.mark * 1.01)
    expect(between(prices.gap)).toEqual([])
    expect(between(prices.shock).length).toBeGreaterThan(0)
  })

  test('makers quote less, on one side, or beside the index until the time is over, then as usual', () => {
    const world = at(smallWorld(), 30)
    const scene = sceneOf(world)
    const usual = sizesOf(scene, BUY)
    ask(world, 'thin', { market: ETH, share: 0.1, forMs: 20 * MINUTE_MS })
    at(world, 48)
    expect(sizesOf(scene, BUY)).toBeLessThan(usual * 0.3)
    at(world, 70)
    expect(sizesOf(scene, BUY)).toBeGreaterThan(usual * 0.5)
    ask(world, 'bare', { market: ETH, side: SELL, forMs: 10 * MINUTE_MS })
    at(world, 79)
    expect(sizesOf(scene, SELL)).toBeLessThan(usual * 0.1)
    expect(sizesOf(scene, BUY)).toBeGreaterThan(0)
    at(world, 100)
    expect(sizesOf(scene, SELL)).toBeGreaterThan(usual * 0.3)
    ask(world, 'lean', { market: ETH, share: 0.01, forMs: 10 * MINUTE_MS })
    at(world, 109)
    expect(scene.market.mark / scene.index).toBeGreaterThan(1.004)
    at(world, 140)
    expect(scene.market.mark / scene.index).toBeLessThan(1.004)
  })

  test('a release ends everything at once', () => {
    const world = at(smallWorld(), 5)
    const scene = sceneOf(world)
    ask(world, 'freeze', { market: ETH, forMs: 600 * MINUTE_MS })
    ask(world, 'bare', { market: ETH, side: BUY, forMs: 600 * MINUTE_MS })
    at(world, 10)
    ask(world, 'release', { market: ETH })
    const { index } = scene
    at(world, 20)
    expect(scene.index).not.toBe(index)
    expect(scene.market.book.bids.best).not.toBeNull()
  })

  test('a market that winds down takes no orders and holds none; one that ends is held by nobody', () => {
    const world = at(smallWorld(), 5)
    const { market } = sceneOf(world)
    ask(world, 'status', { market: ETH, status: 'DELISTING' })
    at(world, 15)
    expect([market.book.bids.orders, market.book.asks.orders]).toEqual([0, 0])
    expect(market.openInterest).toBeGreaterThan(0)
    ask(world, 'status', { market: ETH, status: 'DELISTED' })
    at(world, 600)
    expect([market.openInterest, market.holders.size]).toEqual([0, 0])
    expect([market.book.bids.orders, market.book.asks.orders]).toEqual([0, 0])
  })

  test('a restart in the middle of all of it goes on as the same world', () => {
    const acted = (world: EngineWorld) => {
      ask(world, 'newcomer', { market: ETH, side: BUY, amount: 2e10, leverage: 20 })
      ask(world, 'trend', { market: 0, share: 0.1, forMs: 40 * MINUTE_MS })
      ask(world, 'thin', { market: ETH, share: 0.2, forMs: 10 * MINUTE_MS })
      ask(world, 'freeze', { market: 2, forMs: 15 * MINUTE_MS })
      return world
    }
    const whole = at(acted(at(smallWorld(), 5)), 60)
    const again = at(restarted(at(acted(at(smallWorld(), 5)), 12)), 60)
    expect(worldHash(again)).toBe(worldHash(whole))
  })
})

describe('what an operator does to an account', () => {
  test('a newcomer takes the side it was told, as far as its margin goes', () => {
    const world = at(smallWorld(), 5)
    const before = world.exchange.accounts.length
    ask(world, 'newcomer', { market: ETH, side: SELL, amount: 5e9, leverage: 20 })
    const account = world.exchange.accounts[before]
    const quantity = account?.marketAccounts.get(ETH)?.quantity ?? 0
    const { market } = sceneOf(world)
    const notional = -quantity * market.mark * market.spec.unit
    expect(notional).toBeGreaterThan(5e9 * 5)
    expect(notional).toBeLessThan(5e9 * 21)
    at(world, 6)
  })

  test('who is liquidated holds nothing and has no orders; the insurance fund is not', () => {
    const world = at(smallWorld(), 30)
    const [holder] = sceneOf(world).market.holders
    if (!holder) throw new Error('nobody holds it')
    const { account } = holder
    expect(ask(world, 'liquidate', { account: account.number })).toHaveLength(1)
    const held = [...account.marketAccounts.values()].filter(({ quantity }) => quantity !== 0)
    expect(held).toEqual([])
    expect(account.open.size).toBe(0)
    expect(ask(world, 'liquidate', { account: account.number })).toEqual([])
    expect(ask(world, 'liquidate', { account: world.fund.number })).toEqual([])
    at(world, 60)
  })
})

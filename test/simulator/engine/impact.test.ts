import { describe, expect, test } from 'bun:test'
import { createRng } from '../../../src/simulator/base/rng.ts'
import { advance, settleWorld } from '../../../src/simulator/engine/run.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { moveIndex, stepFactor } from '../../../src/simulator/prices/index-price.ts'
import { BASE_FEES, deposit, openAccount } from '../../../src/simulator/state/accounts.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { BUY } from '../../../src/simulator/state/state.ts'
import type { EngineWorld, Scene } from '../../../src/simulator/state/world.ts'
import { smallWorld, WORLD_START_MS } from './worlds.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

function sceneOf({ scenes }: EngineWorld, base: string): Scene {
  const scene = scenes.find(({ listed }) => listed.base === base)
  if (!scene) throw new Error(`no ${base}`)
  return scene
}

/** How far the middle of the book is above the index; who asks for nothing would sell at the last price. */
function premiumOf({ market: { book, last }, index }: Scene): number {
  const { bids, asks } = book
  return ((bids.best?.price ?? last) + (asks.best?.price ?? last)) / 2 / index - 1
}

/** A user who buys everything that a market order reaches, once a minute or as often as given. */
function buyAll(world: EngineWorld, scene: Scene, times: number, everyMs = MINUTE_MS): void {
  const rich = openAccount(world.exchange, { key: 'rich', fees: BASE_FEES, leverage: 1 })
  deposit(world.exchange, rich, 100_000_000_000_000)
  const { market } = scene
  const quantity = market.spec.quantityMax
  const order = {
    ...PLAIN_ORDER,
    account: rich,
    market,
    side: BUY,
    quantity,
    type: 'MARKET',
  } as const
  for (let time = 0; time < times; time++) {
    expect(placeOrder(world.exchange, order, world.nowMs)).not.toBeInstanceOf(Rejection)
    settleWorld(world, world.nowMs)
    advance(world, world.nowMs + everyMs)
  }
}

describe('buying everything that is offered', () => {
  test('moves the book and the last price away from the index, and the book is not whole again after seconds', () => {
    const world = smallWorld(1, ['BTC', 'TRUMP'])
    advance(world, WORLD_START_MS + HOUR_MS)
    const scene = sceneOf(world, 'TRUMP')
    const before = scene.market.book.asks.orders
    const premium = premiumOf(scene)
    buyAll(world, scene, 1, 5000)
    expect(scene.market.book.asks.orders).toBeLessThan(before)
    expect(premiumOf(scene)).toBeGreaterThan(premium + 0.001)
    expect(scene.market.last).toBeGreaterThan(scene.index)
  })

  test('makes those who hold on pay: the funding rate follows the premium', () => {
    const [calm, pressed] = [smallWorld(1, ['TRUMP']), smallWorld(1, ['TRUMP'])]
    buyAll(pressed, sceneOf(pressed, 'TRUMP'), 55)
    for (const world of [calm, pressed]) advance(world, WORLD_START_MS + HOUR_MS)
    const rates = [calm, pressed].map((world) => sceneOf(world, 'TRUMP').lastRate)
    expect(rates[1]).toBeGreaterThan((rates[0] ?? 0) * 2)
  })

  test('raises open interest and nobody’s position is made of nothing', () => {
    const world = smallWorld(1, ['TRUMP'])
    advance(world, WORLD_START_MS + MINUTE_MS)
    const { market } = sceneOf(world, 'TRUMP')
    const before = market.openInterest
    buyAll(world, sceneOf(world, 'TRUMP'), 3)
    expect(market.openInterest).toBeGreaterThan(before)
    const sum = [...market.holders].reduce((total, { quantity }) => total + quantity, 0)
    expect(sum).toBe(0)
  })
})

describe('index prices of three weeks', () => {
  const factor = { rng: createRng(9, 'factor'), level: 0, volatility: 1, drift: 0 }
  const world = { ...smallWorld(9, ['BTC', 'ETH']), factor }
  const moves = world.scenes.map((): number[] => [])
  for (let minute = 1; minute <= 21 * 1440; minute++) {
    for (let step = 0; step < 6; step++) stepFactor(factor, 10_000)
    for (const [at, scene] of world.scenes.entries()) {
      const before = scene.index
      moveIndex(world, scene, WORLD_START_MS + minute * MINUTE_MS)
      moves[at]?.push(Math.log(scene.index / before))
    }
  }

  test('jump now and then', () => {
    for (const own of moves) {
      const largest = Math.max(...own.map(Math.abs))
      expect(largest).toBeGreaterThan(0.005)
      expect(largest).toBeLessThan(0.1)
    }
  })

  test('move together, but not as one', () => {
    const [btc = [], eth = []] = moves
    const dot = (a: readonly number[], b: readonly number[]) =>
      a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
    const correlation = dot(btc, eth) / Math.sqrt(dot(btc, btc) * dot(eth, eth))
    expect(correlation).toBeGreaterThan(0.3)
    expect(correlation).toBeLessThan(0.95)
  })
})

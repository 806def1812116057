import { describe, expect, test } from 'bun:test'
import { visibleDepth } from '../../../src/simulator/book/depth.ts'
import { checkExchange, worldHash } from '../../../src/simulator/engine/check.ts'
import { advance } from '../../../src/simulator/engine/run.ts'
import { accountMargin } from '../../../src/simulator/margin/margin.ts'
import { barBetween } from '../../../src/simulator/state/market-history.ts'
import type { Match } from '../../../src/simulator/state/observer.ts'
import { BUY } from '../../../src/simulator/state/state.ts'
import type { EngineWorld } from '../../../src/simulator/state/world.ts'
import { restarted, smallWorld, WORLD_START_MS } from './worlds.ts'

const HOUR_MS = 3_600_000

const as = (world: EngineWorld) => world

/** From shortly before midnight, when every funding period, day and rebate ends, until shortly after. */
const PERIOD_MS = 2 * HOUR_MS
const EVENING_MS = WORLD_START_MS - HOUR_MS / 2

function midnightIn(
  steps: number,
  each: (world: EngineWorld) => EngineWorld = as,
  midway = as,
): string {
  let world = smallWorld(1, undefined, EVENING_MS)
  for (let step = 1; step <= steps; step++) {
    advance(world, EVENING_MS + (step * PERIOD_MS) / steps)
    world = each(world)
    if (step === steps / 2) world = midway(world)
  }
  return worldHash(world)
}

function read(world: EngineWorld): EngineWorld {
  for (const { market } of world.scenes) visibleDepth(market, BUY, 10)
  for (const account of world.exchange.accounts) accountMargin(account)
  return world
}

describe('one world', () => {
  test('a midnight has one hash, in 1, 12, 120 and 1,440 steps, read or not, restarted or not', () => {
    const whole = midnightIn(1)
    expect(midnightIn(12)).toBe(whole)
    expect(midnightIn(120, read)).toBe(whole)
    expect(midnightIn(120, as, restarted)).toBe(whole)
    expect(midnightIn(1440, read, restarted)).toBe(whole)
  })

  test('another seed is another world', () => {
    const [one, other] = [smallWorld(1), smallWorld(2)]
    advance(one, WORLD_START_MS + HOUR_MS)
    advance(other, WORLD_START_MS + HOUR_MS)
    expect(worldHash(one)).not.toBe(worldHash(other))
  })
})

/** Until somebody has been liquidated. */
const HOURS = 16

describe('a day of agents', () => {
  // Slow: a day of agents is simulated.
  test('keeps every invariant, hour by hour, and liquidates whoever falls below', () => {
    const world = smallWorld(3)
    let liquidations = 0
    world.exchange.observers.push({
      liquidated: () => {
        liquidations += 1
      },
    })
    for (let hour = 1; hour <= HOURS; hour++) {
      advance(world, WORLD_START_MS + hour * HOUR_MS)
      expect(checkExchange(world.exchange)).toEqual([])
    }
    expect(liquidations).toBeGreaterThan(0)
  })

  test('candles are the trades, to the last of them', () => {
    const world = smallWorld(4)
    const matches: Match[] = []
    world.exchange.observers.push({ matched: (match) => matches.push(match) })
    advance(world, WORLD_START_MS + 3 * HOUR_MS)
    const [scene] = world.scenes
    const own = matches.filter(({ market }) => market === scene?.market)
    const bar = scene && barBetween(scene.history, WORLD_START_MS, WORLD_START_MS + 3 * HOUR_MS)
    expect(own.length).toBeGreaterThan(100)
    expect(bar?.volume).toBe(own.reduce((sum, { quantity }) => sum + quantity, 0))
    expect(bar?.high).toBe(Math.max(...own.map(({ price }) => price)))
    expect(bar?.close).toBe(own.at(-1)?.price ?? 0)
  })

  test('markets have both sides of a book, and no market trades what nobody owns', () => {
    const world = smallWorld(5)
    advance(world, WORLD_START_MS + 6 * HOUR_MS)
    for (const { market } of world.scenes) {
      expect(market.book.bids.best).not.toBeNull()
      expect(market.book.asks.best).not.toBeNull()
      expect(market.openInterest).toBeGreaterThan(0)
    }
  })
})

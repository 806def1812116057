import { expect, test } from 'bun:test'
import type { EntityStore } from '../../../../src/core/ports.ts'
import { checkExchange, worldHash } from '../../../../src/simulator/engine/check.ts'
import { type Engine, openEngine } from '../../../../src/simulator/engine/engine.ts'
import { createAlgoRecords } from '../../../../src/simulator/history/algos.ts'
import { createPastRows } from '../../../../src/simulator/history/past-rows.ts'
import { MARKETS } from '../../../../src/simulator/listing/instruments.ts'
import { PLAIN_ORDER } from '../../../../src/simulator/orders/request.ts'
import { PLAIN_ALGO } from '../../../../src/simulator/state/algo-terms.ts'
import { BUY, SELL } from '../../../../src/simulator/state/state.ts'
import { openVenueFile } from '../../../../src/store/entity-file.ts'
import { WORLD_START_MS } from '../../engine/worlds.ts'
import { failed } from '../../failed.ts'

const MINUTE_MS = 60_000
const MINUTES = 240
const listed = [...MARKETS.values()].filter(({ base }) => ['BTC', 'SUI'].includes(base))
const initialState = {
  seed: 1,
  beginsAtMs: WORLD_START_MS,
  prices: { kind: 'seeded' },
  listed,
} as const

function open(entities: EntityStore) {
  const past = createPastRows()
  const algos = createAlgoRecords(past)
  return { engine: openEngine({ initialState, entities, journals: [past, algos], failed }), algos }
}

function userOf({ world }: Engine) {
  const user = world.exchange.byKey.get('user')
  if (!user) throw new Error('no user')
  return user
}

/** What a user asks for in one minute: positions, and algo orders of all kinds close to the mark. */
function ask(engine: Engine, minute: number): void {
  const atMs = WORLD_START_MS + minute * MINUTE_MS
  if (minute === 0) {
    const { number: account } = engine.submit('open', { key: 'user', leverage: 10 }, atMs)
    engine.submit('deposit', { account, amount: 50_000_000_000 }, atMs)
    return
  }
  const account = userOf(engine).number
  const market = minute % 2
  const mark = engine.world.exchange.markets[market]?.mark ?? 0
  const near = (bps: number) => Math.round(mark * (1 + bps / 10_000))
  const where = { account, market }
  const quantity = market === 0 ? 2_000 : 20_000
  if (minute % 5 === 0) {
    const side = minute % 10 === 0 ? BUY : SELL
    engine.submit('place', { ...PLAIN_ORDER, ...where, side, type: 'MARKET', quantity }, atMs)
  }
  const own = { ...PLAIN_ALGO, side: SELL, quantity } as const
  const legs = [
    { ...own, algoType: 'TAKE_PROFIT', trigger: near(9), reduceOnly: true },
    { ...own, algoType: 'STOP_LOSS', trigger: near(-9), reduceOnly: true },
  ] as const
  const group = { ...own, algoType: 'TP_SL', reduceOnly: true, children: legs } as const
  const kinds = [
    { ...own, algoType: 'STOP', trigger: near(-6) },
    { ...own, algoType: 'TRAILING_STOP', callbackRate: 80_000 },
    group,
    { ...own, side: BUY, type: 'LIMIT', price: near(-3), algoType: 'BRACKET', children: [group] },
  ] as const
  const chosen = kinds[minute % kinds.length]
  if (chosen && minute % 3 === 0) engine.submit('algo', { ...where, ...chosen }, atMs)
  if (minute % 50 === 0) engine.submit('cancelAllAt', { account, at: atMs + 90_000 }, atMs)
}

/** Runs the scenario in steps of so many milliseconds; `between` may replace the engine. */
function run(first: Engine, stepMs: number, between: (engine: Engine, minute: number) => Engine) {
  let engine = first
  for (let minute = 0; minute <= MINUTES; minute++) {
    const atMs = WORLD_START_MS + minute * MINUTE_MS
    for (let at = atMs - MINUTE_MS + stepMs; at <= atMs; at += stepMs) engine.advance(at)
    ask(engine, minute)
    engine.commit()
    engine = between(engine, minute)
  }
  return engine
}

// Slow: the same hours are simulated twice, once with restarts.
test('algo orders are part of one world: one hash however time steps, restarted or not', () => {
  const whole = open(openVenueFile(':memory:'))
  run(whole.engine, MINUTE_MS, (engine) => engine)
  const entities = openVenueFile(':memory:')
  let latest = open(entities)
  const restarted = run(latest.engine, 7_500, (engine, minute) => {
    if (minute % 60 === 30) engine.save()
    if (minute % 20 !== 10) return engine
    latest = open(entities)
    return latest.engine
  })
  expect(worldHash(restarted.world)).toBe(worldHash(whole.engine.world))
  const ended = latest.algos.of(userOf(restarted))
  expect(ended).toEqual(whole.algos.of(userOf(whole.engine)))
  const outcomes = new Set(ended.map(({ algoType, status }) => `${algoType} ${status}`))
  for (const kind of ['STOP', 'TRAILING_STOP', 'TP_SL', 'BRACKET'])
    expect(outcomes).toContain(`${kind} FILLED`)
  expect(userOf(restarted).algos.size).toBeGreaterThan(0)
  expect(checkExchange(restarted.world.exchange)).toEqual([])
})

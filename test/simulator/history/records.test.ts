import { expect, test } from 'bun:test'
import { openEngine } from '../../../src/simulator/engine/engine.ts'
import { createPastRows } from '../../../src/simulator/history/past-rows.ts'
import { createRecords } from '../../../src/simulator/history/records.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { BUY } from '../../../src/simulator/state/state.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { WORLD_START_MS } from '../engine/worlds.ts'
import { failed } from '../failed.ts'

const listed = [...MARKETS.values()].filter(({ base }) => base === 'TRUMP')
const initialState = {
  seed: 1,
  beginsAtMs: WORLD_START_MS,
  prices: { kind: 'seeded' },
  listed,
} as const
const HOUR_MS = 3_600_000

/** A user who buys with much leverage, holds over a settlement, and is caught by a fall of a tenth. */
function openScenario() {
  const entities = openVenueFile(':memory:')
  const past = createPastRows()
  const records = createRecords(past)
  const engine = openEngine({ initialState, entities, journals: [past, records], failed })
  const { number: account } = engine.submit('open', { key: 'user', leverage: 10 }, WORLD_START_MS)
  engine.submit('deposit', { account, amount: 1_000_000_000 }, WORLD_START_MS)
  const order = { ...PLAIN_ORDER, account, market: 0, side: BUY, type: 'MARKET' } as const
  const { mark = 1, spec } = engine.world.exchange.markets[0] ?? {}
  const quantity = Math.floor(9_000e6 / (mark * (spec?.unit ?? 1)))
  engine.submit('place', { ...order, quantity }, WORLD_START_MS + 1000)
  engine.advance(WORLD_START_MS + HOUR_MS)
  engine.submit('shock', { market: 0, share: -0.1 }, WORLD_START_MS + HOUR_MS + 1)
  engine.advance(WORLD_START_MS + HOUR_MS + 900_000)
  engine.commit()
  return { engine, entities, records, user: engine.world.exchange.byKey.get('user') }
}

test('an account’s histories tell its order, executions, funding, liquidation and the end of its position', () => {
  const { records, user, engine } = openScenario()
  if (!user) throw new Error('no user')
  const { orders, trades, fundings, closed } = records.of(user)
  const [order] = orders
  const traded = trades.reduce((sum, { quantity }) => sum + quantity, 0)
  expect(orders).toHaveLength(1)
  expect(traded).toBe(order?.executed ?? 0)
  expect(trades.reduce((sum, { fee }) => sum + fee, 0)).toBe(order?.fee ?? 0)
  expect(fundings).toHaveLength(1)
  expect(fundings[0]?.fee).toBeGreaterThan(0)
  const own = records.liquidations.filter(({ account }) => account === user.number)
  expect(own).toHaveLength(1)
  expect(own[0]?.takeovers.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(traded)
  expect(closed).toMatchObject([{ maxQuantity: traded, closedQuantity: traded, side: BUY }])
  expect(engine.world.exchange.failing.size).toBe(0)
})

test('agents have no histories, but their liquidations are told', () => {
  const { records, engine } = openScenario()
  const [agent] = engine.world.agents
  expect(agent && records.of(agent.account).trades).toEqual([])
  expect(records.liquidations.length).toBeGreaterThan(1)
})

test('a restart finds them as they were, from the log and from a snapshot', () => {
  const { engine, entities, records, user } = openScenario()
  const toMs = engine.world.nowMs
  for (const save of [() => undefined, engine.save]) {
    save()
    const past = createPastRows()
    const again = createRecords(past)
    openEngine({ initialState, entities, journals: [past, again], failed }).advance(toMs)
    expect(user && again.of(user)).toEqual(user && records.of(user))
    expect(again.liquidations).toEqual(records.liquidations)
  }
})

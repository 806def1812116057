// Slow: each seed is hundreds of acts on a whole venue, which is started again from its file on the way.
import { expect, test } from 'bun:test'
import { createRng, type Rng } from '../../src/simulator/base/rng.ts'
import { worldHash } from '../../src/simulator/engine/check.ts'
import { readAll } from './account-reads.ts'
import { openVenueFixture, type Trader, type VenueFixture } from './fixture.ts'
import { ACTIONS, pick, SYMBOLS } from './random-actions.ts'
import { brokenOf } from './rest/money/consents.ts'
import { publicGet } from './trading-wallet.ts'

/** How many venues are tried; a long run takes hundreds, from another seed on. */
const FIXTURES = Number(process.env['HUNT_DESKS'] ?? 3)
const FIRST = Number(process.env['HUNT_FIRST'] ?? 300)
const STEPS = 150
const RESTART_EVERY = 25
const NAMES = ['a', 'b', 'c'] as const
const PUBLIC = ['liquidated_positions', 'insurancefund', 'liquidation']
const MORE = [
  '/v1/algo/orders?size=100',
  '/v1/liquidations',
  '/v1/pnl_settlement/history',
  '/v1/internal_transfer_history?side=OUT',
  '/v1/notification/inbox/notifications',
]

/** Every public and private answer, and the hash of the world. */
async function everything(fixture: VenueFixture, traders: readonly Trader[]) {
  fixture.advance()
  const hash = worldHash(fixture.exchange().simulation().engine.world)
  const own = await Promise.all(
    traders.map(async (trader) => ({
      ...(await readAll(trader)),
      more: await Promise.all(MORE.map(async (path) => (await trader.get(path)).data)),
    })),
  )
  const open = await Promise.all(
    PUBLIC.map(async (path) => (await fixture.send(publicGet(`/v1/public/${path}`))).data),
  )
  return { hash, own, open }
}

async function step(fixture: VenueFixture, traders: readonly Trader[], rng: Rng): Promise<string> {
  const name = pick(rng, NAMES)
  const trader = traders[NAMES.indexOf(name)]
  const symbol = pick(rng, SYMBOLS)
  const market = fixture.exchange().simulation().engine.world.exchange.bySymbol.get(symbol)
  if (!trader || !market) throw new RangeError(symbol)
  const mark = (market.mark * market.spec.tick) / 1e8
  const action = pick(rng, Object.keys(ACTIONS))
  const scene = { fixture, rng, trader, name, others: traders, symbol, mark }
  const answer = await ACTIONS[action]?.(scene)
  expect([action, answer?.body, (answer?.status ?? 0) < 500]).toEqual([action, answer?.body, true])
  expect([action, brokenOf(fixture), fixture.faults]).toEqual([action, [], []])
  return `${action} ${answer?.status ?? ''}`
}

test.each(Array.from({ length: FIXTURES }, (_, at) => FIRST + at))(
  'whatever users, prices and the operator do at random, the books are sound and a kill changes nothing: seed %p',
  async (seed) => {
    using fixture = openVenueFixture()
    const rng = createRng(seed, 'hunt')
    const traders: Trader[] = []
    for (const name of NAMES)
      traders.push(await fixture.trader(name, { scope: 'read,trading,asset' }))
    for (const trader of traders)
      for (const symbol of SYMBOLS) {
        const default_margin_mode = pick(rng, ['CROSS', 'ISOLATED'])
        await trader.post('/v1/client/margin_mode', { symbol, default_margin_mode })
      }
    const done = new Set<string>()
    for (let at = 1; at <= STEPS; at++) {
      done.add(await step(fixture, traders, rng))
      if (at % RESTART_EVERY !== 0) continue
      const before = await everything(fixture, traders)
      fixture.restart()
      expect(await everything(fixture, traders)).toEqual(before)
    }
    expect([...done].filter((each) => each.endsWith(' 200')).length).toBeGreaterThan(8)
  },
)

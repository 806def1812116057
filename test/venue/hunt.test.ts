import { expect, test } from 'bun:test'
import { type Rng, rngOf } from '../../src/venue/base/rng.ts'
import { hashOf } from '../../src/venue/engine/check.ts'
import { readAll } from './account-reads.ts'
import { DEEDS, pick, SYMBOLS } from './deeds.ts'
import { brokenOf } from './rest/money/consents.ts'
import { type Desk, openDesk, type Trader } from './trading-desk.ts'
import { publicGet } from './trading-wallet.ts'

/** How many desks are tried; a long run takes hundreds, from another seed on. */
const DESKS = Number(process.env['HUNT_DESKS'] ?? 3)
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

/** All that anybody can be told, and the hash of the world. */
async function everything(desk: Desk, traders: readonly Trader[]) {
  desk.venue().advance(desk.nowMs())
  const hash = hashOf(desk.exchange().simulation().engine.world)
  const own = await Promise.all(
    traders.map(async (trader) => ({
      ...(await readAll(trader)),
      more: await Promise.all(MORE.map(async (path) => (await trader.get(path)).data)),
    })),
  )
  const open = await Promise.all(
    PUBLIC.map(async (path) => (await desk.send(publicGet(`/v1/public/${path}`))).data),
  )
  return { hash, own, open }
}

async function step(desk: Desk, traders: readonly Trader[], rng: Rng): Promise<string> {
  const name = pick(rng, NAMES)
  const trader = traders[NAMES.indexOf(name)]
  const symbol = pick(rng, SYMBOLS)
  const market = desk.exchange().simulation().engine.world.exchange.bySymbol.get(symbol)
  if (!trader || !market) throw new RangeError(symbol)
  const mark = (market.mark * market.spec.tick) / 1e8
  const deed = pick(rng, Object.keys(DEEDS))
  const scene = { desk, rng, trader, name, others: traders, symbol, mark }
  const answer = await DEEDS[deed]?.(scene)
  expect([deed, answer?.body, (answer?.status ?? 0) < 500]).toEqual([deed, answer?.body, true])
  expect([deed, brokenOf(desk), desk.faults]).toEqual([deed, [], []])
  return `${deed} ${answer?.status ?? ''}`
}

test.each(Array.from({ length: DESKS }, (_, at) => FIRST + at))(
  'whatever users, prices and the operator do at random, the books are sound and a kill changes nothing: seed %p',
  async (seed) => {
    using desk = openDesk()
    const rng = rngOf(seed, 'hunt')
    const traders: Trader[] = []
    for (const name of NAMES) traders.push(await desk.trader(name, { scope: 'read,trading,asset' }))
    for (const trader of traders)
      for (const symbol of SYMBOLS) {
        const default_margin_mode = pick(rng, ['CROSS', 'ISOLATED'])
        await trader.post('/v1/client/margin_mode', { symbol, default_margin_mode })
      }
    const done = new Set<string>()
    for (let at = 1; at <= STEPS; at++) {
      done.add(await step(desk, traders, rng))
      if (at % RESTART_EVERY !== 0) continue
      const before = await everything(desk, traders)
      desk.restart()
      expect(await everything(desk, traders)).toEqual(before)
    }
    expect([...done].filter((each) => each.endsWith(' 200')).length).toBeGreaterThan(8)
  },
)

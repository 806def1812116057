import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkExchange, worldHash } from '../../../src/simulator/engine/check.ts'
import { type Engine, openEngine } from '../../../src/simulator/engine/engine.ts'
import { createInboxes } from '../../../src/simulator/history/inbox.ts'
import { createLedgers } from '../../../src/simulator/history/ledger.ts'
import { createPastRows } from '../../../src/simulator/history/past-rows.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { BUY, SELL, type SideSign } from '../../../src/simulator/state/state.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { runs } from '../../runs.ts'
import { WORLD_START_MS as NEW_YEAR_MS } from '../engine/worlds.ts'
import { failed } from '../failed.ts'

const USERS = 4
const HOUR_MS = 3_600_000
/** Late enough for midnight, when rebates are paid, to be near. */
const WORLD_START_MS = NEW_YEAR_MS + 20 * HOUR_MS
const listed = [...MARKETS.values()].filter(({ base }) => ['ETH', 'SUI'].includes(base))
const initialState = {
  seed: 3,
  beginsAtMs: WORLD_START_MS,
  prices: { kind: 'seeded' },
  listed,
} as const

/** Anything that moves money: as often as not something that is refused. */
type Event =
  | { readonly kind: 'trade'; readonly who: number; readonly market: 0 | 1; readonly steps: number }
  | { readonly kind: 'withdraw'; readonly who: number; readonly micros: number }
  | { readonly kind: 'ether'; readonly who: number; readonly amount: number }
  | {
      readonly kind: 'transfer'
      readonly who: number
      readonly to: number
      readonly micros: number
    }
  | { readonly kind: 'settle'; readonly who: number }
  | { readonly kind: 'shock'; readonly market: 0 | 1; readonly percent: number }
  | { readonly kind: 'wait'; readonly minutes: number }

const who = fc.nat(USERS - 1)
const market = fc.constantFrom<0 | 1>(0, 1)
const of = fc.constant
const events: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: of('trade' as const),
      who,
      market,
      steps: fc.integer({ min: -900, max: 900 }),
    }),
  },
  fc.record({ kind: of('withdraw' as const), who, micros: fc.integer({ min: 1, max: 6e9 }) }),
  fc.record({ kind: of('ether' as const), who, amount: fc.integer({ min: -2e8, max: 3e8 }) }),
  fc.record({
    kind: of('transfer' as const),
    who,
    to: who,
    micros: fc.integer({ min: 1, max: 6e9 }),
  }),
  { weight: 2, arbitrary: fc.record({ kind: of('settle' as const), who }) },
  fc.record({ kind: of('shock' as const), market, percent: fc.integer({ min: -25, max: 25 }) }),
  fc.record({ kind: of('wait' as const), minutes: fc.constantFrom(0.01, 1, 11, 90) }),
)

function openUsers(engine: Engine): void {
  const { byKey } = engine.world.exchange
  for (let user = 0; user < USERS; user++) {
    const { number: account } = engine.submit(
      'open',
      { key: `u${user}`, leverage: 20 },
      WORLD_START_MS,
    )
    engine.submit('deposit', { account, amount: 5_000_000_000, chainId: '1' }, WORLD_START_MS)
  }
  const [first, second, third] = [0, 1, 2].map((user) => byKey.get(`u${user}`)?.number ?? 0)
  const shares = [
    { to: second ?? 0, rate: 4_000_000, level: 'referee' },
    { to: first ?? 0, rate: 16_000_000, level: 'direct' },
    { to: third ?? 0, rate: 5_000_000, level: 'indirect' },
  ] as const
  engine.submit('shares', { account: second ?? 0, shares }, WORLD_START_MS)
}

function happen(engine: Engine, event: Event, atMs: number): void {
  const { exchange } = engine.world
  const account = (user: number) => {
    const found = exchange.byKey.get(`u${user}`)
    if (!found) throw new RangeError('no user')
    return found
  }
  if (event.kind === 'shock') {
    engine.submit('shock', { market: event.market, share: event.percent / 100 }, atMs)
  } else if (event.kind !== 'wait') {
    const owner = account(event.who)
    const { number } = owner
    const toChain = { fee: 1, chainId: '1', receiver: '0x', isCrossChain: false }
    if (event.kind === 'trade') {
      const side: SideSign = event.steps < 0 ? SELL : BUY
      const quantity = Math.abs(event.steps) + 1
      const order = { ...PLAIN_ORDER, account: number, market: event.market, side, quantity }
      engine.submit('place', { ...order, type: 'MARKET', price: 0 }, atMs)
    } else if (event.kind === 'withdraw') {
      const nonce = owner.nonces.withdraw + 1
      const leaving = { account: number, nonce, token: 'USDC', amount: event.micros, ...toChain }
      engine.submit('withdraw', leaving, atMs)
    } else if (event.kind === 'ether' && event.amount > 0) {
      engine.submit('tokens', { account: number, token: 'ETH', amount: event.amount }, atMs)
    } else if (event.kind === 'ether') {
      const nonce = owner.nonces.withdraw + 1
      const leaving = { account: number, nonce, token: 'ETH', amount: 1 - event.amount, ...toChain }
      engine.submit('withdraw', leaving, atMs)
    } else if (event.kind === 'transfer') {
      const part = { to: account(event.to).number, amount: event.micros }
      engine.submit('transfer', { account: number, token: 'USDC', parts: [part] }, atMs)
    } else {
      engine.submit('settle', { account: number, nonce: owner.nonces.settle + 1 }, atMs)
    }
  }
}

// Slow: random sequences of transfers are each played in a world of their own, which starts again.
test('no money comes to be or is lost, whatever happens, and a restart finds all of it', () => {
  let settled = 0
  let moved = 0
  fc.assert(
    fc.property(fc.array(events, { minLength: 20, maxLength: 60 }), (scenario) => {
      const entities = openVenueFile(':memory:')
      const open = () => {
        const past = createPastRows()
        return [createLedgers(past), createInboxes(), past] as const
      }
      const kept = open()
      const engine = openEngine({ initialState, entities, journals: kept, failed })
      openUsers(engine)
      let atMs = WORLD_START_MS
      for (const event of scenario) {
        atMs += event.kind === 'wait' ? event.minutes * 60_000 : 400
        engine.advance(atMs)
        expect(checkExchange(engine.world.exchange)).toEqual([])
        happen(engine, event, atMs)
        expect(checkExchange(engine.world.exchange)).toEqual([])
      }
      engine.commit()
      const again = open()
      const restarted = openEngine({ initialState, entities, journals: again, failed })
      for (const each of [engine, restarted]) {
        each.advance(Math.max(atMs, WORLD_START_MS + 4 * HOUR_MS) + HOUR_MS)
        expect(checkExchange(each.world.exchange)).toEqual([])
      }
      expect(worldHash(restarted.world)).toBe(worldHash(engine.world))
      expect(again.map(({ save }) => save())).toEqual(kept.map(({ save }) => save()))
      const users = engine.world.exchange.accounts.filter(({ kind }) => kind === 'user')
      for (const user of users) {
        settled += kept[0].of(user).settlements.length
        moved += kept[0].of(user).assets.length + kept[0].of(user).transfers.length
      }
      expect(engine.world.exchange.moves.size).toBe(0)
    }),
    { numRuns: runs(5) },
  )
  expect(settled).toBeGreaterThan(0)
  expect(moved).toBeGreaterThan(5 * USERS)
})

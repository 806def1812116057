import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RATE_ONE } from '../../../src/simulator/base/units.ts'
import type { VaultRequest } from '../../../src/simulator/state/world.ts'
import {
  ownerStake,
  performanceFees,
  sampleAt,
  vaultBooks,
  withdrawableShares,
} from '../../../src/simulator/vaults/book.ts'
import { checkVaults } from '../../../src/simulator/vaults/requests.ts'
import { runs } from '../../runs.ts'

const DAY_MS = 86_400_000
const WORLD_START_MS = Date.UTC(2026, 0, 1)
const CALLERS = ['0xa', '0xb', '0xc']

function bookAt(nowMs: number, vaultRequests: readonly VaultRequest[] = [], seed = 1, vault = 0) {
  const book = vaultBooks({ seed, beginsAtMs: WORLD_START_MS, nowMs, vaultRequests })[vault]
  if (!book) throw new Error('no vault')
  return book
}

describe('a vault', () => {
  test.each([0, 1])(
    'number %d has a value, charges fees above its high-water mark and no others',
    (vault) => {
      const book = bookAt(WORLD_START_MS + 400 * DAY_MS, [], 1, vault)
      expect(book.prices.length).toBeGreaterThan(490)
      let [highWater, charged] = [RATE_ONE, 0]
      for (const [at, opening] of book.prices.entries()) {
        const before = book.prices[at - 1]
        if (!before) continue
        const gross = opening.main + opening.feePerShare
        expect(gross / before.main).toBeCloseTo(opening.strategy / before.strategy, 6)
        expect(opening.feePerShare > 0).toBe(gross > highWater + 1)
        expect(opening.feePerShare).toBeLessThan(Math.max(1, gross - highWater))
        expect(opening.highWater).toBe(Math.max(highWater, opening.main))
        highWater = opening.highWater
        charged += opening.feePerShare > 0 ? 1 : 0
      }
      expect(charged).toBeWithin(20, book.prices.length - 20)
      const days = book.prices.keys().toArray().slice(1)
      const samples = days.map((day) => sampleAt(book, book.vault.startedAtMs + day * DAY_MS))
      for (const [at, { volume, mainShares, providerShares }] of samples.entries()) {
        expect(volume).toBeGreaterThan(samples[at - 1]?.volume ?? 0)
        expect(Math.min(mainShares, providerShares)).toBeGreaterThan(0)
      }
    },
  )

  test.each([
    [0, 117_066_505, 125_284_178],
    [1, 116_725_419, 122_034_317],
  ])('number %d has the prices at which stored withdrawals were paid', (vault, main, strategy) => {
    const { prices } = bookAt(WORLD_START_MS + 90 * DAY_MS, [], 7, vault)
    expect(prices.at(-1)).toMatchObject({ main, strategy })
  })

  test('is the same whenever it is looked at, and another one by another seed', () => {
    const [early, late] = [bookAt(WORLD_START_MS + DAY_MS), bookAt(WORLD_START_MS + 9.3 * DAY_MS)]
    expect(late.prices.slice(0, early.prices.length)).toEqual([...early.prices])
    expect(sampleAt(late, early.nowMs)).toMatchObject({ nav: sampleAt(early, early.nowMs).nav })
    expect(bookAt(WORLD_START_MS, [], 2).vault.id).not.toBe(early.vault.id)
    const [other, own] = [bookAt(WORLD_START_MS, [], 2), bookAt(WORLD_START_MS)]
    expect(other.prices.at(-1)).not.toEqual(own.prices.at(-1))
  })
})

const steps = fc.array(
  fc.record({
    who: fc.constantFrom(...CALLERS),
    waitMs: fc.integer({ min: 1, max: 3 * DAY_MS }),
    isDeposit: fc.boolean(),
    size: fc.integer({ min: 10_000_000, max: 5_000_000_000_000 }),
  }),
  { maxLength: 25 },
)

/** Callers' requests as the engine takes them: a withdrawal asks for no more than is available. */
function requested(
  scenario: readonly { who: string; waitMs: number; isDeposit: boolean; size: number }[],
) {
  const requests: VaultRequest[] = []
  let nowMs = WORLD_START_MS
  for (const [at, { who, waitMs, isDeposit, size }] of scenario.entries()) {
    nowMs += waitMs
    const owner = { role: 'lp', wallet: who } as const
    const available = withdrawableShares(bookAt(nowMs, requests), owner)
    if (!isDeposit && available === 0) continue
    const type = isDeposit ? 'deposit' : 'withdrawal'
    const asked = isDeposit ? size : 1 + (size % available)
    const of = { account: 1, broker: 'demo', nonce: String(at), chainId: '1', vault: 0, paid: 0 }
    requests.push({ ...owner, ...of, type, atMs: nowMs, size: asked })
  }
  return { requests, nowMs: nowMs + 3 * DAY_MS }
}

describe('whatever callers ask of a vault', () => {
  // Slow: histories of a vault are generated and counted again.
  test('stakes hold all shares and are worth the vault to less than a micro each, and other stakes do not change', () => {
    const property = fc.property(steps, (scenario) => {
      const { requests, nowMs } = requested(scenario)
      const book = bookAt(nowMs, requests)
      for (const request of requests) {
        const own = book.transactions.find(({ nonce }) => nonce === request.nonce)
        request.paid = request.type === 'deposit' ? 0 : (own?.amount ?? 0)
      }
      const world = { seed: 1, beginsAtMs: WORLD_START_MS, nowMs, vaultRequests: requests }
      expect(checkVaults(world)).toEqual([])
      const alone = bookAt(nowMs)
      const [investor, provider] = [alone.vault.deposits[3], alone.vault.deposits[0]]
      if (!investor || !provider) throw new Error('no investor')
      expect(ownerStake(book, investor)).toEqual(ownerStake(alone, investor))
      expect(performanceFees(book, investor)).toEqual(performanceFees(alone, investor))
      expect(ownerStake(book, provider).nav).toBeGreaterThanOrEqual(ownerStake(alone, provider).nav)
      for (const wallet of CALLERS) checkCaller(book, requests, wallet)
    })
    fc.assert(property, { numRuns: runs(10) })
  })

  test('a withdrawal that was not paid, or paid otherwise, is found', () => {
    const { requests, nowMs } = requested([
      { who: '0xa', waitMs: 1, isDeposit: true, size: 1_000_000_000 },
      { who: '0xa', waitMs: 3.5 * DAY_MS, isDeposit: false, size: 400_000_000 },
    ])
    const world = { seed: 1, beginsAtMs: WORLD_START_MS, nowMs, vaultRequests: requests }
    expect(requests).toHaveLength(2)
    expect(checkVaults(world)).toEqual(['0xa was not paid what its vault owes'])
  })
})

/** The value of a caller by a model of its own: what each request bought or sold, at the price of its period’s end. */
function checkCaller(
  book: ReturnType<typeof bookAt>,
  requests: readonly VaultRequest[],
  wallet: string,
) {
  let [shares, paidOut] = [0, 0]
  for (const { type, size, atMs } of requests.filter((each) => each.wallet === wallet)) {
    const price = priceAfter(book, atMs) / RATE_ONE
    shares += type === 'deposit' ? size / price : -size
    paidOut += type === 'deposit' ? 0 : size * price
  }
  const held = ownerStake(book, { role: 'lp', wallet })
  expect(Math.abs(held.shares - shares)).toBeLessThan(requests.length + 1)
  expect(Math.abs(held.paidOut - paidOut)).toBeLessThan(requests.length + 1)
}

/** The price of a main share as the period after a time begins. */
function priceAfter({ prices, vault }: ReturnType<typeof bookAt>, atMs: number): number {
  return prices[Math.floor((atMs - vault.startedAtMs) / DAY_MS) + 1]?.main ?? 0
}

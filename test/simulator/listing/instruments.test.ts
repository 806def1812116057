import { describe, expect, test } from 'bun:test'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'

const ALL = [...MARKETS.values()]
const ONE = 100_000_000n

describe('the table of markets', () => {
  test('names at least forty-four markets, each once', () => {
    expect(MARKETS.size).toBe(54)
    expect(
      ALL.filter(({ status, listedBy }) => status === 'ACTIVE' && !listedBy).length,
    ).toBeGreaterThan(43)
    expect(
      ['BTC', 'ETH', 'SOL', '1INCH', 'SUSHI', 'WOO', '1000PEPE', 'XAU'].filter(
        (base) => !MARKETS.has(`PERP_${base}_USDC`),
      ),
    ).toEqual([])
  })

  test('plants one market that is not active and one that a builder listed, for the gateway to drop', () => {
    expect(ALL.filter(({ status }) => status !== 'ACTIVE').map(({ symbol }) => symbol)).toEqual([
      'PERP_EOS_USDC',
    ])
    expect(ALL.filter(({ listedBy }) => listedBy !== null).map(({ symbol }) => symbol)).toEqual([
      'PERP_MOON_USDC_demo-x',
    ])
    expect(ALL.filter(({ symbol }) => !/^PERP_[A-Z0-9]{1,20}_USDC$/.test(symbol)).length).toBe(1)
  })
})

describe.each(ALL.map((market) => [market.symbol, market] as const))('%s', (_, market) => {
  test('has ticks that are powers of ten, fine enough for its price', () => {
    for (const tick of [market.quoteTick, market.baseTick]) expect(tick.toString()).toMatch(/^10*$/)
    expect(market.referenceTicks).toBeGreaterThanOrEqual(8_000)
  })

  test('values every order in whole micro-USDC', () => {
    expect((market.quoteTick * market.baseTick) % 10_000_000_000n).toBe(0n)
  })

  test('lets a ten thousand dollar order through its filters, and a one cent order not', () => {
    const price = BigInt(market.referenceTicks) * market.quoteTick
    expect((price * market.baseMax) / ONE).toBeGreaterThan(20_000n * ONE)
    expect((price * market.baseMin) / ONE).toBeLessThan(20n * ONE)
    expect(price * 2n).toBeLessThan(market.quoteMax)
    expect(market.baseMax % market.baseTick).toBe(0n)
    expect(market.minNotional).toBe(10_000_000n)
  })

  test('asks more margin to open than to keep a position', () => {
    expect(market.baseMmr).toBeLessThan(market.baseImr)
    expect(market.imrFactor).toBeGreaterThan(0)
    expect(market.floorFunding).toBe(-market.capFunding)
  })
})

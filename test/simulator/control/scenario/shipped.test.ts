import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { Liquidation, Takeover } from '../../../../src/simulator/state/observer.ts'
import { openStage, type Stage, shipped } from './stage.ts'

const ETH = 'PERP_ETH_USDC'
const SUI = 'PERP_SUI_USDC'
const SHIPPED = ['calm', 'crash', 'delisting', 'funding-spike', 'outage', 'squeeze']

/** Every liquidation of a stage from now on. */
function liquidationsOf(stage: Stage): Liquidation[] {
  const records: Liquidation[] = []
  stage.observe({ liquidated: (record) => records.push(record) })
  return records
}

function partsBy(records: readonly Liquidation[], by: Takeover['by']): Takeover[] {
  return records.flatMap(({ takeovers }) => takeovers).filter((part) => part.by === by)
}

test('the scenarios that ship are these, and each is shown below or over the wire', () => {
  const folder = new URL('../../../../config/scenarios', import.meta.url).pathname
  expect(readdirSync(folder).sort()).toEqual(SHIPPED.map((name) => `${name}.txt`))
})

describe('calm', () => {
  test('no mark moves by half a per cent, people trade, and nobody is liquidated', async () => {
    const stage = openStage(shipped('calm'))
    const records = liquidationsOf(stage)
    const markets = stage.world().exchange.markets.filter(({ status }) => status === 'ACTIVE')
    const before = markets.map(({ mark }) => mark)
    let matches = 0
    stage.observe({ matched: () => (matches += 1) })
    for (let hour = 0; hour < 6; hour++) {
      await stage.pass(60)
      for (const [at, { mark, book }] of markets.entries()) {
        expect(Math.abs(mark / (before[at] ?? 0) - 1)).toBeLessThan(0.005)
        expect(book.bids.best && book.asks.best).not.toBeNull()
      }
    }
    expect(matches).toBeGreaterThan(1000)
    expect(records).toEqual([])
  })
})

describe('crash', () => {
  test('longs are liquidated, the insurance fund pays, and the other side is deleveraged', async () => {
    const stage = openStage(shipped('crash'))
    const records = liquidationsOf(stage)
    const market = stage.market(ETH)
    await stage.pass(30)
    const [markBefore, fundBefore] = [market.mark, stage.world().fund.holding]
    expect(records).toEqual([])
    await stage.pass(5, 5)
    expect(market.mark / markBefore).toBeLessThan(0.6)
    expect(records.length).toBeGreaterThan(10)
    expect(partsBy(records, 'fund').length).toBeGreaterThan(0)
    expect(partsBy(records, 'adl').length).toBeGreaterThan(0)
    expect(partsBy(records, 'adl').every(({ quantity }) => quantity > 0)).toBe(true)
    expect(stage.world().fund.holding).toBeLessThan(fundBefore * 0.8)
    await stage.pass(85, 5)
  })
})

describe('squeeze', () => {
  test('shorts are liquidated while the price climbs, and the book comes back', async () => {
    const stage = openStage(shipped('squeeze'))
    const records = liquidationsOf(stage)
    const market = stage.market(ETH)
    await stage.pass(30)
    const before = market.mark
    await stage.pass(25, 5)
    expect(market.mark / before).toBeGreaterThan(1.1)
    const shorts = records
      .flatMap(({ takeovers }) => takeovers)
      .filter((part) => part.market === market && part.quantity < 0)
    expect(shorts.length).toBeGreaterThan(0)
    await stage.pass(15)
    expect(market.book.bids.best && market.book.asks.best).not.toBeNull()
  })
})

describe('delisting', () => {
  // Slow: minutes of a market with all its agents are simulated.
  test('a market takes closing orders only, then none, then nobody holds it', async () => {
    const stage = openStage(shipped('delisting'))
    const market = stage.market(SUI)
    await stage.pass(5)
    expect(market.status).toBe('ACTIVE')
    expect(market.holders.size).toBeGreaterThan(1)
    await stage.pass(40)
    expect(market.status).toBe('REDUCE_ONLY')
    await stage.pass(30)
    expect(market.status).toBe('DELISTING')
    expect([market.book.bids.orders, market.book.asks.orders]).toEqual([0, 0])
    const held = market.holders.size
    expect(held).toBeGreaterThan(1)
    await stage.pass(60)
    expect(market.status).toBe('DELISTED')
    expect([market.holders.size, market.openInterest]).toEqual([0, 0])
    await stage.pass(600)
    expect(market.book.bids.orders + market.book.asks.orders).toBe(0)
  })
})

describe('funding spike', () => {
  // Slow: hours of a market with all its agents are simulated.
  test('funding settles at its cap and longs pay shorts', async () => {
    const stage = openStage(shipped('funding-spike'))
    const market = stage.market(ETH)
    const rates: number[] = []
    let paidByLongs = 0
    stage.observe({
      funded: (settlement) => {
        if (settlement.market !== market) return
        rates.push(settlement.rate)
        for (const { marketAccount, fee } of settlement.charges)
          if (marketAccount.quantity > 0) paidByLongs += fee
      },
    })
    await stage.pass(16 * 60 + 1)
    const [first = 0, second = 0] = rates
    expect([first, second]).toEqual([market.spec.fundingCap, market.spec.fundingCap])
    expect(paidByLongs).toBeGreaterThan(0)
  })
})

import { expect, test } from 'bun:test'
import { replayedPrices } from '../../../../src/venue/engine/prices/replay.ts'

const SPECS = new Map([['PERP_BTC_USDC', { tick: 10_000_000 }]])

const FILE = `symbol,time,open,high,low,close,volume
PERP_BTC_USDC,1767225600000,60000,60300,59900,60200,5
PERP_BTC_USDC,1767225660,60200,60200,60000,60100,4
`

function priceAt(text: string, seconds: number, symbol = 'PERP_BTC_USDC') {
  const source = replayedPrices(text, SPECS)
  return source.kind === 'replayed' ? source.priceAt(symbol, 1_767_225_600_000 + seconds * 1000) : 0
}

test('a candle is gone through from its open by both extremes to its close', () => {
  expect([0, 20, 40, 60].map((seconds) => priceAt(FILE, seconds))).toEqual([
    600_000, 599_000, 603_000, 602_000,
  ])
})

test('after the last candle the price stands, before the first there is none', () => {
  expect(priceAt(FILE, 120)).toBe(601_000)
  expect(priceAt(FILE, 9999)).toBe(601_000)
  expect(priceAt(FILE, -1)).toBeNull()
  expect(priceAt(FILE, 0, 'PERP_ETH_USDC')).toBeNull()
})

test.each([
  ['too few columns', 'PERP_BTC_USDC,1767225600000,1,2'],
  ['a low above the open', 'PERP_BTC_USDC,1767225600000,1,3,2,2,1'],
  ['no time', 'PERP_BTC_USDC,soon,1,3,1,2,1'],
  ['a price that is none', 'PERP_BTC_USDC,1767225600000,1,x,1,2,1'],
])('a row with %s is refused by its line', (_, line) => {
  expect(() => replayedPrices(`${FILE}${line}`, SPECS)).toThrow('line 4')
})

import { expect, test } from 'bun:test'
import { positionLines } from '../../src/pages/trade/chart/position-lines.ts'

const CROSS = { symbol: 'PERP_ETH_USDC', isIsolated: false, entry: 2000n, liquidation: 0n }
const ISOLATED = { ...CROSS, isIsolated: true, entry: 2100n, liquidation: 1900n }

test('positions of both margin modes have lines of their own, named with the mode', () => {
  const lines = positionLines([CROSS, ISOLATED])
  expect(new Set(lines.map(({ key }) => key)).size).toBe(3)
  const titles = ['Entry cross', 'Entry isolated', 'Liquidation isolated']
  expect(lines.map(({ title }) => title)).toEqual(titles)
})

test('the only position of a market has lines without a mode', () => {
  expect(positionLines([ISOLATED]).map(({ title }) => title)).toEqual(['Entry', 'Liquidation'])
  expect(positionLines([])).toEqual([])
})

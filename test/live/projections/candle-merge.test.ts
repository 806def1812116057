import { expect, test } from 'bun:test'
import { mergeCandles } from '../../../src/live/projections/candle-merge.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const candle = (hour: number, [open, high, low, close]: readonly string[], volume?: unknown) => ({
  timestamp: DAY_MS + hour * HOUR_MS,
  open,
  high,
  low,
  close,
  volume,
})

test('candles of one span become one: first open, last close, extremes in their own spelling', () => {
  const rows = [
    candle(8, ['3', '9.50', '2.0', '4'], '0.2'),
    candle(0, ['1', '5', '1.0', '2'], '0.1'),
    candle(4, ['2', '09.5', '1', '3'], '0.0000000000000000001'),
    candle(12, ['4', '6', '4', '6'], '7'),
  ]
  expect(mergeCandles(rows, 12 * HOUR_MS)).toEqual([
    { open: '1', high: '09.5', low: '1.0', close: '4', volume: '0.3', timestamp: DAY_MS },
    { open: '4', high: '6', low: '4', close: '6', volume: '7', timestamp: DAY_MS + 12 * HOUR_MS },
  ])
})

test('a candle that starts where a span ends is of the next one', () => {
  const rows = [candle(11, ['1', '1', '1', '1'], '1'), candle(12, ['2', '2', '2', '2'], '2')]
  expect(mergeCandles(rows, 12 * HOUR_MS).map(({ timestamp }) => timestamp)).toEqual([
    DAY_MS,
    DAY_MS + 12 * HOUR_MS,
  ])
})

test.each([undefined, null, 'x', '', {}])('a volume of %p adds nothing', (volume) => {
  const rows = [candle(0, ['1', '1', '1', '1'], '2.5'), candle(4, ['1', '1', '1', '1'], volume)]
  expect(mergeCandles(rows, 12 * HOUR_MS).map((row) => row['volume'])).toEqual(['2.5'])
})

test('no candles make none', () => {
  expect(mergeCandles([], DAY_MS)).toEqual([])
})

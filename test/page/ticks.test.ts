import { expect, test } from 'bun:test'
import { TIMES } from '../../src/page/trade/chart/ticks.ts'

const { timeFormatter } = TIMES.localization
const { tickMarkFormatter } = TIMES.timeScale

function secondsOf(month: number, day = 1, hour = 0, minute = 0) {
  return (Date.UTC(2026, month, day, hour, minute) / 1000) as Parameters<typeof timeFormatter>[0]
}

test.each([
  [0, '2026'],
  [1, 'Nov'],
  [2, '1'],
  [3, '04:07'],
  [4, '04:07'],
] as const)('below the candles stands what has begun there: %p is %s', (kind, text) => {
  expect(tickMarkFormatter(secondsOf(10, 1, 4, 7), kind)).toBe(text)
})

test('the moment under the pointer is told to the minute', () => {
  expect(timeFormatter(secondsOf(10, 1, 4, 7))).toBe('1 Nov 2026 04:07')
})

test('months are called as a browser calls them', () => {
  const months = Array.from({ length: 12 }, (_, month) => month)
  const format = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' })
  expect(months.map((month) => tickMarkFormatter(secondsOf(month), 1))).toEqual(
    months.map((month) => format.format(Date.UTC(2026, month))),
  )
})

import { afterEach, expect, test } from 'bun:test'
import { parseTableTime } from '../../src/core/table-time.ts'

const AT_US = Date.UTC(2026, 0, 1, 12, 30) * 1000
const ZONE = process.env['TZ']

afterEach(() => {
  process.env['TZ'] = ZONE ?? 'UTC'
})

test.each(['UTC', 'Asia/Tokyo', 'America/St_Johns'])(
  'a time is the same on a machine in %s',
  (zone) => {
    process.env['TZ'] = zone
    const spelled = [
      ...['1767270600', '1767270600000', '1767270600000000', '1767270600000000000'],
      ...['1767270600.0', '1767270600000.0', '2026-01-01T12:30:00Z', '2026-01-01T12:30Z'],
      ...['2026-01-01T12:30:00', '2026-01-01 12:30:00', '2026-01-01 12:30:00 UTC'],
      ...['2026-01-01T14:30:00+02:00', '2026-01-01 07:00:00.000-0530', '2026-01-01T21:30:00+09'],
    ]
    expect(spelled.map(parseTableTime)).toEqual(spelled.map(() => AT_US))
    expect(parseTableTime('2026-01-01')).toBe(Date.UTC(2026, 0, 1) * 1000)
  },
)

test('a fraction is kept to the microsecond', () => {
  expect(parseTableTime('1767270600.123456789')).toBe(AT_US + 123_456)
  expect(parseTableTime('1767270600123.5')).toBe(AT_US + 123_500)
  expect(parseTableTime('1767270600123456789')).toBe(AT_US + 123_456)
  expect(parseTableTime('2026-01-01T12:30:00.000001Z')).toBe(AT_US + 1)
})

test('what is no time, or might be two, is none', () => {
  const refused = [
    ...['', 'soon', '12', '17672706000', '17672706000000', '1767270600000000.5', '1.7672706e+15'],
    ...['-1767270600', '2026-02-30', '2026-01-01T25:00:00Z', '2026-01-01T12:30:00+15:00'],
    ...['2026-01-01T12:30:00 CET', '01/02/2026 12:30', '2026-1-1', ' 1767270600'],
  ]
  expect(refused.map(parseTableTime)).toEqual(refused.map(() => null))
})

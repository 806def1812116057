import { expect, test } from 'bun:test'
import { answerLines } from '../../src/operator/command/tables.ts'
import { durationText, timeText } from '../../src/operator/command/times.ts'

const NOW_MS = Date.UTC(2026, 0, 2, 12)

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min 59 s'],
  [3_600_000, '1 h'],
  [3_661_000, '1 h 1 min'],
  [86_399_999, '23 h 59 min'],
  [86_400_000 + 59_000, '1 d'],
  [90 * 86_400_000 + 3_600_000, '90 d 1 h'],
])('%d ms are %p', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test.each([
  [-3 * 3_600_000, '2026-01-02T09:00:00Z (3 h ago)'],
  [0, '2026-01-02T12:00:00Z (0 ms ago)'],
  [90_000, '2026-01-02T12:01:30Z (in 1 min 30 s)'],
])('%d ms from now is %p', (ms, text) => {
  expect(timeText(NOW_MS + ms, NOW_MS)).toBe(text)
})

test('an answer of a server has its times in UTC with how long ago, and its durations in units', () => {
  const answer = {
    ...{ uptimeSeconds: 11_045, ageSeconds: null, seconds: 7 },
    ...{ madeAt: '2026-01-01T12:00:00.000Z', stat: '2026-01-01T12:00:00.000Z' },
    rows: [{ caller: '203.0.113.9', blockedAtMs: NOW_MS - 60_000 }],
  }
  expect(answerLines(answer, NOW_MS)).toEqual([
    'uptime   3 h 4 min',
    'age      -',
    'seconds  7',
    'made at  2026-01-01T12:00:00Z (1 d ago)',
    'stat     2026-01-01T12:00:00.000Z',
    'CALLER       BLOCKED AT',
    '203.0.113.9  2026-01-02T11:59:00Z (1 min ago)',
  ])
})

test('an answer whose clock may be another has its times in UTC alone', () => {
  expect(answerLines({ endsAtMs: NOW_MS }, null)).toEqual(['ends at  2026-01-02T12:00:00.000Z'])
})

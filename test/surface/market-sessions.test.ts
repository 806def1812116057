import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openTarget, type Target } from '../target.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget('in process', { VENUE: 'embedded' })
})
afterAll(() => target.stop())

test('on the simulated exchange every market that has sessions is open, and the answer is kept a minute', async () => {
  const response = await target.fetch('/api/prep/market-sessions')
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toContain('max-age=60')
  const { rows } = Object(await response.json())
  expect(Array.isArray(rows)).toBe(true)
  for (const row of rows)
    expect(row).toMatchObject({ open: true, opensAt: null, closesAt: null, note: '' })
})

import { expect, test } from 'bun:test'
import {
  buy,
  mandate,
  openWorldForEach,
  outcomeOf,
  readFigures,
  time,
  USDC,
  world,
} from './gate-world.ts'

openWorldForEach()

test('a limit of losses goes on by the fees that are known, whatever shorter page is read after them', async () => {
  await mandate({ maxLossUsdc: 50n * USDC })
  world.dayResult = -40
  const fills = (count: number) =>
    Array.from({ length: count }, () => ({
      ...{ fee: 0.01, fee_asset: 'USDC', executed_timestamp: time.nowMs },
    }))
  world.dayRows = { '/v1/trades': fills(400) }
  await readFigures()
  expect(await outcomeOf(buy(10))).toBe('sent')
  world.dayRows = { '/v1/trades': fills(500) }
  expect(await outcomeOf({ method: 'GET', path: '/v1/trades?page=1&size=25' })).toBe('sent')
  expect(await outcomeOf(buy(10))).toBe('sent')
  time.nowMs += 10_000
  expect(await outcomeOf(buy(10))).toMatchObject({ next: expect.stringMatching(/^Relay GET/) })
  await readFigures()
  // The venue has more fills than one read shows: the limit leaves their fees out, and orders still go.
  expect(await outcomeOf(buy(10))).toBe('sent')
  world.dayResult = -51
  await readFigures()
  expect(await outcomeOf(buy(10))).toMatchObject({ reason: 'loss', limit: 50 })
})

test('a limit of losses counts funding for a minute after its read, and ten seconds more for the other figures', async () => {
  await mandate({ maxLossUsdc: 50n * USDC })
  world.dayResult = -40
  const paid = { funding_fee: 20, payment_type: 'Pay', created_time: time.nowMs }
  world.dayRows = { '/v1/funding_fee/history': [paid] }
  await readFigures()
  const positionsOnly = () => outcomeOf({ method: 'GET', path: '/v1/positions' })
  expect(await outcomeOf(buy(10))).toMatchObject({ reason: 'loss', limit: 50 })
  time.nowMs += 69_000
  expect(await positionsOnly()).toBe('sent')
  expect(await outcomeOf(buy(10))).toMatchObject({ reason: 'loss', limit: 50 })
  time.nowMs += 2_000
  expect(await positionsOnly()).toBe('sent')
  expect(await outcomeOf(buy(10))).toBe('sent')
})

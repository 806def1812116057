import { expect, test } from 'bun:test'
import { randomOf } from './random.ts'
import { stopUnderLoad } from './stops.ts'

// Slow: an executable starts, works under load and stops.
test('stopped under load, it answers every write that the venue has met, and ends well', async () => {
  const { answered, ...rest } = await stopUnderLoad(randomOf(Date.now()))
  expect(rest).toEqual({ code: 0, stderr: '', untold: [], doubled: [] })
  expect(answered).toBeGreaterThan(0)
})

import { expect, test } from 'bun:test'
import { Failure } from '../../src/core/failure.ts'
import { createCallers } from '../../src/routes/http/callers.ts'
import { createSockets } from '../../src/routes/http/sockets.ts'
import { stream } from '../../src/routes/stream.ts'
import { FREE } from '../limits/free.ts'

test('an opening of live data that failed is tried again by the next who asks', async () => {
  let openings = 0
  const app = stream({
    callers: createCallers(),
    limiter: { charge: () => FREE, take: () => FREE, isBlocked: () => false },
    controls: { assertOpen: () => undefined },
    sockets: createSockets({ nowMs: () => 0 }),
    origins: '*',
    openStream: async () => {
      openings += 1
      throw new Failure('upstream_unavailable')
    },
  })
  for (const _ of [1, 2])
    await app.handle(new Request('http://localhost/api/prep/stream?topics=marks'))
  expect(openings).toBe(2)
})

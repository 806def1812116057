import { expect, test } from 'bun:test'
import { STREAM_LIMITS } from '../../src/contract/stream/limits.ts'
import { Failure } from '../../src/core/failure.ts'
import { createCallers } from '../../src/http/server/callers.ts'
import { createSockets } from '../../src/http/server/sockets.ts'
import { streamRoutes } from '../../src/http/stream.ts'
import { FREE } from '../gateway/limits/free.ts'

test('an opening of live data that failed is tried again by the next who asks', async () => {
  let openings = 0
  const app = streamRoutes({
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

test('a silent socket is left to the hub, and a closed one has the runtime’s longest time to take what it was sent', () => {
  const { idleTimeout = 0 } = createSockets({ nowMs: () => 0 }).handlers
  const { heartbeatMs, missedMax } = STREAM_LIMITS
  expect(idleTimeout * 1000).toBeGreaterThan(heartbeatMs * (missedMax + 1))
  // From here on it is 16 seconds; below it is eight or four, less up to four.
  expect(idleTimeout).toBeGreaterThanOrEqual(64)
})

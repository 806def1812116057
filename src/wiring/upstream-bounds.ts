import type { World } from '../core/ports.ts'
import { LIMITS } from '../spec/limits.ts'

/** The bounds of calls to a live venue. */
export function upstreamBounds({ proxied = () => false, monotonicMs }: World) {
  return {
    proxied,
    concurrentMax: LIMITS.upstreamConcurrentMax,
    writeReserved: LIMITS.upstreamWriteReserved,
    queuedMax: { read: LIMITS.upstreamReadQueuedMax, write: LIMITS.upstreamWriteQueuedMax },
    elapsedMs: monotonicMs,
    bodyMaxBytes: LIMITS.upstreamBodyMaxBytes,
    bodyDepthMax: LIMITS.scrubDepthMax,
    bodiesMaxBytes: {
      read: LIMITS.upstreamReadBodiesMaxBytes,
      write: LIMITS.upstreamWriteBodiesMaxBytes,
    },
  }
}

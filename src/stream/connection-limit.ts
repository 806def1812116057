import { Failure } from '../core/failure.ts'
import { STREAM_LIMITS } from '../spec/stream/limits.ts'

/** Counts connections, in all and by address. */
export type ConnectionLimit = {
  /** Takes a slot. Throws Failure rate_limited naming the limit that was reached. */
  readonly take: (limitKey: string) => void
  readonly free: (limitKey: string) => void
  readonly taken: () => number
}

/** A limit of `clientsMax` connections, and of those of one address. */
export function createConnectionLimit(clientsMax: number): ConnectionLimit {
  const byAddress = new Map<string, number>()
  let taken = 0
  return {
    take: (limitKey) => {
      const own = byAddress.get(limitKey) ?? 0
      if (taken >= clientsMax) throw full('clients', clientsMax)
      if (own >= STREAM_LIMITS.connectionsPerAddress) {
        throw full('connections', STREAM_LIMITS.connectionsPerAddress)
      }
      byAddress.set(limitKey, own + 1)
      taken += 1
    },
    free: (limitKey) => {
      const own = byAddress.get(limitKey) ?? 0
      if (own <= 1) byAddress.delete(limitKey)
      else byAddress.set(limitKey, own - 1)
      taken -= 1
    },
    taken: () => taken,
  }
}

const RETRY_SECONDS = 5

function full(limit: string, max: number): Failure {
  return new Failure('rate_limited', { limit, max, retryAfterSeconds: RETRY_SECONDS })
}

import type { Log, Store } from '../../../src/core/ports.ts'
import { type Cache, createCache, type Served } from '../../../src/gateway/cache/cache.ts'
import { DISK_COSTS } from '../../../src/gateway/cache/store-share.ts'
import type { Reply } from '../../../src/gateway/scrub/reply.ts'
import { createScrub } from '../../../src/gateway/scrub/scrub.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'

export const START_MS = 1_700_000_000_000
export const KEY = 'op:markets.get?symbol=PERP_BTC_USDC'
/** How long a call waits for a load that another began: longer than any machine stands still. */
const WAIT_MAX_MS = 60_000
/** Fresh for 5 s, then served while renewed until 15 s, then in an outage until 65 s. */
export const LIFETIME = {
  freshSeconds: 5,
  staleWhileRevalidateSeconds: 10,
  staleIfErrorSeconds: 60,
}
/** Fresh for 5 s, renewed from the fourth on, then in an outage until 65 s. */
export const BOUNDED = { ...LIFETIME, staleWhileRevalidateSeconds: 0 }
export const FRESH_ONLY = {
  freshSeconds: 5,
  staleWhileRevalidateSeconds: 0,
  staleIfErrorSeconds: 0,
}

const scrub = createScrub({ names: [] })
export const replyOf = (value: string | number): Reply =>
  scrub.value({ value }, { audience: 'public' })
export const textOf = ({ reply }: Served) => reply.text()

/** A venue that answers its own count of calls, fails on demand, and can be held back. */
function fakeVenue() {
  const venue = {
    calls: 0,
    fails: undefined as Error | undefined,
    gate: Promise.resolve(),
    load: async (): Promise<Reply> => {
      venue.calls += 1
      const answer = venue.calls
      await venue.gate
      if (venue.fails) throw venue.fails
      return replyOf(answer)
    },
    /** Holds every answer back until the function it answers is called. */
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      venue.gate = promise
      return resolve
    },
  }
  return venue
}

type Line = { level: string; event: string; fields: unknown }

/** A cache on a real store, a venue, a clock to move, and what was logged. */
export function openFixture(
  memoryMaxBytes = 1_000_000,
  store: Pick<Store['responses'], 'get' | 'put' | 'clear'> = openSqlite(':memory:', 0).responses,
  waitMaxMs = WAIT_MAX_MS,
) {
  const lines: Line[] = []
  const write = (level: string) => (event: string, fields?: unknown) => {
    lines.push({ level, event, fields })
  }
  const log: Log = {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
  }
  let nowMs = START_MS
  const clock = { nowMs: () => nowMs }
  const open = (isStepped = false): Cache =>
    createCache({
      ...{ clock, wallClock: clock, store, memoryMaxBytes, waitMaxMs, log, isStepped },
      ...{ storeCosts: DISK_COSTS, leases: null },
    })
  return {
    cache: open(),
    /** A cache in a new process, on the same store. */
    restart: () => open(),
    /** The cache of a service in which time passes only in calls. */
    stepped: open(true),
    store,
    lines,
    venue: fakeVenue(),
    at: (seconds: number) => {
      nowMs = START_MS + seconds * 1000
    },
  }
}

/** Lets everything that waits for nothing but promises run. */
export const settle = () => new Promise((resolve) => setImmediate(resolve))

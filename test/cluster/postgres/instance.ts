import { openPostgres, type SharedStore } from '../../../src/cluster/postgres/store.ts'
import type { Claim } from '../../../src/core/claim.ts'
import type { DatabaseRegistry } from '../../../src/core/engines/database.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import type { Log } from '../../../src/core/ports.ts'
import { type PostgresEndpoint, parsePostgres } from '../../../src/core/settings/engine-urls.ts'
import { type CommitMark, NO_MARK } from '../../../src/store/connection/commit-mark.ts'

const nothing = (): void => undefined
/** Nobody reads it. */
export const SILENT: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing }

type Opening = {
  readonly nowMs?: () => number
  readonly log?: Log
  readonly registry?: DatabaseRegistry | null
  readonly deployment?: string
  readonly fencing?: 'prepd' | 'operator'
  readonly markOf?: (deployment: string) => CommitMark
  readonly monotonicMs?: () => number
  readonly connectionsMax?: number
  readonly idleMs?: number
  /** How long a question waits; for as long as it takes where this is left out. */
  readonly waitMaxMs?: number
}

/** How soon it answers is another test's subject: here each question has its answer, on a busy machine too. */
const UNHURRIED_MS = 60_000

/** A PostgreSQL that is waited for. */
export function placeOf(url: string, waitMaxMs = UNHURRIED_MS): PostgresEndpoint {
  const place = parsePostgres(url)
  if (!place) throw new Error('not a URL of PostgreSQL')
  return { ...place, waitMaxMs }
}

/** One instance's part of what is shared at a URL, on the world as it is but for what is given. */
export async function openAt(
  url: string,
  { nowMs = Date.now, waitMaxMs, ...given }: Opening = {},
): Promise<SharedStore> {
  return openPostgres({
    place: placeOf(url, waitMaxMs),
    connectionsMax: 10,
    idleMs: 10_000,
    log: SILENT,
    registry: null,
    deployment: 'one',
    markOf: () => NO_MARK,
    fencing: 'prepd',
    clock: { nowMs },
    monotonicMs: () => performance.now(),
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    ...given,
  })
}

/** The number of an instance's calls that found no connection free, from now on. */
export function crowdedCalls({ health }: SharedStore): () => number {
  const meter = createMeter(() => 0)
  health.meterWith(meter)
  return () =>
    meter
      .samples('prepd_engine_failures_total')
      .reduce((sum, { labels, value }) => sum + (labels[1] === 'crowded' ? (value ?? 0) : 0), 0)
}

/** A claim of something that was signed now. */
export function claimOf(identity: string): Claim {
  return { identity, sinceMs: Date.now(), expiresAtMs: Date.now() + 360_000 }
}

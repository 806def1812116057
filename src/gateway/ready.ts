import type { VenueKind } from '../contract/venue/kind.ts'
import { Failure } from '../core/failure.ts'
import { after, every, settledWithin } from '../core/loop/guarded.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Store, Upstream } from '../core/ports.ts'
import { readVenue, type VenueAccess } from './venue/read.ts'

type Checked = { readonly store: Pick<Store, 'check'> }

/** Maximum wait for the store, in milliseconds. A store that takes longer takes no records. */
const STORE_WAIT_MAX_MS = 5000

/** Maximum wait for the venue. After it, a check returns the previous result. */
const WAIT_MAX_MS = 500

/**
 * Returns null if the store takes records and the venue answers, otherwise the missing part in this service's words.
 * While the venue is slow, returns the result of the last finished check after half a second.
 */
export async function findMissingPart(deps: VenueAccess & Checked): Promise<string | null> {
  const checked = checkStore(deps)
  const late = () => 'store: timeout'
  const missing = await settledWithin('store', STORE_WAIT_MAX_MS, checked, late)
  return missing ?? checkVenueBriefly(deps)
}

async function checkStore({ store }: Checked): Promise<string | null> {
  const trouble = await store.check()
  return trouble === null ? null : `store: ${trouble}`
}

/** Checks of a venue: `underWay` is the running check, `last` the result of the last finished check. */
type VenueCheck = {
  readonly underWay: Promise<string | null> | null
  readonly last?: string | null
}

const checks = new WeakMap<Upstream, VenueCheck>()

async function checkVenueBriefly(deps: VenueAccess): Promise<string | null> {
  const underWay = checkVenueOnce(deps)
  const last = checks.get(deps.upstream)?.last
  return last === undefined ? underWay : settledWithin('gateway', WAIT_MAX_MS, underWay, () => last)
}

/**
 * Checks the venue once for all concurrent callers. Returns the missing part, or null, once the venue has answered or
 * the deadline has passed.
 */
function checkVenueOnce(deps: VenueAccess): Promise<string | null> {
  const { upstream } = deps
  const before = checks.get(upstream)
  if (before?.underWay) return before.underWay
  const underWay = askVenue(deps).then((last) => {
    checks.set(upstream, { underWay: null, last })
    return last
  })
  checks.set(upstream, { ...before, underWay })
  return underWay
}

async function askVenue(deps: VenueAccess): Promise<string | null> {
  try {
    await readVenue(deps, { path: '/v1/public/system_info', missing: 'empty' })
    return null
  } catch (error) {
    return error instanceof Failure ? `venue: ${error.code}` : 'venue: internal'
  }
}

const PROBE = { firstMs: 250, everyMs: 15_000 } as const

type ProbeOptions = VenueAccess &
  Checked & {
    readonly meter: Pick<Meter, 'reading'>
    /**
     * The check skips an embedded venue, because a call would open the venue, and the venue fails only together with
     * this process.
     */
    readonly venue: VenueKind
    readonly isStopping: () => boolean
    /** Called after each check with the missing part, or null. */
    readonly checked?: (missing: string | null) => void
  }

/**
 * Runs the checks of `findMissingPart` every 15 seconds, with the full deadline, so that metrics and alerts work
 * without callers. Returns a function that stops the checks.
 */
export function startProbe({
  meter,
  venue,
  isStopping,
  checked,
  ...deps
}: ProbeOptions): () => void {
  let isReady: boolean | null = null
  let isUnderWay = false
  meter.reading('prepd_ready', () => (isReady === null ? null : Number(isReady && !isStopping())))

  async function probe(): Promise<void> {
    if (isUnderWay) return
    isUnderWay = true
    try {
      const missing =
        (await checkStore(deps)) ?? (venue === 'embedded' ? null : await checkVenueOnce(deps))
      isReady = missing === null
      checked?.(missing)
    } catch (error) {
      isReady = false
      throw error
    } finally {
      isUnderWay = false
    }
  }

  const timers = [
    after('gateway', PROBE.firstMs, probe).unref(),
    every('gateway', PROBE.everyMs, probe),
  ]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

import { LIMITS } from '../contract/limits.ts'
import type { ClockController } from '../contract/venue/advance.ts'
import type { AdvanceClock } from '../core/advance.ts'
import { BUILD_FACTS } from '../core/build-facts.ts'
import { createVerifier, type Verifier } from '../core/crypto/verifier.ts'
import { sha256Hex } from '../core/digest.ts'
import type { Limits } from '../core/mandate.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Clock, Log, Random, Store, Upstream } from '../core/ports.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { Faucet } from './account/faucet.ts'
import { type Approvals, createApprovals } from './approval/approvals.ts'
import { type Cache, createCache } from './cache/cache.ts'
import type { LoadLeases } from './cache/load-lease.ts'
import { DISK_COSTS } from './cache/store-share.ts'
import type { Controls } from './controls/controls.ts'
import type { RateWindows } from './limits/limiter.ts'
import { createKeptFigures } from './mandate/figures.ts'
import { createMandateGate, type MandateGate } from './mandate/gate.ts'
import { createMandates, type Mandates } from './mandate/mandates.ts'
import { createKeptModes } from './mandate/modes.ts'
import { meteredCache, meteredLimiter, meteredMandates, meteredWrites } from './metered.ts'
import { openReferralProgram, type Promote, type ReferralProgram } from './referral/program.ts'
import { createPeerOutcomes, NO_PEERS } from './relay/outcomes.ts'
import { createWriteLedger, type WriteLedger } from './relay/write-ledger.ts'
import { createScrub, type Scrub } from './scrub/scrub.ts'
import { forgivingProofs, openWindows, SHARED_COSTS, type SharedState } from './shared-state.ts'
import type { Operator } from './venue/operator-call.ts'
import { type AccountEvents, createAccountEvents } from './webhook/events.ts'

/** The perpetuals gateway. Each verb takes the parts that it needs. */
export type Gateway = {
  readonly operator: Operator
  /** The operator's limits for every agent. */
  readonly agentLimits: Limits
  readonly clock: Clock
  /** The venue's clock: the wall clock, unless the embedded venue has a virtual clock. */
  readonly venueClock: Clock
  /** Advances the venue's virtual clock; null with real time. */
  readonly advanceClock: AdvanceClock | null
  /** The party that may move the venue's virtual clock. */
  readonly clockMover: ClockController
  /** The clock for the age of cached answers and rate windows: the wall clock plus the advances of a virtual clock. */
  readonly agingClock: Clock
  readonly random: Random
  readonly log: Log
  readonly meter: Meter
  readonly store: Store
  readonly upstream: Upstream
  readonly scrub: Scrub
  readonly verifier: Verifier
  readonly limiter: RateWindows
  readonly cache: Cache
  readonly writes: WriteLedger
  readonly referral: ReferralProgram
  readonly controls: Controls
  readonly mandates: Mandates
  /** Null with a live venue. */
  readonly faucet: Faucet | null
  readonly gate: MandateGate
  readonly approvals: Approvals
  /** The events for which webhooks of owners are called. */
  readonly events: AccountEvents
}

type GatewayOptions = {
  readonly clock: Clock
  readonly venueClock: Clock
  readonly advanceClock: AdvanceClock | null
  /** Memory of verified signatures, shared with the embedded venue. Default: null. */
  readonly verified?: SharedArrayBuffer | null
  readonly random: Random
  readonly log: Log
  readonly meter: Meter
  readonly settings: Settings
  readonly store: Store
  readonly upstream: Upstream
  readonly promote: Promote | null
  readonly controls: Controls
  readonly faucet: Faucet | null
  /** State shared with other instances; null for a single instance. */
  readonly shared: SharedState | null
  /** Called with the account of each relayed write whose outcome is unknown. */
  readonly noteUnknown: (accountId: string) => void
  /** Whether time advances only on request. */
  readonly isStepped: boolean
}

/** Creates the gateway from the settings. Loads stored rate windows that are still in debt. */
export function createGateway({
  clock,
  venueClock,
  advanceClock,
  verified = null,
  random,
  log,
  meter,
  settings,
  store,
  upstream,
  promote,
  controls,
  faucet,
  shared,
  noteUnknown,
  isStepped,
}: GatewayOptions): Gateway {
  const { brokerId, serviceName, allowedHosts: hosts, points } = settings
  const { limits, agentLimits, scrubNames, affiliate: key, referralRate: rate } = settings
  const elapsed = elapsedClock(clock, venueClock)
  const windows = { clock: elapsed, policies: limits, store: store.windows, rules: controls }
  const keysMax = LIMITS.limiterKeysMax
  const limiter = meteredLimiter(openWindows(shared, { ...windows, keysMax }, meter), meter)
  limiter.load()
  const tag = answersTag(settings)
  const responses = taggedResponses(store, tag)
  const cache = meteredCache(
    createCache({
      clock: elapsed,
      wallClock: clock,
      log,
      store: responses,
      storeCosts: shared ? SHARED_COSTS : DISK_COSTS,
      leases: shared && taggedLeases(shared, tag),
      isStepped,
      memoryMaxBytes: LIMITS.cacheMemoryMaxBytes,
      waitMaxMs: LIMITS.upstreamReadDeadlineMs,
    }),
    meter,
  )
  shared?.onPurge(cache.forget)
  const gateway = {
    controls,
    faucet,
    mandates: meteredMandates(createMandates(store.mandates, controls), meter),
    operator: { brokerId, serviceName, hosts, points, venueKey: key },
    agentLimits,
    clock,
    venueClock,
    advanceClock,
    clockMover: settings.venue.clockMover,
    agingClock: elapsed,
    random,
    log,
    meter,
    store: { ...store, proofs: forgivingProofs(store.proofs, log), responses },
    upstream,
    scrub: createScrub({
      names: scrubNames,
      onMention: (prose) => meter.counter('prepd_venue_rows_dropped_total', prose).add(),
    }),
    verifier: createVerifier({ keysMax: LIMITS.verifierKeysMax, memory: verified }),
    limiter,
    cache,
    writes: meteredWrites(createLedger(clock, store, shared), meter, noteUnknown),
    referral: openReferralProgram({ key, rate, promote }),
  }
  const events = createAccountEvents({ ...gateway, isOn: settings.webhooks })
  const known = { ...gateway, events, modes: createKeptModes(clock), figures: createKeptFigures() }
  return { ...known, gate: createMandateGate(known), approvals: createApprovals(known) }
}

function createLedger(clock: Clock, { once }: Store, shared: SharedState | null): WriteLedger {
  return createWriteLedger({
    clock,
    store: once,
    answersMaxBytes: LIMITS.replayAnswersMaxBytes,
    peers: shared ? createPeerOutcomes(shared.outcomes) : NO_PEERS,
  })
}

/** The clock that ages answers and refills rate windows: the wall clock plus the advances of a virtual venue clock. */
function elapsedClock(clock: Clock, venueClock: Clock): Clock {
  return venueClock === clock
    ? clock
    : { nowMs: () => clock.nowMs() + venueClock.nowMs() - VIRTUAL_EPOCH_MS }
}

/** A fixed epoch, so that the clock is consistent across restarts. */
const VIRTUAL_EPOCH_MS = Date.UTC(2000, 0, 1)

/** A tag of all settings that affect answers: venue, operator, names to blank, and version. Any change gives a new tag. */
function answersTag({ venue, brokerId, scrubNames }: Settings): string {
  const places = [venue.at, venue.vaults].map((at) =>
    at === 'embedded' ? `${venue.paperOf?.origin ?? venue.seed} ${venue.clock}` : at.origin,
  )
  const parts = [BUILD_FACTS.version, BUILD_FACTS.commit, brokerId, ...places, ...scrubNames]
  return sha256Hex(JSON.stringify(parts)).slice(0, 16)
}

function taggedLeases({ leases }: SharedState, tag: string): LoadLeases {
  return { begin: (key, ...rest) => leases.begin(`${tag} ${key}`, ...rest) }
}

function taggedResponses({ responses }: Store, tag: string): Store['responses'] {
  return {
    get: (key) => responses.get(`${tag} ${key}`),
    put: (key, response, expiresAtMs) => responses.put(`${tag} ${key}`, response, expiresAtMs),
    clear: responses.clear,
    list: async (prefix, rowsMax) => {
      const { count, rows } = await responses.list(`${tag} ${prefix}`, rowsMax)
      return { count, rows: rows.map((row) => ({ ...row, key: row.key.slice(tag.length + 1) })) }
    },
  }
}

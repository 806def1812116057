import { LIMITS } from '../contract/limits.ts'
import { ADVANCE_LIMITS, type AdvanceStep } from '../contract/venue/advance.ts'
import type { AdvanceClock, SteppedClock } from '../core/advance.ts'
import { verifiedSignatureMemory } from '../core/crypto/verified-signatures.ts'
import { UpstreamError, type World } from '../core/ports.ts'
import { readBounded } from '../core/settings/files.ts'
import { hostText } from '../core/settings/listen-address.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { VenueSettings } from '../core/settings/venue-settings.ts'
import type { ReadPrices } from '../gateway/swap/embedded/price.ts'
import type { StepRequest } from '../simulator/control/advance.ts'
import type { PaperOptions } from '../simulator/paper.ts'
import type { VenueCalls, VenueOptions, VenueService } from '../simulator/service.ts'
import { callByName, toVenueCalls, VENUE_CALLS } from '../simulator/thread/messages.ts'
import {
  openVenueThread,
  type SupervisedThread as Service,
} from '../simulator/thread/supervisor.ts'
import { embeddedUpstream } from '../upstream/embedded.ts'
import { upstreamBounds } from '../upstream/http.ts'
import { failureOfUpstreamError } from '../upstream/wire/failures.ts'
import { startError } from './start-error.ts'
import type { OpenVenue } from './venue-port.ts'

/** Opens the venue that the settings name; `path` is the path of the gateway's store. */
export async function openVenue(
  settings: Settings,
  world: World,
  path: string,
): Promise<OpenVenue> {
  const { at, vaults, paperOf } = settings.venue
  if (paperOf) {
    const { openPaper } = await import('./paper.ts')
    return openPaper(settings, world, (paper) => openEmbedded(settings, world, { path, paper }))
  }
  if (at === 'embedded' || vaults === 'embedded')
    return openEmbedded(settings, world, { path, paper: null })
  const { httpUpstream } = await import('../upstream/http.ts')
  const upstream = httpUpstream({ main: at, vaults, ...upstreamBounds(world) })
  return {
    kind: 'live',
    upstream,
    openFeed: liveFeedOpener(settings.venue, world),
    url: null,
    clock: world.clock,
    restarts: () => 0,
    refusal: () => null,
    load: upstream.load,
    books: () => null,
    verified: null,
    prices: () => seededPrices(settings.venue, world),
    advance: null,
    stillPrices: async () => null,
    embedded: null,
    stop: async () => undefined,
  }
}

function liveFeedOpener({ stream, streamPrivate }: VenueSettings, world: World) {
  if (!(stream instanceof URL)) return null
  return async () => {
    const { liveFeed } = await import('../live/venue/feed.ts')
    return liveFeed({
      ...world,
      open: stream,
      account: streamPrivate instanceof URL ? streamPrivate : null,
    })
  }
}

/** The prices of a simulated world with this seed and without trading. */
async function seededPrices({ seed }: VenueSettings, { clock }: World): Promise<ReadPrices> {
  const { createFeed } = await import('../simulator/past/seeded-feed.ts')
  const feed = createFeed({ seed, beginsAtMs: clock.nowMs() })
  return async (bases, atMs) =>
    bases
      .map(perpSymbol)
      .map((symbol) => (feed.instruments.has(symbol) ? feed.index(symbol, atMs) : null))
}

/** The market of a base against USDC. */
function perpSymbol(base: string): string {
  return `PERP_${base}_USDC`
}

type EmbeddedVenueOptions = {
  /** The path of the gateway's store. */
  readonly path: string
  readonly paper: PaperOptions | null
}

async function openEmbedded(
  settings: Settings,
  world: World,
  place: EmbeddedVenueOptions,
): Promise<OpenVenue & Pick<VenueService, 'calls' | 'feed'>> {
  const { venue } = settings
  const verified = verifiedSignatureMemory()
  const service = await openService(settings, world, { ...place, verified })
  const { calls, feed, port } = service
  const embedded = withVenueFailures(calls)
  return {
    ...{ calls, feed, verified },
    kind: 'embedded',
    upstream: embeddedUpstream(calls.answer),
    openFeed: venue.stream === null ? null : async () => venueFeed(service, venue),
    embedded,
    url: venue.listen && `http://${hostText(venue.listen.host)}:${port}`,
    clock: venue.clock === 'virtual' ? service.clock : world.clock,
    restarts: service.restarts,
    refusal: service.refusal,
    load: null,
    books: () => null,
    prices: async () => (bases) => embedded.indexPrices(bases.map(perpSymbol)),
    advance: venue.clock === 'virtual' ? advancing(embedded.step, world) : null,
    stillPrices: async () => (service.refusal() === null ? embedded.stillPrices() : null),
    stop: async () => {
      feed.close()
      await service.close()
    },
  }
}

function venueOptions({ venue, affiliate }: Settings): Omit<VenueOptions, 'paper'> {
  const { seed, markets, activity, tape, startMs, fees, limits, latency, listen } = venue
  const { prices, scenario } = venue
  return {
    ...{ seed, markets, activity, tape, startMs, fees, limits, latency, listen },
    time: venue.clock,
    faucet: venue.faucetMicros,
    pricesCsv: prices === null ? null : readBounded(prices, LIMITS.pricesFileMaxBytes),
    scenario: scenario === null ? null : readBounded(scenario),
    operatorId: affiliate?.accountId ?? null,
  }
}

/** The interval of pings to the venue's thread. */
const VENUE_PING_MS = 1000

/** Opens the venue in a separate thread, or in this thread if `world` cannot start one. Throws StartError. */
async function openService(
  settings: Settings,
  world: World,
  { path, ...parts }: EmbeddedVenueOptions & Pick<VenueOptions, 'verified'>,
): Promise<Service> {
  // With shared engines, instances store nothing in a directory, so each has a world in memory.
  const storePath = settings.engines ? ':memory:' : path
  const options = { ...venueOptions(settings), ...parts }
  const { startVenueThread: startThread } = world
  try {
    if (startThread)
      return await openVenueThread({
        ...world,
        startThread,
        options,
        storePath,
        pingMs: VENUE_PING_MS,
      })
    const { openVenueOn } = await import('./venue-host.ts')
    return { ...openVenueOn(options, storePath, world), restarts: () => 0 }
  } catch (error) {
    throw openingError(error, settings)
  }
}

/** Converts an error of opening the venue to a StartError. */
function openingError(error: unknown, { venue, dataDir }: Settings): unknown {
  if (!(error instanceof Error)) return error
  const { name, cause } = error
  const { listen } = venue
  if (name === 'VenueListenError' && listen !== null)
    return startError('VENUE_LISTEN', `${hostText(listen.host)}:${listen.port}`, cause)
  if (name === 'NoLiveMarkets') return startError('PAPER_OF', venue.paperOf?.origin ?? '', error)
  const isFile = name === 'StoreUnusableError' || name === 'StoreNewerError'
  const isRecord = cause instanceof Error && cause.name === 'SyntaxError'
  return isFile && !isRecord ? startError('DATA_DIR', dataDir, error) : error
}

/** The venue's live feed. Throws UpstreamError while the embedded venue does not answer. */
function venueFeed({ feed, refusal }: VenueService, { streamPrivate }: VenueSettings) {
  if (refusal() !== null) throw new UpstreamError('unreachable', false)
  return streamPrivate === null ? { ...feed, account: null } : feed
}

/** The calls of the operator. They fail like reads and writes of the venue. */
function withVenueFailures(calls: VenueCalls): VenueCalls {
  return toVenueCalls(async (name, given) => {
    try {
      return await callByName(calls, name, given)
    } catch (error) {
      throw error instanceof UpstreamError
        ? failureOfUpstreamError(error, VENUE_CALLS[name])
        : error
    }
  })
}

function advancing(step: VenueCalls['step'], { monotonicMs }: World): AdvanceClock {
  return async (steps, caller, signal) => {
    const endsMs = monotonicMs() + ADVANCE_LIMITS.waitMaxMs
    const isOver = () => signal.aborted || monotonicMs() >= endsMs
    const taken: SteppedClock[] = []
    for (let [next] = steps; next; next = steps[taken.length]) {
      const few = shortSteps(steps.slice(taken.length))
      if (few.length > 0) taken.push(...(await step({ steps: few, caller, isLast: true })))
      else taken.push(await longStep(step, { step: next, caller }, isOver))
      if (taken.at(-1)?.ended === 'part' || isOver()) break
    }
    return taken
  }
}

/** The steps from the first on, as long as their total duration is at most one part. */
function shortSteps(steps: readonly AdvanceStep[]): readonly AdvanceStep[] {
  let wholeMs = 0
  const end = steps.findIndex(({ ms }) => {
    wholeMs += ms
    return wholeMs > ADVANCE_LIMITS.partMs
  })
  return end < 0 ? steps : steps.slice(0, end)
}

/** Advances by a long step in parts. It ends early between parts if the caller has disconnected or the time is up. */
async function longStep(
  move: VenueCalls['step'],
  { step, caller }: { readonly step: AdvanceStep } & Pick<StepRequest, 'caller'>,
  isOver: () => boolean,
): Promise<SteppedClock> {
  for (let advancedMs = 0; ; ) {
    const leftMs = step.ms - advancedMs
    const ms = Math.min(leftMs, ADVANCE_LIMITS.partMs)
    const [part] = await move({ steps: [{ ...step, ms }], caller, isLast: ms === leftMs })
    if (!part) throw new RangeError('a step without an answer')
    advancedMs += part.advancedMs
    if (part.ended !== 'part' || isOver()) return { ...part, advancedMs }
  }
}

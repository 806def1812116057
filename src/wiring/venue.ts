import { every, turn } from '../core/loop/guarded.ts'
import { once } from '../core/loop/once.ts'
import { type Store, UpstreamError, type World } from '../core/ports.ts'
import { readBounded } from '../settings/files.ts'
import { hostText, type ListenAddress } from '../settings/listen-address.ts'
import type { Settings, VenueSettings } from '../settings/settings.ts'
import { HOUR_MS } from '../spec/durations.ts'
import { LIMITS } from '../spec/limits.ts'
import { embeddedUpstream } from '../upstream/embedded.ts'
import { earlyAnswer } from '../venue/early.ts'
import type { SupervisedVenue } from '../venue/supervised.ts'
import { openVenueTime, TIME_KIND, type VenueTimeParts } from '../venue/time.ts'
import { starting } from './start-error.ts'
import { type OpenVenue, pricesOf, type WholeVenue } from './venue-port.ts'

/** Opens the venue that the settings name. */
export async function openVenue(
  settings: Settings,
  world: World,
  store: Store,
): Promise<OpenVenue> {
  const { at, vaults } = settings.venue
  if (at === 'embedded' || vaults === 'embedded') return openEmbedded(settings, world, store)
  const { httpUpstream } = await import('../upstream/http.ts')
  const upstream = httpUpstream({
    main: at,
    vaults,
    proxied: world.proxied ?? (() => false),
    concurrentMax: LIMITS.upstreamConcurrentMax,
    writeReserved: LIMITS.upstreamWriteReserved,
    queuedMax: { read: LIMITS.upstreamReadQueuedMax, write: LIMITS.upstreamWriteQueuedMax },
    elapsedMs: world.monotonicMs,
    bodyMaxBytes: LIMITS.upstreamBodyMaxBytes,
    bodyDepthMax: LIMITS.scrubDepthMax,
    bodiesMaxBytes: {
      read: LIMITS.upstreamReadBodiesMaxBytes,
      write: LIMITS.upstreamWriteBodiesMaxBytes,
    },
  })
  const whole: WholeVenue = {
    kind: 'live',
    practice: null,
    prices: async () => {
      const { createFeed } = await import('../venue/past/seeded-feed.ts')
      const feed = createFeed({ seed: settings.venue.seed, beginsAtMs: world.clock.nowMs() })
      return pricesOf((symbol, atMs) =>
        feed.instruments.has(symbol) ? feed.index(symbol, atMs) : null,
      )
    },
    clock: world.clock,
    advance: null,
    arrived: async () => undefined,
    check: null,
    stillPrices: () => null,
    tell: null,
  }
  return {
    kind: 'live',
    upstream,
    openFeed: liveFeedOf(settings.venue, world),
    promote: null,
    url: null,
    clock: world.clock,
    refusal: () => null,
    load: upstream.load,
    whole: async () => whole,
    stop: async () => undefined,
  }
}

function liveFeedOf({ stream, streamPrivate }: VenueSettings, world: World) {
  if (!(stream instanceof URL)) return null
  return async () => {
    const { liveFeed } = await import('../upstream/live/feed.ts')
    return liveFeed({
      ...world,
      open: stream,
      account: streamPrivate instanceof URL ? streamPrivate : null,
    })
  }
}

const VENUE_STEP_MS = 200
/** An answer comes sooner than a connection is idle for too long. */
const ADVANCE_WAIT_MAX_MS = 50_000
/** Between two such steps a caller may give up, or be answered. */
const ADVANCE_STEP_MS = HOUR_MS

/** An embedded venue that has been opened, and where its wire is served. */
type Opened = {
  readonly embedded: SupervisedVenue
  readonly url: string | null
  readonly stop: () => Promise<void>
}

/**
 * The embedded venue: opened by whoever first asks what only the whole of it can answer, or at once where something
 * stored or set might be wrong with it, or its time is its own.
 */
async function openEmbedded(settings: Settings, world: World, store: Store): Promise<OpenVenue> {
  const { venue } = settings
  const { get: opened, begun } = once(() => open(settings, world, store))
  const first = isToBeOpened(venue, store) ? await opened() : null
  // What a new venue has to remember is stored while there is room.
  const { clock } = first?.embedded.time ?? openVenueTime(timeParts(settings, world, store))
  /** The venue for a caller. Throws UpstreamError where its stored world is refused. */
  async function answering(): Promise<SupervisedVenue> {
    const { embedded } = await opened()
    if (embedded.refusal() !== null) throw new UpstreamError('unreachable', false)
    return embedded
  }
  return {
    kind: 'embedded',
    upstream: embeddedUpstream(async (request) => {
      const early = begun() ? null : earlyAnswer(request, clock.nowMs())
      return early ?? (await answering()).answer(request)
    }),
    openFeed: embeddedFeedOf(venue, answering),
    refusal: () => first?.embedded.refusal() ?? null,
    promote: async (accountId) => (await opened()).embedded.affiliates.promote(accountId),
    url: first?.url ?? null,
    clock,
    load: null,
    whole: async () => wholeOf((await opened()).embedded, world),
    stop: async () => (await begun())?.stop(),
  }
}

/** Whether anything of the venue can be wrong, seen from outside, or be at another time than the wall. */
function isToBeOpened({ clock, ...venue }: VenueSettings, { entities }: Store): boolean {
  const { prices, listen, limits, scenario } = venue
  const isSet = [prices, listen, limits, scenario].some((setting) => setting !== null)
  const isUsed = entities.kinds().some((kind) => kind !== TIME_KIND)
  return isSet || clock === 'virtual' || isUsed
}

async function open(settings: Settings, world: World, store: Store): Promise<Opened> {
  const { venue, affiliate } = settings
  const time = timeParts(settings, world, store)
  const { createSupervisedVenue } = await import('../venue/supervised.ts')
  await turn()
  const pricesCsv =
    venue.prices === null ? null : readBounded(venue.prices, LIMITS.pricesFileMaxBytes)
  const embedded = createSupervisedVenue({
    seed: venue.seed,
    pricesCsv,
    ...time,
    time: time.kind,
    wallClock: time.wall,
    faucet: venue.faucetMicros,
    fees: venue.fees,
    log: world.log,
    sleep: Bun.sleep,
    limits: venue.limits,
    scenario: await scenarioOf(venue),
    onOpened: ({ affiliates }) => {
      if (affiliate) affiliates.appoint(affiliate.accountId)
    },
  })
  const prices = embedded.stillPrices()
  if (prices && prices.still > 0)
    world.log.warn('prices_stand_still', {
      ...prices,
      stillSince: JSON.stringify(prices.stillSince),
    })
  const timer = every('process', VENUE_STEP_MS, embedded.advance)
  const listener = venue.listen ? await openWire(venue.listen, embedded) : null
  return {
    embedded,
    url: listener?.url ?? null,
    stop: async () => {
      clearInterval(timer)
      // Where a running clock stands is stored as it is stopped, not at every step.
      embedded.time.advance?.(0)
      await listener?.stop()
    },
  }
}

function timeParts({ venue }: Settings, world: World, { entities }: Store): VenueTimeParts {
  const { clock: kind, startMs } = venue
  return { kind, startMs, wall: world.clock, monotonicMs: world.monotonicMs, entities }
}

function wholeOf(embedded: SupervisedVenue, { monotonicMs }: World): WholeVenue {
  return {
    kind: 'embedded',
    practice: embedded.practice,
    prices: async () => pricesOf(embedded.indexOf),
    clock: embedded.time.clock,
    advance: advancing(embedded, monotonicMs),
    arrived: embedded.arrived,
    check: embedded.check,
    stillPrices: embedded.stillPrices,
    tell: embedded.runCommand,
  }
}

function advancing(
  { time, settled }: SupervisedVenue,
  monotonicMs: () => number,
): WholeVenue['advance'] {
  const move = time.advance
  if (!move) return null
  return async (ms, signal) => {
    const endsMs = monotonicMs() + ADVANCE_WAIT_MAX_MS
    let advancedMs = 0
    do {
      const stepMs = Math.min(ADVANCE_STEP_MS, ms - advancedMs)
      move(stepMs)
      await settled()
      advancedMs += stepMs
    } while (advancedMs < ms && !signal.aborted && monotonicMs() < endsMs)
    return advancedMs
  }
}

function embeddedFeedOf(
  { stream, streamPrivate }: VenueSettings,
  answering: () => Promise<SupervisedVenue>,
) {
  if (stream === null) return null
  return async () => {
    const { live } = await answering()
    return streamPrivate === null ? { ...live, account: null } : live
  }
}

async function scenarioOf({ scenario: path }: VenueSettings) {
  if (path === null) return null
  const { parseScenario } = await import('../venue/control/scenario/parse.ts')
  const text = readBounded(path)
  return { text, lines: parseScenario(text) }
}

async function openWire(at: ListenAddress, embedded: SupervisedVenue) {
  const { listenVenue } = await import('../venue/server/listener.ts')
  const address = `${hostText(at.host)}:${at.port}`
  const { port, stop } = await starting('VENUE_LISTEN', address, () =>
    listenVenue(at, { ...embedded, clock: embedded.time.clock }),
  )
  return { url: `http://${hostText(at.host)}:${port}`, stop }
}

import type { Feed } from '../core/feed.ts'
import type { Clock, Store, Upstream, World } from '../core/ports.ts'
import type { Promote } from '../gateway/referral/desk.ts'
import { hostText, type ListenAddress } from '../settings/listen-address.ts'
import type { Settings, VenueSettings } from '../settings/settings.ts'
import { LIMITS } from '../spec/limits.ts'
import type { PriceOf } from '../swap/embedded/price.ts'
import type { Lanes } from '../upstream/lanes.ts'
import type { PracticeDesk } from '../venue/accounts/practice.ts'
import type { WorldCheck } from '../venue/embedded.ts'
import type { OperatedVenue, TellVenue } from '../venue/operated.ts'
import { starting } from './start-error.ts'

const VENUE_STEP_MS = 200
// Less than a connection may be idle.
const ADVANCE_WAIT_MAX_MS = 60_000

/** A venue that answers, live or embedded, and what only an embedded one can do. */
export type OpenVenue = {
  readonly kind: 'embedded' | 'live'
  readonly upstream: Upstream
  /** Opens the venue's live wire; null where it is off. */
  readonly openFeed: (() => Promise<Feed>) | null
  /** Makes an account a first-level affiliate; null on a live venue. */
  readonly promote: Promote | null
  /** The operator's desk of practice accounts; null on a live venue. */
  readonly practice: PracticeDesk | null
  /** The prices of the seeded markets: the embedded venue's own, or before a live one a world of the same seed. */
  readonly prices: () => Promise<PriceOf>
  /** The venue's time: the embedded venue's own, or the wall's. */
  readonly clock: Clock
  /** Moves a virtual clock, and settles when the world has come there too, or is long on its way; null where time is real. */
  readonly advance: ((ms: number) => Promise<void>) | null
  /** Lets a virtual clock run so many times as fast as the wall's, zero stops it; null where time is real. */
  readonly run: ((times: number) => void) | null
  /** Settles when an embedded venue's world is at its time. */
  readonly arrived: () => Promise<void>
  /** Where its wire is served to other programs; null where it is not. */
  readonly url: string | null
  /** Looks the embedded venue's books through; null on a live venue. */
  readonly check: (() => Promise<WorldCheck>) | null
  /** Tells the embedded venue a word; null on a live venue. */
  readonly tell: TellVenue | null
  /** Calls to a live venue under way and waiting; null for the embedded one, where none waits. */
  readonly load: Lanes['load'] | null
  readonly stop: () => Promise<void>
}

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
  return {
    kind: 'live',
    upstream,
    openFeed: liveFeedOf(settings.venue, world),
    promote: null,
    practice: null,
    url: null,
    prices: async () => {
      const { createFeed } = await import('../venue/market/seeded-feed.ts')
      const feed = createFeed({ seed: settings.venue.seed, genesisMs: world.clock.nowMs() })
      return pricesOf((symbol, atMs) =>
        feed.instruments.has(symbol) ? feed.index(symbol, atMs) : null,
      )
    },
    clock: world.clock,
    advance: null,
    run: null,
    arrived: async () => undefined,
    check: null,
    tell: null,
    load: upstream.load,
    stop: async () => undefined,
  }
}

async function openEmbedded(settings: Settings, world: World, store: Store): Promise<OpenVenue> {
  const { venue, affiliate } = settings
  const { createOperatedVenue } = await import('../venue/operated.ts')
  const { embeddedUpstream } = await import('../upstream/embedded.ts')
  const pricesCsv = venue.prices === null ? null : await Bun.file(venue.prices).text()
  const embedded = createOperatedVenue({
    seed: venue.seed,
    pricesCsv,
    time: venue.clock,
    startMs: venue.startMs,
    faucet: venue.faucetMicros,
    fees: venue.fees,
    wallClock: world.clock,
    monotonicMs: world.monotonicMs,
    log: world.log,
    entities: store.entities,
    sleep: Bun.sleep,
    limits: venue.limits,
    scenario: await scenarioOf(venue),
    onOpened: ({ affiliates }) => {
      if (affiliate) affiliates.appoint(affiliate.accountId)
    },
  })
  const timer = setInterval(embedded.advance, VENUE_STEP_MS)
  timer.unref()
  const listener = venue.listen ? await openWire(venue.listen, embedded) : null
  return {
    kind: 'embedded',
    upstream: embeddedUpstream(embedded.answer),
    openFeed: embeddedFeedOf(venue, embedded.live),
    promote: embedded.affiliates.promote,
    practice: embedded.practice,
    url: listener?.url ?? null,
    prices: async () => pricesOf(embedded.indexOf),
    clock: embedded.time.clock,
    advance: advancing(embedded),
    run: running(embedded),
    arrived: embedded.arrived,
    check: embedded.check,
    tell: embedded.tell,
    load: null,
    stop: async () => {
      clearInterval(timer)
      // Where a running clock stands is stored as it is stopped, not at every step.
      embedded.time.advance?.(0)
      await listener?.stop()
    },
  }
}

function advancing({ time, settled }: OperatedVenue): OpenVenue['advance'] {
  const move = time.advance
  if (!move) return null
  return async (ms) => {
    move(ms)
    await Promise.race([settled(), Bun.sleep(ADVANCE_WAIT_MAX_MS)])
  }
}

/** The world sets out at once for where the clock then is. */
function running({ time, advance }: OperatedVenue): OpenVenue['run'] {
  const run = time.run
  if (!run) return null
  return (times) => {
    run(times)
    advance()
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

function embeddedFeedOf({ stream, streamPrivate }: VenueSettings, live: Feed) {
  if (stream === null) return null
  return async () => (streamPrivate === null ? { ...live, account: null } : live)
}

async function scenarioOf({ scenario: path }: VenueSettings) {
  if (path === null) return null
  const { parseScenario } = await import('../venue/scenario/parse.ts')
  const text = await Bun.file(path).text()
  return { text, lines: parseScenario(text) }
}

async function openWire(at: ListenAddress, embedded: OperatedVenue) {
  const { listenVenue } = await import('../venue/wire/listener.ts')
  const address = `${hostText(at.host)}:${at.port}`
  const { port, stop } = await starting('VENUE_LISTEN', address, () =>
    listenVenue(at, { ...embedded, clock: embedded.time.clock }),
  )
  return { url: `http://${hostText(at.host)}:${port}`, stop }
}

/** The index prices of markets against USDC. */
function pricesOf(indexOf: (symbol: string, atMs: number) => bigint | null): PriceOf {
  return (base, atMs) => indexOf(`PERP_${base}_USDC`, atMs)
}

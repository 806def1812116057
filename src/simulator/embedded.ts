import type { Activity } from '../contract/venue/activity.ts'
import type { SteppedClock } from '../core/advance.ts'
import type { RecordedTape } from '../tapes/recorded.ts'
import { AMOUNT_MAX } from './base/units.ts'
import { createCatchUp } from './catch-up.ts'
import { createStepper, type StepRequest } from './control/advance.ts'
import { checkExchange, worldHash } from './engine/check.ts'
import { openExchange, seededRandom } from './exchange/exchange.ts'
import type { Simulation } from './exchange/simulation.ts'
import type { VenueState } from './exchange/state.ts'
import { tradingContext } from './exchange/trading-context.ts'
import { createLiveFeed } from './feed/live-feed.ts'
import { intensityBefore } from './flow/value.ts'
import { checkFinished, checkRecords } from './history/check.ts'
import { createInitialState } from './initial-state.ts'
import { type Mirror, openMirror, type ReadLiveWire } from './mirror.ts'
import { hasNewRules, openLiveWorld, type PaperOptions } from './paper.ts'
import { createFeed } from './past/seeded-feed.ts'
import { type StillPrices, stillPricesAt } from './prices/replay.ts'
import {
  type Announcement,
  type AnnouncementAdmin,
  openNotices,
} from './rest/public/announcements.ts'
import { publicRows } from './rest/public.ts'
import { createEventBuffers, type EventBuffers } from './stream/events.ts'
import { createLiveVenue, type LiveVenue } from './stream/live.ts'
import { openVenueTime, type VenueTime, type VenueTimeOptions } from './time.ts'
import { checkVaults } from './vaults/requests.ts'
import {
  awaitVenueTime,
  createVenue,
  logFault,
  runLogged,
  type Venue,
  type VenueSetup,
} from './venue.ts'
import { openOwnWorld, startTape } from './world-choices.ts'

/** The seed and options of an embedded venue, and its clocks, stores and data. */
export type EmbeddedOptions = Pick<VenueTimeOptions, 'startMs' | 'monotonicMs' | 'timeMoved'> &
  Pick<VenueSetup, 'faucet' | 'fees' | 'wallClock' | 'log' | 'entities' | 'verified'> & {
    readonly seed: number
    /** A CSV of candles that the index prices follow; null for prices from the seed. */
    readonly pricesCsv: string | null
    /** Recorded markets whose orders are played into the books; null for simulated traders alone. */
    readonly tape: RecordedTape | null
    /** The live venue whose markets are mirrored. `read` reads that venue's live feed. Null for simulated markets. */
    readonly paper: (PaperOptions & { readonly read: ReadLiveWire }) | null
    /** The activity of a new world's simulated traders. */
    readonly activity: Activity
    readonly time: 'real' | 'virtual'
    /** The symbols of a new world's markets; null for all. */
    readonly markets: readonly string[] | null
    /** Called with true when building the simulation begins, and with false when it ends. */
    readonly busy?: (isBusy: boolean) => void
  }

/** The embedded venue: its answers, live feed, time and state. */
export type EmbeddedVenue = {
  readonly answer: Venue['answer']
  /** Advances the clock, and the simulation if it is open. */
  readonly advance: () => void
  /** Settles when the simulation has reached the venue's time. */
  readonly arrived: () => Promise<void>
  /** Moves a virtual clock by steps. Requests are handled one after the other. Throws Failure. */
  readonly step: (request: StepRequest) => Promise<readonly SteppedClock[]>
  readonly affiliates: Venue['affiliates']
  readonly practice: Venue['practice']
  readonly peek: Venue['peek']
  readonly notices: AnnouncementAdmin
  /**
   * The index price of a market, with eight decimals. A market outside this world has the price from the seed. Null for
   * an unknown symbol.
   */
  readonly indexOf: (symbol: string) => bigint | null
  /** The markets that the price file no longer moves; null if prices come from the seed. */
  readonly stillPrices: () => StillPrices | null
  /** Checks the world's invariants once it has reached the venue's time. */
  readonly check: () => Promise<WorldCheck>
  /** Cancels orders of an account without publishing the cancellations. */
  readonly cancelSilently: (accountId: string, orderIds: readonly number[]) => void
  readonly time: VenueTime
  readonly exchange: VenueState
  /** The venue's live feed. */
  readonly live: LiveVenue
  /** The mirror of the live venue's markets; null if the markets are simulated. */
  readonly mirror: Mirror | null
}

/** A world's time, its hash, its number of events, and each violated invariant as a sentence. */
export type WorldCheck = {
  readonly nowMs: number
  readonly hash: string
  readonly events: number
  readonly broken: readonly string[]
}

/** The largest faucet in micro-USDC that the engine counts exactly. */
const FAUCET_MAX = BigInt(AMOUNT_MAX) / 4n

/** Opens the venue that a seed and the stored entities determine. */
export function createEmbeddedVenue(parts: EmbeddedOptions): EmbeddedVenue {
  const opened = openWorld(parts)
  const { time, past, exchange, feed, notices, initialState } = opened
  const { clock } = time
  const { simulation } = exchange
  const absent = createFeed({ seed: parts.seed, beginsAtMs: time.madeAtMs })
  const failed = (error: unknown) => logFault(parts.log, error)
  const catchUp = createCatchUp({ ...parts, exchange, time, arrived: () => settle(), failed })
  const ready = () => (isBetweenSlices(opened, steps) ? null : catchUp.ready())
  const venue = createVenue({ ...parts, ...opened, clock, ready })
  function advance(): void {
    if (!catchUp.isBehind()) time.tick()
    if (exchange.isOpen()) runLogged(parts.log, () => void catchUp.ready())
  }
  const events = createEventBuffers(simulation)
  const live = createLiveVenue({
    ...venue,
    ...catchUp,
    advance,
    clock,
    simulation,
    events,
    isStill: () => time.times() === 0,
    hasMarket: (symbol) => past.instruments.has(symbol),
    tradesOfDay: (symbol) => feed.day(symbol, clock.nowMs()).count,
  })
  function settle(isOfStep = false): void {
    time.reach(simulation().engine.world.nowMs)
    venue.commit()
    // While a step runs, only the step publishes events, even if the world is read between its slices.
    if (isOfStep || !steps.isMoving()) live.moved()
  }
  const arrived = () => awaitVenueTime(catchUp)
  const reached = () => settle(true)
  const steps = createStepper({ ...parts, ...opened, arrived, peek: venue.peek, reached })
  return {
    answer: async (request) => {
      const response = await venue.answer(request)
      if (request.method !== 'GET') live.nudge(request.headers['orderly-account-id'])
      return response
    },
    advance,
    arrived,
    step: steps.step,
    affiliates: venue.affiliates,
    practice: venue.practice,
    peek: venue.peek,
    notices: notices.admin,
    indexOf: (symbol) => indexIn(past.instruments.has(symbol) ? feed : absent, symbol, clock),
    stillPrices: () =>
      stillPricesAt(initialState.prices, [...past.instruments.keys()], clock.nowMs()),
    check: () => arrived().then(() => checkWorld(simulation())),
    cancelSilently: createSilentCancel({ ...opened, ...venue, events }),
    ...{ time, exchange, live },
    mirror: openMirror({ ...parts, exchange, past, clock, advance }),
  }
}

/** Whether a step runs and the world is at the clock's time. Then a request need not wait for a further slice. */
function isBetweenSlices(
  { exchange, time }: Pick<EmbeddedVenue, 'exchange' | 'time'>,
  { isMoving }: ReturnType<typeof createStepper>,
): boolean {
  return isMoving() && exchange.simulation().engine.world.nowMs >= time.clock.nowMs()
}

/** The current index price of a market; null for an unknown symbol. */
function indexIn(
  feed: {
    readonly instruments: ReadonlyMap<string, unknown>
    readonly index: (symbol: string, atMs: number) => bigint
  },
  symbol: string,
  { nowMs }: VenueTime['clock'],
): bigint | null {
  return feed.instruments.has(symbol) ? feed.index(symbol, nowMs()) : null
}

/** Returns a function that cancels orders without publishing it, and stores the change. */
function createSilentCancel({
  exchange,
  time,
  events,
  commit,
}: Pick<EmbeddedVenue, 'exchange' | 'time'> &
  Pick<Venue, 'commit'> & { readonly events: EventBuffers }): EmbeddedVenue['cancelSilently'] {
  return (accountId, orderIds) => {
    if (orderIds.length === 0) return
    const { account, engine } = tradingContext(exchange, accountId.toLowerCase())
    events.silently(() => {
      for (const order of orderIds)
        engine.submit('cancel', { account: account.number, order }, time.clock.nowMs())
    })
    commit()
  }
}

function checkWorld(simulation: Simulation): WorldCheck {
  const { world } = simulation.engine
  const broken = [
    ...checkExchange(world.exchange),
    ...checkRecords(world, simulation),
    ...checkFinished(world, simulation.records),
    ...checkVaults(world),
  ]
  return { nowMs: world.nowMs, hash: worldHash(world), events: world.counts.events, broken }
}

/** Opens the seeded history, the exchange and the venue's time. */
function openWorld(parts: EmbeddedOptions) {
  const { seed, faucet, entities, paper } = parts
  // The stored requests are replayed under the old rules and saved as a snapshot before the new rules apply.
  if (paper && hasNewRules(entities, paper))
    openWorld({ ...parts, paper: { ...paper, markets: null } }).exchange.save()
  const chosen = paper ? openLiveWorld(entities, paper, parts.log) : openOwnWorld(parts)
  const { instruments, activity } = chosen
  const time = openVenueTime({ ...parts, kind: parts.time, wall: parts.wallClock })
  const { madeAtMs, beginsAtMs } = time
  const played = chosen.tape && startTape(entities, chosen.tape, time.clock.nowMs())
  const past = createFeed({
    ...{ seed, beginsAtMs: madeAtMs, instruments },
    intensityOf: (market) => intensityBefore(seed, market, activity, madeAtMs),
  })
  const initialState = createInitialState(past, beginsAtMs, parts.pricesCsv, activity, played)
  const exchange = openExchange({
    entities,
    initialState,
    ...(parts.busy && { busy: parts.busy }),
    failed: (error) => logFault(parts.log, error),
  })
  const { simulation } = exchange
  const feed = createLiveFeed(past, simulation)
  const notices = openNotices(entities, madeAtMs, inboxAnnouncer(exchange))
  return {
    time,
    past,
    initialState,
    exchange,
    feed,
    notices,
    faucet: faucet < FAUCET_MAX ? faucet : FAUCET_MAX,
    random: seededRandom(seed, exchange.counters),
    publicRows: publicRows({
      feed,
      past,
      simulation,
      exchange,
      notices,
      beginsAtMs: madeAtMs,
    }),
    priceThen: feed.ticksThen,
  }
}

/** Returns a function that writes an announcement to the inboxes of all accounts. */
function inboxAnnouncer(exchange: VenueState): (announcement: Announcement) => void {
  return ({ id, message, updatedAtMs }) => {
    if (exchange.accounts.size === 0) return
    exchange.simulation().engine.submit('announce', { id, text: message }, updatedAtMs)
    exchange.commit()
  }
}

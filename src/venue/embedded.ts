import type { SteppedClock } from '../core/advance.ts'
import type { Activity } from '../spec/venue/activity.ts'
import type { RecordedTape } from '../tape/recorded.ts'
import { AMOUNT_MAX } from './base/units.ts'
import { createCatchUp } from './catch-up.ts'
import { createStepper, type StepRequest } from './control/advance.ts'
import { checkExchange, hashOf } from './engine/check.ts'
import { openExchange, seededRandom } from './exchange/exchange.ts'
import type { Simulation } from './exchange/simulation.ts'
import type { VenueState } from './exchange/state.ts'
import { createLiveFeed } from './feed/live-feed.ts'
import { checkFinished, checkRecords } from './history/check.ts'
import { initialStateOf } from './initial-state.ts'
import { MARKETS } from './listing/instruments.ts'
import { createFeed } from './past/seeded-feed.ts'
import { type StillPrices, stillPricesAt } from './prices/replay.ts'
import {
  type Announcement,
  type AnnouncementAdmin,
  openNotices,
} from './rest/public/announcements.ts'
import { createTraders } from './rest/public/traders.ts'
import { publicRows } from './rest/public.ts'
import { createLive, type LiveVenue } from './stream/live.ts'
import { openVenueTime, type VenueTime, type VenueTimeParts } from './time.ts'
import { checkVaults } from './vaults/ask.ts'
import { attempt, createVenue, logFault, type Venue, type VenueParts } from './venue.ts'
import { marketsOf, openActivity, openMarkets, openTape, startTape } from './world-choices.ts'

/** The seed, options and outside world of an embedded venue. */
export type EmbeddedParts = Pick<VenueTimeParts, 'startMs' | 'monotonicMs' | 'timeMoved'> &
  Pick<VenueParts, 'faucet' | 'fees' | 'wallClock' | 'log' | 'entities'> & {
    readonly seed: number
    /** Candles that the index prices follow; null for seeded prices. */
    readonly pricesCsv: string | null
    /** Recorded markets as background liquidity. Absent or null for simulated traders alone. */
    readonly tape?: RecordedTape | null
    /** The activity of a new world's simulated traders. Absent: `sparse`. */
    readonly activity?: Activity
    readonly time: 'real' | 'virtual'
    /** The symbols of a new world's markets; null for all. */
    readonly markets: readonly string[] | null
    /** Called when building the simulation begins and ends. */
    readonly busy?: (isBusy: boolean) => void
  }

/** The embedded venue: its answers, live wire, time and state. */
export type EmbeddedVenue = {
  readonly answer: Venue['answer']
  /** Advances a running clock and an open simulation. */
  readonly advance: () => void
  /** Settles when the simulation is at the venue's time. */
  readonly arrived: () => Promise<void>
  /** Moves a virtual clock by steps, after those that were asked for before. Throws Failure. */
  readonly step: (request: StepRequest) => Promise<readonly SteppedClock[]>
  readonly affiliates: Venue['affiliates']
  readonly practice: Venue['practice']
  readonly notices: AnnouncementAdmin
  /** The index price of a market, seeded for one that this world does not have; eight decimals, null for no market. */
  readonly indexOf: (symbol: string) => bigint | null
  /** The markets that the price file no longer moves; null for seeded prices. */
  readonly stillPrices: () => StillPrices | null
  /** Checks the world's invariants at the venue's time. */
  readonly check: () => Promise<WorldCheck>
  readonly time: VenueTime
  readonly exchange: VenueState
  /** The venue's live wire. */
  readonly live: LiveVenue
}

/** A world's time, hash, number of events and violated invariants, as sentences. */
export type WorldCheck = {
  readonly nowMs: number
  readonly hash: string
  readonly events: number
  readonly broken: readonly string[]
}

/** The largest faucet that the engine counts exactly, micro-USDC. */
const FAUCET_MAX = BigInt(AMOUNT_MAX) / 4n

/** Opens the venue of a seed with its stored entities. */
export function createEmbeddedVenue(parts: EmbeddedParts): EmbeddedVenue {
  const opened = openWorld(parts)
  const { time, past, exchange, feed, notices, initialState } = opened
  const { clock } = time
  const { simulation } = exchange
  const absent = createFeed({ seed: parts.seed, beginsAtMs: time.madeAtMs })
  const failed = (error: unknown) => logFault(parts.log, error)
  const catchUp = createCatchUp({ ...parts, exchange, time, arrived: () => settle(), failed })
  const venue = createVenue({ ...parts, ...opened, clock, ready: catchUp.ready })
  function advance(): void {
    if (!catchUp.isBehind()) time.tick()
    if (exchange.isOpen()) attempt(parts.log, () => void catchUp.ready())
  }
  const live = createLive({
    ...venue,
    ...catchUp,
    advance,
    clock,
    simulation,
    isStill: () => time.times() === 0,
    hasMarket: (symbol) => past.instruments.has(symbol),
    tradesOfDay: (symbol) => feed.day(symbol, clock.nowMs()).count,
  })
  function settle(): void {
    time.reach(simulation().engine.world.nowMs)
    venue.commit()
    live.moved()
  }
  const arrived = async () => {
    for (let wait = catchUp.ready(); wait; wait = catchUp.ready()) await wait
  }
  const step = createStepper({ ...opened, arrived, peek: venue.peek, reached: settle })
  return {
    answer: async (request) => {
      const response = await venue.answer(request)
      if (request.method !== 'GET') live.nudge(request.headers['orderly-account-id'])
      return response
    },
    advance,
    arrived,
    step,
    affiliates: venue.affiliates,
    practice: venue.practice,
    notices: notices.admin,
    indexOf: (symbol) => {
      if (past.instruments.has(symbol)) return feed.index(symbol)
      return MARKETS.has(symbol) ? absent.index(symbol, clock.nowMs()) : null
    },
    stillPrices: () =>
      stillPricesAt(initialState.prices, [...past.instruments.keys()], clock.nowMs()),
    check: async () => {
      await arrived()
      return checkWorld(simulation())
    },
    time,
    exchange,
    live,
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
  return { nowMs: world.nowMs, hash: hashOf(world), events: world.counts.events, broken }
}

/** Opens the seeded history, the exchange and their time. */
function openWorld(parts: EmbeddedParts) {
  const { seed, faucet, entities } = parts
  const tape = openTape(entities, parts.tape ?? null, parts.log)
  const instruments = openMarkets(entities, parts.markets ?? marketsOf(tape), parts.log)
  const activity = openActivity(entities, parts.activity ?? 'sparse', parts.log)
  const time = openVenueTime({ ...parts, kind: parts.time, wall: parts.wallClock })
  const { madeAtMs, beginsAtMs } = time
  const played = tape && startTape(entities, tape, time.clock.nowMs())
  const past = createFeed({ seed, beginsAtMs: madeAtMs, instruments })
  const initialState = initialStateOf(past, beginsAtMs, parts.pricesCsv, activity, played)
  const exchange = openExchange({
    entities,
    initialState,
    ...(parts.busy && { busy: parts.busy }),
    failed: (error) => logFault(parts.log, error),
  })
  const { simulation } = exchange
  const feed = createLiveFeed(past, simulation)
  const traders = createTraders(exchange)
  const notices = openNotices(entities, madeAtMs, inboxesOf(exchange))
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
      traders,
      notices,
      beginsAtMs: madeAtMs,
    }),
    priceThen: feed.ticksThen,
  }
}

/** Publishes announcements to the inboxes of all accounts. */
function inboxesOf(exchange: VenueState): (announcement: Announcement) => void {
  return ({ id, message, updatedAtMs }) => {
    if (exchange.accounts.size === 0) return
    exchange.simulation().engine.submit('announce', { id, text: message }, updatedAtMs)
    exchange.commit()
  }
}

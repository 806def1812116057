import type { Clock, EntityStore, Log } from '../core/ports.ts'
import type { Opening } from './accounts/accounts.ts'
import { AMOUNT_MAX } from './base/units.ts'
import { createCatchUp } from './catch-up.ts'
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
import { openVenueTime, type VenueTime } from './time.ts'
import { checkVaults } from './vaults/ask.ts'
import { attempt, createVenue, logFault, type Venue } from './venue.ts'
import { openMarkets } from './world-markets.ts'

export type EmbeddedParts = {
  readonly seed: number
  /** Candles that the index prices follow; null for seeded prices. */
  readonly pricesCsv: string | null
  readonly time: 'real' | 'virtual'
  /** The symbols of a new world's markets; null for all. */
  readonly markets: readonly string[] | null
  /** Where virtual time begins in a new store. */
  readonly startMs: number
  /** Micro-USDC credited to a new account. */
  readonly faucet: bigint
  /** What a new account pays; absent: the base rates. */
  readonly fees?: Opening['fees']
  readonly wallClock: Clock
  /** Milliseconds since some moment of this process. */
  readonly monotonicMs: () => number
  readonly log: Log
  readonly entities: EntityStore
  /** Receives the time of a virtual clock whenever it moves. */
  readonly timeMoved?: (nowMs: number) => void
  /** Called when the simulation begins to be built, and when it is there. */
  readonly busy?: (isBusy: boolean) => void
}

/** The whole embedded venue: its world of markets, its exchange, and its time. */
export type EmbeddedVenue = {
  readonly answer: Venue['answer']
  /** Lets a running clock and a world that has been asked for go on to now. */
  readonly advance: () => void
  /** Settles when the world is at now. */
  readonly arrived: () => Promise<void>
  readonly affiliates: Venue['affiliates']
  readonly practice: Venue['practice']
  readonly notices: AnnouncementAdmin
  /** The index price of a market, seeded for one that this world does not have; eight decimals, null for no market. */
  readonly indexOf: (symbol: string) => bigint | null
  /** Which markets the file of prices moves now; null where prices are seeded. */
  readonly stillPrices: () => StillPrices | null
  /** Looks the world's books through as of now. */
  readonly check: () => Promise<WorldCheck>
  readonly time: VenueTime
  readonly exchange: VenueState
  /** The venue's live wire. */
  readonly live: LiveVenue
}

/** A world's hash, how much has happened in it, and every invariant that is broken, in words. */
export type WorldCheck = {
  readonly nowMs: number
  readonly hash: string
  readonly events: number
  readonly broken: readonly string[]
}

/** What the engine can count exactly in one account, micro-USDC. */
const FAUCET_MAX = BigInt(AMOUNT_MAX) / 4n

/** Opens the venue that a seed makes, with what the entities remember of it. */
export function createEmbeddedVenue(parts: EmbeddedParts): EmbeddedVenue {
  const opened = openWorld(parts)
  const { time, past, exchange, feed, notices, initialState } = opened
  const { clock } = time
  const { simulation } = exchange
  const absent = createFeed({ seed: parts.seed, beginsAtMs: time.madeAtMs })
  const failed = (error: unknown) => logFault(parts.log, error)
  const catchUp = createCatchUp({ exchange, clock, arrived: () => settle(), failed })
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
  return {
    answer: async (request) => {
      const response = await venue.answer(request)
      if (request.method !== 'GET') live.nudge(request.headers['orderly-account-id'])
      return response
    },
    advance,
    arrived,
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

/** The markets' past, what is traded since, and the time of both. */
function openWorld(parts: EmbeddedParts) {
  const { seed, faucet, entities } = parts
  const instruments = openMarkets(entities, parts.markets, parts.log)
  const time = openVenueTime({ ...parts, kind: parts.time, wall: parts.wallClock })
  const { madeAtMs, beginsAtMs } = time
  const past = createFeed({ seed, beginsAtMs: madeAtMs, instruments })
  const initialState = initialStateOf(past, beginsAtMs, parts.pricesCsv)
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

/** Puts announcements into the inboxes of all who have an account. */
function inboxesOf(exchange: VenueState): (announcement: Announcement) => void {
  return ({ id, message, updatedAtMs }) => {
    if (exchange.accounts.size === 0) return
    exchange.simulation().engine.submit('announce', { id, text: message }, updatedAtMs)
    exchange.commit()
  }
}

import type { Clock, EntityStore, Log, Random } from '../core/ports.ts'
import { checkExchange } from './engine/check.ts'
import { hashOf } from './engine/persist/hash.ts'
import { AMOUNT_MAX } from './engine/units.ts'
import { openExchange } from './exchange/exchange.ts'
import type { Exchange } from './exchange/state.ts'
import { genesisOf } from './genesis.ts'
import { createLive, type LiveVenue } from './live/live.ts'
import { createLiveFeed } from './market/live-feed.ts'
import { createFeed } from './market/seeded-feed.ts'
import { createTraders } from './rows/public/traders.ts'
import { publicRows } from './rows/public.ts'
import { createVenue, type Venue } from './venue.ts'
import { openVenueTime, type VenueTime } from './wire/clock.ts'

export type EmbeddedParts = {
  readonly seed: number
  /** Candles that the index prices follow; null for seeded prices. */
  readonly pricesCsv: string | null
  readonly time: 'real' | 'virtual'
  /** Micro-USDC credited to a new account. */
  readonly faucet: bigint
  readonly wallClock: Clock
  readonly random: Random
  readonly log: Log
  readonly entities: EntityStore
}

/** The whole embedded venue: its world of markets, its exchange, and its time. */
export type EmbeddedVenue = {
  readonly answer: Venue['answer']
  /** Lets the world go on to now. */
  readonly advance: () => void
  readonly affiliates: Venue['affiliates']
  readonly practice: Venue['practice']
  /** The index price of a market that there is, eight decimals; null for any other. */
  readonly indexOf: (symbol: string) => bigint | null
  /** Looks the world's books through as of now. */
  readonly check: () => WorldCheck
  readonly time: VenueTime
  readonly exchange: Exchange
  /** The venue's live wire. */
  readonly live: LiveVenue
}

/** A world's hash, and every invariant that is broken, in words. */
export type WorldCheck = {
  readonly nowMs: number
  readonly hash: string
  readonly broken: readonly string[]
}

/** What the engine can count exactly in one account, micro-USDC. */
const FAUCET_MAX = BigInt(AMOUNT_MAX) / 4n

/** Opens the venue that a seed makes, with what the entities remember of it. */
export function createEmbeddedVenue(parts: EmbeddedParts): EmbeddedVenue {
  const time = openVenueTime(parts.time, parts.wallClock, parts.entities)
  const { clock, madeAtMs, genesisMs } = time
  const past = createFeed({ seed: parts.seed, genesisMs: madeAtMs })
  const exchange = openExchange({
    entities: parts.entities,
    genesis: genesisOf(past, genesisMs, parts.pricesCsv),
    clock,
    formerPrices: (symbol, atMs) =>
      past.instruments.has(symbol)
        ? { mark: past.mark(symbol, atMs), sumUnitary: past.funding(symbol, atMs).sumUnitary }
        : null,
  })
  const { floor } = exchange
  const feed = createLiveFeed(past, floor)
  const traders = createTraders(exchange)
  const venue = createVenue({
    ...parts,
    faucet: parts.faucet < FAUCET_MAX ? parts.faucet : FAUCET_MAX,
    clock,
    exchange,
    publicRows: publicRows({ feed, past, floor, traders, genesisMs: madeAtMs }),
    priceThen: feed.ticksThen,
  })
  const live = createLive({ ...venue, clock })
  return {
    answer: async (request) => {
      const response = await venue.answer(request)
      if (request.method !== 'GET') live.nudge()
      return response
    },
    advance: () => venue.advance(clock.nowMs()),
    affiliates: venue.affiliates,
    practice: venue.practice,
    indexOf: (symbol) => (past.instruments.has(symbol) ? feed.index(symbol) : null),
    check: () => {
      venue.advance(clock.nowMs())
      const { world } = floor().engine
      return { nowMs: world.nowMs, hash: hashOf(world), broken: checkExchange(world.exchange) }
    },
    time,
    exchange,
    live,
  }
}

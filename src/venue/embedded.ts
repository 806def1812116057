import type { Clock, EntityStore, Log, Random } from '../core/ports.ts'
import { createLive, type LiveVenue } from './live/live.ts'
import { createFeed, type MarketFeed } from './market/seeded-feed.ts'
import { createTraders } from './market/traders.ts'
import { publicRows } from './rows/public.ts'
import { createVenue, type Venue } from './venue.ts'
import { openVenueTime, type VenueTime } from './wire/clock.ts'

type Parts = {
  readonly seed: number
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
  /** Lets the market meet the resting orders as of now. */
  readonly advance: () => void
  readonly affiliates: Venue['affiliates']
  readonly feed: MarketFeed
  readonly time: VenueTime
  /** The venue's live wire. */
  readonly live: LiveVenue
}

/** Opens the venue that a seed makes, with what the entities remember of it. */
export function createEmbeddedVenue(parts: Parts): EmbeddedVenue {
  const time = openVenueTime(parts.time, parts.wallClock, parts.entities)
  const feed = createFeed({ seed: parts.seed, genesisMs: time.genesisMs })
  const traders = createTraders(feed)
  const { clock } = time
  const venue = createVenue({
    ...parts,
    clock,
    feed,
    publicRows: (book) => publicRows({ feed, traders, book }),
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
    feed,
    time,
    live,
  }
}

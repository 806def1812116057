import type { Log } from '../../src/core/ports.ts'
import { createEmbeddedVenue, type EmbeddedVenue } from '../../src/simulator/embedded.ts'
import { MARKETS } from '../../src/simulator/listing/instruments.ts'
import { openVenueFile } from '../../src/store/entity-file.ts'
import { publicGet } from './trading-wallet.ts'

export const WALL_MS = 1_750_000_000_000
export const START_MS = Date.UTC(2026, 0, 1)
const BASES = ['BTC', 'ETH', 'SOL', 'SUI', 'DOGE', 'EOS']
/** A world of six markets takes a ninth of the time of the whole one. */
export const SIX_MARKETS = new Map([...MARKETS].filter(([, { base }]) => BASES.includes(base)))
const ignore = () => undefined
/** A log that keeps nothing. */
export const LOG: Log = { error: ignore, warn: ignore, info: ignore, debug: ignore }

/** A venue of virtual time on a store in memory. */
export function openVirtual(
  seed = 1,
  monotonicMs = () => 0,
  startMs = START_MS,
  markets: readonly string[] | null = [...SIX_MARKETS.keys()],
) {
  const entities = openVenueFile(':memory:')
  const parts = {
    seed,
    markets,
    pricesCsv: null,
    tape: null,
    paper: null,
    activity: 'sparse',
    time: 'virtual',
    startMs,
    faucet: 10_000_000_000n,
    wallClock: { nowMs: () => WALL_MS },
    monotonicMs,
    log: LOG,
    entities,
  } as const
  const venue = createEmbeddedVenue(parts)
  const requests = () => [...entities.load('engine-request')].length
  return { venue, entities, requests, reopened: () => createEmbeddedVenue(parts) }
}

/** The answer to a public read. */
export async function get(venue: EmbeddedVenue, path: string) {
  return JSON.parse((await venue.answer(publicGet(path))).body)
}

/** Lets a venue's time pass, and its world with it, in so many steps of the same length. */
export function pass({ time, advance, exchange }: EmbeddedVenue, ms: number, steps = 1): void {
  for (let step = 0; step < steps; step++) {
    time.advance?.(ms / steps)
    exchange.advance(time.clock.nowMs())
    advance()
  }
}

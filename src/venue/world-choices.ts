import type { EntityStore, Log } from '../core/ports.ts'
import { ACTIVITIES, type Activity } from '../spec/venue/activity.ts'
import { MARKETS, type Market } from './listing/instruments.ts'
import { NEW_WORLD } from './replaced-world.ts'
import { TIME_KIND } from './time.ts'

/** What PREPD_VENUE_MARKETS names that is no market, in one line; for `config check` and for the start. */
export function marketProblems(symbols: readonly string[] | null): string[] {
  const unknown = (symbols ?? []).filter((symbol) => !MARKETS.has(symbol))
  if (unknown.length === 0) return []
  return [
    `PREPD_VENUE_MARKETS: ${unknown.join(', ')} is not among the markets: ${[...MARKETS.keys()].join(', ')}`,
  ]
}

/** The kind of the entities that hold the markets of a world which has not all: each key is a symbol. */
const KIND = 'venue-market'

/**
 * The markets of a world, in the order of the table: a new one has those that are named, null for all, and remembers
 * them; a stored one keeps its own, and says so where others are named. Throws RangeError for a symbol that there is not.
 */
export function openMarkets(
  entities: EntityStore,
  named: readonly string[] | null,
  log: Log,
): ReadonlyMap<string, Market> {
  const asked = marketsNamed(named)
  const stored = Array.from(entities.load(KIND), ({ key }) => key)
  if (stored.length === 0 && !entities.kinds().includes(TIME_KIND)) {
    if (named !== null)
      entities.commit(Array.from(asked.keys(), (key) => ({ kind: KIND, key, json: 'true' })))
    return asked
  }
  const markets = marketsNamed(stored.length === 0 ? null : stored)
  if (asked.size !== markets.size || [...asked.keys()].some((symbol) => !markets.has(symbol)))
    log.warn('venue_markets_kept', { markets: markets.size, remedy: NEW_WORLD })
  return markets
}

function marketsNamed(symbols: readonly string[] | null): ReadonlyMap<string, Market> {
  if (symbols === null) return MARKETS
  const [problem] = marketProblems(symbols)
  if (problem !== undefined) throw new RangeError(problem)
  return new Map([...MARKETS].filter(([symbol]) => symbols.includes(symbol)))
}

/** The kind of the entity that holds the activity of a world with an order flow. */
const ACTIVITY_KIND = 'venue-activity'

/** The activity of a world: a new one has the one that is named; a stored one keeps its own, and logs where another is named. */
export function openActivity(entities: EntityStore, named: Activity, log: Log): Activity {
  const [stored] = Array.from(entities.load(ACTIVITY_KIND), ({ key }) => key)
  if (stored === undefined && !entities.kinds().includes(TIME_KIND)) {
    if (named !== 'sparse') entities.commit([{ kind: ACTIVITY_KIND, key: named, json: 'true' }])
    return named
  }
  const kept = ACTIVITIES.find((activity) => activity === stored) ?? 'sparse'
  if (kept !== named) log.warn('venue_activity_kept', { activity: kept, remedy: NEW_WORLD })
  return kept
}

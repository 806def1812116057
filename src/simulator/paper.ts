import type { EntityStore, Log } from '../core/ports.ts'
import type { Market } from './listing/instruments.ts'
import { type LiveMarket, liveIndexPrice, marketOfRules } from './listing/live-rules.ts'
import { mirrorTape, type TapeToPlay } from './state/tape.ts'
import { TIME_KIND } from './time.ts'
import { RESET_HINT } from './world-choices.ts'

/** A live venue whose markets a world mirrors. Plain data, so that it can be sent to another thread. */
export type PaperOptions = {
  /** The address of the live venue's live feed. */
  readonly stream: string
  /**
   * The markets of the live venue at the start; null if the venue did not answer. With null, only a stored world can be
   * opened.
   */
  readonly markets: readonly LiveMarket[] | null
}

/** Thrown if a new world is to mirror a live venue that lists no markets. */
class NoLiveMarkets extends Error {
  override readonly name = 'NoLiveMarkets'
}

/** The kind of the entities with a world's live markets; the key is the symbol. */
const KIND = 'venue-paper'

/** Why a stored world cannot be opened: its markets are simulated and must be live, or the reverse. Otherwise null. */
export function paperRefusal(entities: EntityStore, paper: PaperOptions | null): string | null {
  const kinds = entities.kinds()
  if (!kinds.includes(TIME_KIND) || kinds.includes(KIND) === (paper !== null)) return null
  return paper === null
    ? `the simulated world in this data directory mirrors live markets: set PREPD_VENUE=paper, or ${RESET_HINT}`
    : `the simulated world in this data directory has markets of its own: set PREPD_VENUE=embedded, or ${RESET_HINT}`
}

/** The live markets of a world by symbol, and the tape that mirrors the markets' books. */
export type LiveWorld = {
  readonly activity: 'sparse'
  readonly instruments: ReadonlyMap<string, Market>
  readonly tape: TapeToPlay
}

/**
 * The live markets of a world, ordered by symbol. A new world has the markets that the live venue lists. A stored world
 * keeps its markets and takes their new rules if the ticks are unchanged. Throws NoLiveMarkets if a new world would
 * have no market.
 */
export function openLiveWorld(
  entities: EntityStore,
  { markets }: PaperOptions,
  log: Log,
): LiveWorld {
  const stored = storedMarkets(entities)
  const named = readable(markets ?? [])
  const kept = stored.size === 0 ? named : renewed(readable([...stored.values()]), named, log)
  if (kept.size === 0) throw new NoLiveMarkets('the live venue has no markets that can be traded')
  const changes = Array.from(kept, ([key, { row }]) => ({
    kind: KIND,
    key,
    json: JSON.stringify(row),
  }))
  entities.commit(changes.filter(({ key, json }) => json !== JSON.stringify(stored.get(key))))
  const symbols = new Set(kept.keys())
  return {
    activity: 'sparse',
    instruments: new Map(Array.from(kept, ([symbol, { market }]) => [symbol, market])),
    tape: mirrorTape(symbols, (symbol) => liveIndexPrice(kept.get(symbol)?.row.prices ?? {})),
  }
}

/** Whether the live venue has changed the rules of a stored market. */
export function hasNewRules(entities: EntityStore, { markets }: PaperOptions): boolean {
  const stored = storedMarkets(entities)
  return (markets ?? []).some(({ rules }) => {
    const before = stored.get(String(rules['symbol']))
    return before !== undefined && JSON.stringify(before.rules) !== JSON.stringify(rules)
  })
}

function storedMarkets(entities: EntityStore): ReadonlyMap<string, LiveMarket> {
  return new Map(
    Array.from(entities.load(KIND), ({ key, json }) => [key, JSON.parse(json) as LiveMarket]),
  )
}

type Listed = { readonly row: LiveMarket; readonly market: Market }

/** Tradable markets ordered by symbol, so that each rebuild of a world numbers them equally. */
function readable(rows: readonly LiveMarket[]): Map<string, Listed> {
  const listed = rows.flatMap((row) => {
    const market = marketOfRules(row)
    return market ? [[market.symbol, { row, market }] as const] : []
  })
  return new Map(listed.sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Stored markets with the venue's current rules. New markets and changed ticks take effect only in a new world. */
function renewed(
  stored: ReadonlyMap<string, Listed>,
  named: ReadonlyMap<string, Listed>,
  log: Log,
): Map<string, Listed> {
  const isSame = (before: Listed, now: Listed) =>
    before.market.quoteTick === now.market.quoteTick &&
    before.market.baseTick === now.market.baseTick
  const renewed = new Map(
    Array.from(stored, ([symbol, before]) => {
      const now = named.get(symbol)
      return [symbol, now && isSame(before, now) ? withRules(before, now) : before] as const
    }),
  )
  const isOther = ([symbol, now]: readonly [string, Listed]) => {
    const before = stored.get(symbol)
    return !before || !isSame(before, now)
  }
  if ([...named].some(isOther))
    log.warn('venue_markets_kept', { markets: renewed.size, remedy: RESET_HINT })
  return renewed
}

function withRules(before: Listed, now: Listed): Listed {
  const row = { rules: now.row.rules, prices: before.row.prices }
  const market = marketOfRules(row)
  return market ? { row, market } : before
}

import { ACTIVITIES, type Activity } from '../contract/venue/activity.ts'
import type { CommandName } from '../contract/venue/commands.ts'
import type { EntityStore, Log } from '../core/ports.ts'
import { openTapeFile } from '../tapes/file.ts'
import { openRecorded, type RecordedTape } from '../tapes/recorded.ts'
import { ACTIVITY_ENTITY } from './engine/persist/log.ts'
import { MARKETS, type Market } from './listing/instruments.ts'
import { type CandleSpan, candleSpans } from './prices/replay.ts'
import type { TapeToPlay } from './state/tape.ts'
import { TIME_KIND } from './time.ts'

/** The unknown symbols of PREPD_VENUE_MARKETS as one line, for `config check` and the start; empty if all are known. */
export function marketProblems(
  symbols: readonly string[] | null,
  name = 'PREPD_VENUE_MARKETS',
): string[] {
  const unknown = (symbols ?? []).filter((symbol) => !MARKETS.has(symbol))
  if (unknown.length === 0) return []
  return [
    `${name}: ${unknown.join(', ')} is not among the markets: ${[...MARKETS.keys()].join(', ')}`,
  ]
}

/** The kind of the entities that store a world's markets, by symbol. A world with all markets has no such entities. */
const KIND = 'venue-market'

/**
 * The markets of a world, in the order of the table. A new world has the named markets (null: all) and stores them. A
 * stored world keeps its markets, and logs a warning if other markets are named. Throws RangeError for an unknown
 * symbol.
 */
function openMarkets(
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
    log.warn('venue_markets_kept', { markets: markets.size, remedy: RESET_HINT })
  return markets
}

function marketsNamed(symbols: readonly string[] | null): ReadonlyMap<string, Market> {
  if (symbols === null) return MARKETS
  const [problem] = marketProblems(symbols)
  if (problem !== undefined) throw new RangeError(problem)
  return new Map([...MARKETS].filter(([symbol]) => symbols.includes(symbol)))
}

/**
 * The activity of a world. A new world has the named activity. A stored world keeps its activity, and logs a warning if
 * another activity is named.
 */
function openActivity(entities: EntityStore, named: Activity, log: Log): Activity {
  const [stored] = entities.load(ACTIVITY_ENTITY.kind)
  if (!stored && !entities.kinds().includes(TIME_KIND)) {
    if (named !== 'sparse') entities.commit([{ ...ACTIVITY_ENTITY, key: named }])
    return named
  }
  const activity = ACTIVITIES.find((each) => each === stored?.key) ?? 'sparse'
  if (activity !== named) log.warn('venue_activity_kept', { activity, remedy: RESET_HINT })
  return activity
}

/** The kind of the entity with a world's tape: its key is the tape's identity, its value the start time. */
const TAPE_KIND = 'venue-tape'

/**
 * The tape of a world. A new world has the given tape. A stored world has the tape only if it has played this tape
 * before; otherwise a warning is logged.
 */
function openTape(
  entities: EntityStore,
  given: RecordedTape | null,
  log: Log,
): RecordedTape | null {
  if (!given) return null
  if (!entities.kinds().includes(TIME_KIND)) {
    entities.commit([{ kind: TAPE_KIND, key: given.identity, json: 'null' }])
    return given
  }
  const isPlayed = [...entities.load(TAPE_KIND)].some(({ key }) => key === given.identity)
  if (isPlayed) return given
  log.warn('venue_tape_kept', { remedy: RESET_HINT })
  return null
}

/** The tape with its start in venue time. A new world plays the tape's first whole book at the present time. */
export function startTape(
  entities: EntityStore,
  tape: RecordedTape | TapeToPlay,
  nowMs: number,
): TapeToPlay {
  if ('isMirror' in tape) return tape
  const [stored] = Array.from(entities.load(TAPE_KIND), ({ json }) => json)
  const leadMs = Math.floor(tape.wholeUs / 1000) - Math.floor(tape.firstUs / 1000)
  const startsAtMs = Number(stored === undefined || stored === 'null' ? nowMs - leadMs : stored)
  if (stored !== String(startsAtMs))
    entities.commit([{ kind: TAPE_KIND, key: tape.identity, json: String(startsAtMs) }])
  return { ...tape, startsAtMs }
}

/**
 * The reason why a stored world cannot be opened: it plays a different tape than the given tape. Null if the world can
 * be opened.
 */
export function tapeRefusal(entities: EntityStore, given: RecordedTape | null): string | null {
  const [stored] = Array.from(entities.load(TAPE_KIND), ({ key }) => key)
  if (stored === undefined || stored === given?.identity) return null
  return `the simulated world in this data directory plays another tape: set PREPD_VENUE_TAPE to it, or ${RESET_HINT}`
}

/** Whether a stored world plays the given tape in every market. */
export function playsAll(entities: EntityStore, given: RecordedTape | null): boolean {
  const isPlayed = [...entities.load(TAPE_KIND)].some(({ key }) => key === given?.identity)
  const markets = Array.from(entities.load(KIND), ({ key }) => key)
  return isPlayed && markets.length > 0 && markets.every((symbol) => given?.symbols.has(symbol))
}

/** The tape's symbols that are known markets; null without a tape. */
function tapeMarkets(tape: RecordedTape | null): readonly string[] | null {
  return tape && [...tape.symbols].filter((symbol) => MARKETS.has(symbol))
}

/**
 * The problem of the file in PREPD_VENUE_TAPE as one line, for `config check` and the start; empty without a problem.
 */
export function tapeProblems(path: string): string[] {
  try {
    const file = openTapeFile(path, 'read')
    try {
      if (tapeMarkets(openRecorded(file))?.length) return []
      return [
        `PREPD_VENUE_TAPE: ${path} lacks all of the markets: ${[...MARKETS.keys()].join(', ')}`,
      ]
    } finally {
      file.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    return [`PREPD_VENUE_TAPE: ${path} cannot be played: ${reason}`]
  }
}

/** The candles of the file in PREPD_VENUE_PRICES by symbol, or the file's problem as one line. */
export function readCandles(
  path: string,
  read: (path: string) => string,
  name = 'PREPD_VENUE_PRICES',
): ReadonlyMap<string, CandleSpan> | string {
  try {
    const spans = candleSpans(read(path))
    if ([...spans.keys()].some((symbol) => MARKETS.has(symbol))) return spans
    return `${name}: ${path} lacks all of the markets: ${[...MARKETS.keys()].join(', ')}`
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    return `${name}: ${path} cannot be followed: ${reason}`
  }
}

type OwnWorld = {
  readonly entities: EntityStore
  readonly log: Log
  readonly markets: readonly string[] | null
  readonly tape: RecordedTape | null
  readonly activity: Activity
}

/** The markets, activity and tape of a world with simulated markets. */
export function openOwnWorld({ entities, log, ...parts }: OwnWorld) {
  const tape = openTape(entities, parts.tape, log)
  return {
    tape,
    instruments: openMarkets(entities, parts.markets ?? tapeMarkets(tape), log),
    activity: openActivity(entities, parts.activity, log),
  }
}

/** Says which command replaces an unusable world. */
export const RESET_HINT = '`prepd --mode admin venue reset` starts a new one, without its accounts'

const REPLACES_WORLD: ReadonlySet<string> = new Set<CommandName>(['reset', 'restore'])

/** Whether a command replaces the world. Such a command also runs on an unusable world. */
export function replacesWorld(command: string): boolean {
  return REPLACES_WORLD.has(command)
}

import type { LiveBooks } from '../contract/venue/paper.ts'
import { every } from '../core/loop/guarded.ts'
import type { Clock, Log } from '../core/ports.ts'
import type { TapeRecord } from '../tapes/records.ts'
import { tickDecimals } from './base/decimals.ts'
import type { VenueState } from './exchange/state.ts'
import type { Market } from './listing/instruments.ts'

/** Starts to read the live feed of markets. Passes on each record, and the number of a market whose book is lost. */
export type ReadLiveWire = (sink: {
  readonly markets: readonly MirroredMarket[]
  readonly record: (record: TapeRecord) => void
  readonly lost: (market: number) => void
}) => LiveWire

/** An open live feed. */
type LiveWire = {
  /** Marks the books as unknown if no mark price has arrived for too long. */
  readonly checkMarks: () => void
  /** The time at which the last mark price arrived; null before the first mark price. */
  readonly marksAtMs: () => number | null
  readonly stop: () => void
}

/** A market of the live feed. Its prices have the decimals of its tick. */
type MirroredMarket = {
  readonly symbol: string
  readonly rules: ''
  readonly priceDecimals: number
  readonly quantityDecimals: number
}

/** Lets a world follow the markets of a live venue. */
export type Mirror = {
  /** Builds the simulation and starts reading the live feed. */
  readonly start: () => void
  readonly stop: () => void
  /** Advances the simulation to now with all received records, and checks that mark prices still arrive. */
  readonly step: () => void
  readonly state: () => LiveBooks
}

type MirroringVenue = {
  readonly past: { readonly instruments: ReadonlyMap<string, Market> }
  readonly exchange: VenueState
  readonly clock: Clock
  /** Advances the simulation to the current time. */
  readonly advance: () => void
  readonly log: Log
}

/** Maximum number of records that wait while a simulation is behind. Above the maximum, the feed is opened again. */
const WAITING_MAX = 100_000
/** How often received records are played, even if no call arrives. */
const STEP_MS = 100

/** The mirror of a live venue; null if the markets are simulated. */
export function openMirror({
  paper,
  ...parts
}: MirroringVenue & { readonly paper: { readonly read: ReadLiveWire } | null }): Mirror | null {
  return paper ? createMirror(parts, paper.read) : null
}

/** Creates a mirror. Received records wait until the next step or call, which plays them first. */
function createMirror(parts: MirroringVenue, readWire: ReadLiveWire): Mirror {
  const { exchange, clock } = parts
  const markets = Array.from(parts.past.instruments.values(), toMirroredMarket)
  const { simulation } = exchange
  const waiting = createWaiting(clock)
  const books = createBooks(parts, markets)
  const watch = createWatch(parts.log)
  let wire: LiveWire | null = null
  let timer: Timer | undefined

  function perform(): void {
    const { records, atMs } = waiting.take()
    simulation().engine.submit('mirror', { records }, atMs)
  }

  function read(): void {
    waiting.clear()
    const { engine } = simulation()
    engine.submit('mirror', { records: null }, engine.world.nowMs)
    wire = readWire({
      markets,
      record: waiting.add,
      lost: (market) => {
        const atUs = clock.nowMs() * 1000
        waiting.add({ kind: 'gap', market, fromUs: atUs, atUs, cause: 'connection' })
      },
    })
  }

  function stop(): void {
    clearInterval(timer)
    wire?.stop()
    wire = null
  }

  const state = () => books(wire?.marksAtMs() ?? null)

  function step(): void {
    if (waiting.size() > WAITING_MAX) {
      stop()
      start()
    }
    wire?.checkMarks()
    parts.advance()
    watch(state())
  }

  function start(): void {
    read()
    timer = every('venue', STEP_MS, step)
  }

  exchange.follow({ nextMs: waiting.sinceMs, perform })
  return { start, stop, step, state }
}

function toMirroredMarket({ symbol, quoteTick, baseTick }: Market): MirroredMarket {
  const scales = {
    priceDecimals: tickDecimals(quoteTick),
    quantityDecimals: tickDecimals(baseTick),
  }
  return { symbol, rules: '', ...scales }
}

/** Records that were received and not yet played. */
function createWaiting(clock: Clock) {
  let records: TapeRecord[] = []
  let sinceMs = 0
  return {
    add: (record: TapeRecord) => {
      if (records.length === 0) sinceMs = clock.nowMs()
      records.push(record)
    },
    take: () => {
      const taken = { records, atMs: sinceMs }
      records = []
      return taken
    },
    clear: () => {
      records = []
    },
    size: () => records.length,
    /** The time at which the first waiting record arrived; null if no record waits. */
    sinceMs: () => (records.length === 0 ? null : sinceMs),
  }
}

/** Returns a function that gives the state of the books. Its argument is the time of the last mark price. */
function createBooks({ exchange, clock }: MirroringVenue, markets: readonly MirroredMarket[]) {
  const unopened = new Set(markets.map(({ symbol }) => symbol))
  let awaySinceMs: number | null = null
  return (marksAtMs: number | null): LiveBooks => {
    const scenes = exchange.isOpen() ? exchange.simulation().engine.world.scenes : []
    const known = scenes.filter(({ market }) => !market.isAway)
    for (const { listed } of known) unopened.delete(listed.symbol)
    awaySinceMs = known.length === markets.length ? null : (awaySinceMs ?? clock.nowMs())
    const counts = { markets: markets.length, known: known.length }
    return { ...counts, marksAtMs, awaySinceMs, unopened: [...unopened] }
  }
}

/** Returns a function that logs when all live books become unknown, and when a book is known again. */
function createWatch(log: Log): (state: LiveBooks) => void {
  let wasKnown = false
  return ({ markets, known }) => {
    const isKnown = known > 0
    if (isKnown === wasKnown) return
    wasKnown = isKnown
    if (isKnown) log.info('live_books_known', { markets, known })
    else log.warn('live_books_lost', { markets })
  }
}

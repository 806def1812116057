import { LIMITS } from '../contract/limits.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { LiveBooks } from '../contract/venue/paper.ts'
import type { Feed } from '../core/feed.ts'
import { isObject, type Row } from '../core/json.ts'
import { reportUnexpected } from '../core/loop/guarded.ts'
import { repeatWhileInUse } from '../core/loop/idle-timers.ts'
import { type Clock, type Log, UpstreamError, type World } from '../core/ports.ts'
import type { Settings } from '../core/settings/settings.ts'
import { settingVariable } from '../core/settings/sources.ts'
import { printable } from '../core/settings/usage-error.ts'
import type { LiveMarket } from '../simulator/listing/live-rules.ts'
import type { PaperOptions } from '../simulator/paper.ts'
import type { VenueService } from '../simulator/service.ts'
import { upstreamBounds } from '../upstream/http.ts'
import { type PublicReads, paperUpstream, publicReads } from '../upstream/paper.ts'
import { StartError } from './start-error.ts'
import type { OpenVenue } from './venue-port.ts'

type Practice = OpenVenue & Pick<VenueService, 'calls' | 'feed'>

/**
 * Opens practice trading on a live market: public reads and streams come from the live venue, accounts from the
 * embedded one. Throws StartError.
 */
export async function openPaper(
  { venue: { paperOf, stream, streamPrivate, markets } }: Settings,
  world: World,
  openPractice: (paper: PaperOptions) => Promise<Practice>,
): Promise<OpenVenue> {
  if (!paperOf || !(stream instanceof URL)) throw new RangeError('no live venue to practise on')
  const live = publicReads(paperOf, upstreamBounds(world))
  const named = await liveMarkets(live, world.log)
  const practice = await openPractice({ stream: stream.href, markets: chosen(named, markets) })
  const { calls, upstream, feed } = practice
  const watch = watchBooks(calls.mirrored, world.clock)
  return {
    ...practice,
    kind: 'paper',
    upstream: paperUpstream({ live, practice: upstream, books: calls.mirrored }),
    load: live.load,
    books: watch.books,
    openFeed: async () => {
      const { liveFeed } = await import('../live/venue/feed.ts')
      const open = liveFeed({ ...world, open: stream, account: null })
      return withAccounts(open, streamPrivate === null ? null : feed)
    },
    stop: async () => {
      watch.stop()
      await practice.stop()
    },
  }
}

const LOOK_EVERY_MS = 1000

/** Polls the state of the live books every second; null while the practice venue does not report it. */
function watchBooks(ask: () => Promise<LiveBooks | null>, { nowMs }: Clock) {
  let latest: LiveBooks | null = null
  let isAsking = false
  const lose = () => {
    latest = latest && { ...latest, known: 0, awaySinceMs: latest.awaySinceMs ?? nowMs() }
  }
  async function look(): Promise<void> {
    if (isAsking) {
      lose()
      return
    }
    isAsking = true
    try {
      latest = await ask()
    } catch (error) {
      reportUnexpected('venue', error, UpstreamError)
      lose()
    } finally {
      isAsking = false
    }
  }
  return { books: () => latest, stop: repeatWhileInUse('venue', LOOK_EVERY_MS, look) }
}

/** The rules and prices of the live venue's markets; null without an answer. */
async function liveMarkets(live: PublicReads, log: Log): Promise<readonly LiveMarket[] | null> {
  try {
    const [rules, prices] = await Promise.all([
      readRows(live, OPERATIONS['markets.rules'].path),
      readRows(live, OPERATIONS['markets.list'].path),
    ])
    const bySymbol = new Map(prices.map((row) => [row['symbol'], row]))
    return rules.map((row) => ({ rules: row, prices: bySymbol.get(row['symbol']) ?? {} }))
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    log.warn('live_venue_away', { fault: error.fault })
    return null
  }
}

async function readRows(live: PublicReads, path: string): Promise<readonly Row[]> {
  const { status, body } = await live.get(path, LIMITS.upstreamReadDeadlineMs)
  const answer: unknown = status === 200 ? JSON.parse(body) : null
  const data = isObject(answer) ? answer['data'] : null
  const rows = isObject(data) ? data['rows'] : null
  if (!Array.isArray(rows)) throw new UpstreamError('content_type', true)
  return rows.filter(isObject)
}

/** The markets that the settings name; null selects all. */
function chosen(
  markets: readonly LiveMarket[] | null,
  named: readonly string[] | null,
): readonly LiveMarket[] | null {
  if (markets === null || named === null) return markets
  const known = new Set(markets.map(({ rules }) => rules['symbol']))
  const missing = named.find((symbol) => !known.has(symbol))
  if (missing !== undefined)
    throw new StartError(
      `${settingVariable('VENUE_MARKETS')} ${printable(missing)}: is not among the live venue's markets`,
    )
  return markets.filter(({ rules }) => named.includes(String(rules['symbol'])))
}

/** A live venue's public feed, with the private feed of the practice accounts. */
function withAccounts(open: Feed, accounts: Feed | null): Feed {
  return {
    ...open,
    account: accounts?.account ?? null,
    size: () => ({ ...open.size(), accounts: accounts?.size().accounts ?? 0 }),
  }
}

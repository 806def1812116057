import type { Feed } from '../../core/feed.ts'
import { isObject, rowsAt } from '../../core/json.ts'
import { detached, every } from '../../core/loop/guarded.ts'
import { localUrl } from '../../core/settings/listen-address.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import { liveFeed } from '../../live/venue/feed.ts'
import type { CommandArguments, CommandEnvironment } from '../../operator/command/command.ts'
import { TAPE_FLAGS } from '../../operator/command/flags.ts'
import { numbered } from '../../operator/command/tables.ts'
import { requestUpstream } from '../../operator/doctor/upstream-request.ts'
import type { TapeWriter } from '../../tapes/write.ts'
import { startRecording, toWireMarket, type WireMarket } from '../recording/recorder.ts'
import { addToTape } from './open.ts'

/** The venue's addresses for requests and for public sockets. */
type Wire = {
  readonly requests: URL
  readonly sockets: URL
  /** The flag or setting that states the address. */
  readonly setting: string
}

const FLUSH_MS = 5000
const INFO_PATH = '/v1/public/info'

/**
 * Records the public feed of a venue into a tape, for some seconds or until interrupted. Returns the exit code: 0, 1 if
 * the venue or the file fails. Throws UsageError for a malformed setting or flag.
 */
export async function tapeRecord(deps: CommandEnvironment, args: CommandArguments): Promise<0 | 1> {
  const wire = venueWire(deps, args)
  return await addToTape(deps, args, async (writer) => {
    const markets = await readMarkets(deps, wire, args.get(TAPE_FLAGS.markets.flag) ?? 'all')
    const { clock, random } = deps.world
    const feed = liveFeed({ open: wire.sockets, account: null, clock, random, log: SILENT_LOG })
    return { markets: markets.length, ...(await record(deps, args, { feed, writer, markets })) }
  })
}

type RecordingOptions = {
  readonly feed: Feed
  readonly writer: TapeWriter
  readonly markets: readonly WireMarket[]
}

/** Records until the end, and returns the counters. Throws the error that ends a recording early. */
async function record(
  deps: CommandEnvironment,
  args: CommandArguments,
  { feed, writer, markets }: RecordingOptions,
) {
  const { print, world } = deps
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const recording = startRecording({ feed, writer, markets, failed: reject })
  const flush = () => {
    try {
      writer.flush()
    } catch (error) {
      reject(error)
    }
  }
  const flushing = every('process', FLUSH_MS, flush)
  print(`reading the books of ${numbered(markets.length, 'market')}`)
  const begun = recording.begun.then(() => print('recording; interrupt to stop'))
  detached('process', begun)
  const seconds = args.get(TAPE_FLAGS.seconds.flag)
  const ends = [failed, world.interrupted()]
  if (seconds !== undefined) ends.push(world.sleep(Number(seconds) * 1000))
  try {
    await Promise.race(ends)
    return recording.counts
  } finally {
    clearInterval(flushing)
    recording.stop()
    feed.close()
    writer.flush()
  }
}

/** The venue that the flag or the settings name. Throws UsageError that names the missing flag or setting. */
function venueWire({ settings: { venue } }: CommandEnvironment, args: CommandArguments): Wire {
  const given = args.get(TAPE_FLAGS.url.flag)
  if (given !== undefined)
    return { requests: new URL(given), sockets: new URL(given), setting: TAPE_FLAGS.url.flag }
  if (venue.at !== 'embedded') {
    if (!(venue.stream instanceof URL))
      throw new UsageError('PREPD_VENUE_STREAM must be the address of live data')
    return { requests: venue.at, sockets: venue.stream, setting: 'PREPD_VENUE' }
  }
  const { listen } = venue
  if (listen === null || listen.port === 0)
    throw new UsageError(
      'PREPD_VENUE_LISTEN must be set as for the running server, or --url name its wire',
    )
  const url = new URL(localUrl(listen))
  return { requests: url, sockets: url, setting: 'PREPD_VENUE_LISTEN' }
}

/** The markets to record with their rules. Throws an Error with the reason if it finds no market. */
async function readMarkets(
  { world }: CommandEnvironment,
  { requests: url, setting }: Wire,
  wanted: string,
): Promise<readonly WireMarket[]> {
  const answer = await requestUpstream(world, { name: 'the venue', setting, url }, INFO_PATH)
  if (answer.problem) throw new Error(`${answer.problem.seen}. ${answer.problem.remedy ?? ''}`)
  const rows = rowsAt(isObject(answer.body) ? answer.body['data'] : null, 'rows')
  const all = rows.flatMap((row) => toWireMarket(row) ?? [])
  const symbols = wanted === 'all' ? null : new Set(wanted.split(','))
  const markets = all.filter(({ symbol }) => symbols === null || symbols.delete(symbol))
  const [missing] = symbols ?? []
  if (missing !== undefined) throw new Error(`the venue has no market ${missing}`)
  if (markets.length === 0) throw new Error('the venue names no markets')
  return markets
}

const doNothing = (): void => undefined
const SILENT_LOG = { error: doNothing, warn: doNothing, info: doNothing, debug: doNothing }

import type { Activity } from '../contract/venue/activity.ts'
import type { LiveBooks } from '../contract/venue/paper.ts'
import type { SteppedClock } from '../core/advance.ts'
import { Failure } from '../core/failure.ts'
import type { Feed } from '../core/feed.ts'
import { everyInUse } from '../core/loop/rest.ts'
import { type Clock, type Log, UpstreamError } from '../core/ports.ts'
import { openTapeFile } from '../tapes/file.ts'
import { openRecorded } from '../tapes/recorded.ts'
import type { PracticeAccount } from './accounts/practice.ts'
import type { StepRequest } from './control/advance.ts'
import { parseScenario } from './control/scenario/parse.ts'
import type { EmbeddedOptions, WorldCheck } from './embedded.ts'
import type { VenueDoor } from './messages/message.ts'
import { type PackedMessage, packMessage } from './messages/packed.ts'
import type { ReadLiveWire } from './mirror.ts'
import type { PaperOptions } from './paper.ts'
import type { StillPrices } from './prices/replay.ts'
import { listenVenue } from './server/listener.ts'
import {
  createSupervisedVenue,
  type RunVenueCommand,
  type SupervisedOptions,
  type SupervisedVenue,
} from './supervised.ts'

/** The options of an embedded venue: plain data, which may be sent to another thread. */
export type VenueOptions = Pick<
  EmbeddedOptions,
  'seed' | 'markets' | 'pricesCsv' | 'time' | 'startMs' | 'faucet' | 'verified'
> &
  Pick<SupervisedOptions, 'limits' | 'latency' | 'heldReason'> & {
    readonly activity: Activity
    /** The path of a tape as the background liquidity; null for simulated traders alone. */
    readonly tape: string | null
    readonly fees: EmbeddedOptions['fees']
    /** The live venue whose markets are mirrored; null for markets of its own. */
    readonly paper?: PaperOptions | null
    /** The text of a scenario; null without one. */
    readonly scenario: string | null
    /** The account that runs the affiliate program; null without one. */
    readonly operatorId: string | null
    /** The address at which its wire listens for other programs; null to leave the wire closed. */
    readonly listen: { readonly host: string; readonly port: number } | null
  }

/** The outside world of an embedded venue. */
export type VenueOutside = Pick<
  EmbeddedOptions,
  'monotonicMs' | 'log' | 'entities' | 'timeMoved' | 'busy'
> & {
  readonly clock: Clock
  /** Reads the live wire of the mirrored venue; absent for markets of its own. */
  readonly readLiveWire?: ReadLiveWire
}

/** The calls to an embedded venue. Each throws UpstreamError when the venue does not answer, and Failure. */
export type VenueCalls = {
  readonly answer: VenueDoor
  /** Makes an account a first-level affiliate. */
  readonly promote: (accountId: string) => Promise<'promoted' | 'already' | 'no_account'>
  /** The newest practice accounts first. */
  readonly listAccounts: (rowsMax: number) => Promise<readonly PracticeAccount[]>
  /** Null when there is no such account. */
  readonly showAccount: (accountId: string) => Promise<PracticeAccount | null>
  /** Credits six decimals of USDC, or eight of another token. Null when there is no such account. */
  readonly fundAccount: (
    accountId: string,
    amount: bigint,
    token?: string,
  ) => Promise<PracticeAccount | null>
  /** The index prices of markets, eight decimals; null for an unknown market. */
  readonly indexPrices: (symbols: readonly string[]) => Promise<readonly (bigint | null)[]>
  /** Moves a virtual clock by steps. */
  readonly step: (request: StepRequest) => Promise<readonly SteppedClock[]>
  /** Checks the world's invariants at the venue's time. */
  readonly check: () => Promise<WorldCheck>
  /** The markets that the price file no longer moves; null for seeded prices. */
  readonly stillPrices: () => Promise<StillPrices | null>
  readonly runCommand: RunVenueCommand
  /** The JSON of a private path of an account, without a signature: for this process alone. */
  readonly readAccount: (accountId: string, path: string) => Promise<string>
  /** The books of the live markets that are mirrored; null for markets of its own. */
  readonly mirrored: () => Promise<LiveBooks | null>
  /** The order book of a market as the live wire has it. */
  readonly book: (symbol: string) => Promise<PackedMessage>
}

/** The embedded venue for the gateway. */
export type VenueService = {
  readonly calls: VenueCalls
  /** Its live wire. */
  readonly feed: Feed & { readonly account: NonNullable<Feed['account']> }
  readonly clock: Clock
  /** The reason for refusing the stored world, and the command that starts a new one; null while it answers. */
  readonly refusal: () => string | null
  /** The port of its wire for other programs; null while the wire is closed. */
  readonly port: number | null
  /** Builds the simulation if needed. Settles when it is at the venue's time. */
  readonly arrived: () => Promise<void>
  /** Stores the time of its clock, and closes. */
  readonly close: () => Promise<void>
}

/** The port of the wire cannot be opened, for the reason in `cause`. */
class VenueListenError extends Error {
  override readonly name = 'VenueListenError'
}

/** The interval at which an idle world advances to the time of its clock. */
const STEP_MS = 200

/**
 * Opens the embedded venue in this thread. Throws RangeError for prices, SyntaxError for entities that cannot be read,
 * VenueListenError.
 */
export function openVenueService(options: VenueOptions, outside: VenueOutside): VenueService {
  const { operatorId, listen } = options
  const { readLiveWire } = outside
  const tapeFile = options.tape === null ? null : openTapeFile(options.tape, 'read')
  const venue = createSupervisedVenue({
    ...options,
    ...outside,
    tape: tapeFile && openRecorded(tapeFile),
    paper: readLiveWire && options.paper ? { ...options.paper, read: readLiveWire } : null,
    wallClock: outside.clock,
    sleep: Bun.sleep,
    scenario: toScenario(options),
    onOpened: ({ affiliates }) => {
      if (operatorId !== null) affiliates.appoint(operatorId)
    },
  })
  const { live, clock, current, refusal } = venue
  warnOfStillPrices(current().stillPrices(), outside.log)
  const listener = listen && serveWire(listen, venue)
  const stopStepping = everyInUse('venue', STEP_MS, () => current().advance())
  return {
    calls: venueCalls(venue),
    feed: live,
    clock,
    refusal,
    port: listener?.port ?? null,
    arrived: () => current().arrived(),
    close: async () => {
      stopStepping()
      current().mirror?.stop()
      // A running clock's time is stored at the stop, not at every step.
      current().time.advance?.(0)
      await listener?.stop()
      tapeFile?.close()
    },
  }
}

function serveWire(at: NonNullable<VenueOptions['listen']>, venue: SupervisedVenue) {
  try {
    return listenVenue(at, venue)
  } catch (error) {
    throw new VenueListenError('the port cannot be opened', { cause: error })
  }
}

function toScenario({ scenario: text }: VenueOptions) {
  return text === null ? null : { text, lines: parseScenario(text) }
}

function warnOfStillPrices(prices: StillPrices | null, log: Log): void {
  if (prices === null || prices.still === 0) return
  log.warn('prices_stand_still', { ...prices, stillSince: JSON.stringify(prices.stillSince) })
}

function venueCalls(venue: SupervisedVenue): VenueCalls {
  const { current, live } = venue
  const practice = async () => {
    await current().arrived()
    return current().practice
  }
  return {
    answer: async (request) => {
      if (venue.refusal() !== null) throw new UpstreamError('unreachable', false)
      return venue.answer(request)
    },
    promote: async (accountId) => current().affiliates.promote(accountId),
    listAccounts: async (rowsMax) => (await practice()).list(rowsMax),
    showAccount: async (accountId) => (await practice()).show(accountId),
    fundAccount: async (...deposit) => (await practice()).fund(...deposit),
    indexPrices: async (symbols) => symbols.map(current().indexOf),
    step: async (request) => {
      if (venue.refusal() !== null) throw new UpstreamError('unreachable', false)
      return current().step(request)
    },
    check: async () => {
      if (venue.refusal() !== null) throw new Failure('upstream_unavailable')
      return current().check()
    },
    stillPrices: async () => current().stillPrices(),
    runCommand: venue.runCommand,
    readAccount: async (accountId, path) => {
      await current().arrived()
      return JSON.stringify(current().peek(path, { accountId }) ?? null)
    },
    mirrored: async () => current().mirror?.state() ?? null,
    book: async (symbol) => packMessage(await live.book(symbol)),
  }
}

import type { Activity } from '../contract/venue/activity.ts'
import type { LiveBooks } from '../contract/venue/paper.ts'
import type { SteppedClock } from '../core/advance.ts'
import { Failure } from '../core/failure.ts'
import type { Feed } from '../core/feed.ts'
import { repeatWhileInUse } from '../core/loop/idle-timers.ts'
import { type Clock, type Log, UpstreamError } from '../core/ports.ts'
import { openTapeFile } from '../tapes/file.ts'
import { openRecorded } from '../tapes/recorded.ts'
import type { PracticeAccount } from './accounts/practice.ts'
import type { StepRequest } from './control/advance.ts'
import { parseScenario } from './control/scenario/parse.ts'
import type { EmbeddedOptions, WorldCheck } from './embedded.ts'
import { type PackedMessage, packMessage, type VenueEndpoint } from './messages/message.ts'
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

/** The options of an embedded venue. Plain data, so that it can be sent to another thread. */
export type VenueOptions = Pick<
  EmbeddedOptions,
  'seed' | 'markets' | 'pricesCsv' | 'time' | 'startMs' | 'faucet' | 'verified'
> &
  Pick<SupervisedOptions, 'limits' | 'latency' | 'heldReason'> & {
    readonly activity: Activity
    /** The path of a tape whose recorded orders are played into the books; null for simulated traders alone. */
    readonly tape: string | null
    readonly fees: EmbeddedOptions['fees']
    /** The live venue whose markets are mirrored; null for simulated markets. */
    readonly paper?: PaperOptions | null
    /** The text of a scenario; null to run without a scenario. */
    readonly scenario: string | null
    /** The id of the account that runs the affiliate program; null for no program. */
    readonly operatorId: string | null
    /** The address on which other programs reach the venue's API; null if it is not served. */
    readonly listen: { readonly host: string; readonly port: number } | null
  }

/** The clocks, store, log and live feed that an embedded venue uses. */
export type VenueOutside = Pick<
  EmbeddedOptions,
  'monotonicMs' | 'log' | 'entities' | 'timeMoved' | 'busy'
> & {
  readonly clock: Clock
  /** Reads the live feed of the mirrored venue; absent for simulated markets. */
  readonly readLiveWire?: ReadLiveWire
}

/**
 * The calls to an embedded venue. Each call can throw Failure, and throws UpstreamError if the venue does not answer.
 */
export type VenueCalls = {
  readonly answer: VenueEndpoint
  /** Makes an account a first-level affiliate. */
  readonly promote: (accountId: string) => Promise<'promoted' | 'already' | 'no_account'>
  /** Practice accounts, newest first. */
  readonly listAccounts: (rowsMax: number) => Promise<readonly PracticeAccount[]>
  /** A practice account; null for an unknown id. */
  readonly showAccount: (accountId: string) => Promise<PracticeAccount | null>
  /** Credits USDC (six decimals) or another token (eight decimals). Null for an unknown account. */
  readonly fundAccount: (
    accountId: string,
    amount: bigint,
    token?: string,
  ) => Promise<PracticeAccount | null>
  /** The index prices of markets, with eight decimals; null for an unknown market. */
  readonly indexPrices: (symbols: readonly string[]) => Promise<readonly (bigint | null)[]>
  /** Moves a virtual clock by steps. */
  readonly step: (request: StepRequest) => Promise<readonly SteppedClock[]>
  /** Checks the world's invariants once it has reached the venue's time. */
  readonly check: () => Promise<WorldCheck>
  /** The markets that the price file no longer moves; null if prices come from the seed. */
  readonly stillPrices: () => Promise<StillPrices | null>
  readonly runCommand: RunVenueCommand
  /** The JSON of an account's private path, read without a signature. Only this process may call it. */
  readonly readAccount: (accountId: string, path: string) => Promise<string>
  /** The state of the mirrored live books; null for simulated markets. */
  readonly mirrored: () => Promise<LiveBooks | null>
  /** The order book of a market as the live feed sends it. */
  readonly book: (symbol: string) => Promise<PackedMessage>
}

/** The embedded venue as the gateway uses it. */
export type VenueService = {
  readonly calls: VenueCalls
  /** The venue's live feed. */
  readonly feed: Feed & { readonly account: NonNullable<Feed['account']> }
  readonly clock: Clock
  /** Why the stored world was refused, and the command that starts a new world; null if the stored world was opened. */
  readonly refusal: () => string | null
  /** The port that serves other programs; null if it is not served. */
  readonly port: number | null
  /** Builds the simulation if needed. Settles when the simulation has reached the venue's time. */
  readonly arrived: () => Promise<void>
  /** Stores the time of the venue's clock, and closes the venue. */
  readonly close: () => Promise<void>
}

/** Thrown if the venue's port cannot be opened; the reason is in `cause`. */
class VenueListenError extends Error {
  override readonly name = 'VenueListenError'
}

/** How often an idle world advances to the time of its clock. */
const STEP_MS = 200

/**
 * Opens the embedded venue in this thread. Throws RangeError for invalid prices, SyntaxError for unreadable entities,
 * VenueListenError if the port cannot be opened.
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
  const stopStepping = repeatWhileInUse('venue', STEP_MS, () => current().advance())
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
      // A running virtual clock is not stored at every step. Advancing by 0 stores its time.
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

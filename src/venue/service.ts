import { Failure } from '../core/failure.ts'
import type { Feed } from '../core/feed.ts'
import { everyInUse } from '../core/loop/rest.ts'
import { type Clock, type EntityStore, type Log, UpstreamError } from '../core/ports.ts'
import type { Activity } from '../spec/venue/activity.ts'
import type { Opening } from './accounts/accounts.ts'
import type { PracticeAccount } from './accounts/practice.ts'
import { parseScenario } from './control/scenario/parse.ts'
import type { WorldCheck } from './embedded.ts'
import type { VenueDoor } from './messages/message.ts'
import { type PackedMessage, packMessage } from './messages/packed.ts'
import type { StillPrices } from './prices/replay.ts'
import { listenVenue } from './server/listener.ts'
import { createSupervisedVenue, type RunCommand, type SupervisedVenue } from './supervised.ts'

/** What an embedded venue is opened with: plain data, which may be sent to another thread. */
export type VenueOptions = {
  readonly seed: number
  /** The symbols of a new world's markets; null for all. */
  readonly markets: readonly string[] | null
  /** How much the simulated traders of a new world do. */
  readonly activity: Activity
  /** The text of a file of candles that the index prices follow; null for seeded prices. */
  readonly pricesCsv: string | null
  readonly time: 'real' | 'virtual'
  /** Where virtual time begins in a new world. */
  readonly startMs: number
  /** Micro-USDC credited to a new account. */
  readonly faucet: bigint
  readonly fees: Opening['fees']
  /** Whether callers are counted as the live venue counts them. */
  readonly limits: 'live' | null
  /** The text of a scenario; null for none. */
  readonly scenario: string | null
  /** The account that runs the affiliate program; null for none. */
  readonly operatorId: string | null
  /** Where its wire is served to other programs; null where it is not. */
  readonly listen: { readonly host: string; readonly port: number } | null
  /** Why the world is left closed, so that only commands which replace it run; absent where it is opened. */
  readonly heldReason?: string
}

/** What an embedded venue needs from outside. */
export type VenueOutside = {
  readonly clock: Clock
  /** Milliseconds since some moment of this process. */
  readonly monotonicMs: () => number
  readonly log: Log
  readonly entities: EntityStore
  /** Receives the time of a virtual clock whenever it moves. */
  readonly timeMoved?: (nowMs: number) => void
  /** Called when work begins, and ends, that keeps this thread from answering for longer than usual. */
  readonly busy?: (isBusy: boolean) => void
}

/** What an embedded venue is asked to do. Each throws UpstreamError where the venue does not answer, and Failure. */
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
  /** The index prices of markets, eight decimals; null for one that there is not. */
  readonly indexPrices: (symbols: readonly string[]) => Promise<readonly (bigint | null)[]>
  /** Moves a virtual clock, and settles when the world is there. */
  readonly moveClock: (ms: number) => Promise<void>
  /** Checks the world's books as of now. */
  readonly check: () => Promise<WorldCheck>
  /** Which markets a file of prices moves; null where prices are seeded. */
  readonly stillPrices: () => Promise<StillPrices | null>
  readonly runCommand: RunCommand
  /** The order book of a market as the live wire has it. */
  readonly book: (symbol: string) => Promise<PackedMessage>
}

/** The embedded venue as the gateway reaches it. */
export type VenueService = {
  readonly calls: VenueCalls
  /** Its live wire. */
  readonly feed: Feed & { readonly account: NonNullable<Feed['account']> }
  readonly clock: Clock
  /** Why it refuses its stored world, and the command that starts a new one; null while it answers. */
  readonly refusal: () => string | null
  /** The port on which its wire is served; null where it is not. */
  readonly port: number | null
  /** Builds the simulation where nobody has asked for it yet, and settles when it is at now. */
  readonly arrived: () => Promise<void>
  /** Stores where its clock stands, and ends. */
  readonly close: () => Promise<void>
}

/** The port of the wire cannot be opened; the cause says why. */
class VenueListenError extends Error {
  override readonly name = 'VenueListenError'
}

/** How often a world goes on to the time of its clock while nobody asks it anything. */
const STEP_MS = 200

/**
 * Opens the embedded venue in this thread. Throws RangeError for prices, SyntaxError for entities that cannot be read,
 * VenueListenError.
 */
export function openVenueService(options: VenueOptions, outside: VenueOutside): VenueService {
  const { operatorId, listen } = options
  const venue = createSupervisedVenue({
    ...options,
    ...outside,
    wallClock: outside.clock,
    sleep: Bun.sleep,
    scenario: scenarioOf(options),
    onOpened: ({ affiliates }) => {
      if (operatorId !== null) affiliates.appoint(operatorId)
    },
  })
  const { live, clock, current, refusal } = venue
  warnOfStillPrices(current().stillPrices(), outside.log)
  const listener = listen && serveWire(listen, venue)
  const stopStepping = everyInUse('venue', STEP_MS, () => current().advance())
  return {
    calls: callsOf(venue),
    feed: live,
    clock,
    refusal,
    port: listener?.port ?? null,
    arrived: () => current().arrived(),
    close: async () => {
      stopStepping()
      // Where a running clock stands is stored as it is stopped, not at every step.
      current().time.advance?.(0)
      await listener?.stop()
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

function scenarioOf({ scenario: text }: VenueOptions) {
  return text === null ? null : { text, lines: parseScenario(text) }
}

function warnOfStillPrices(prices: StillPrices | null, log: Log): void {
  if (prices === null || prices.still === 0) return
  log.warn('prices_stand_still', { ...prices, stillSince: JSON.stringify(prices.stillSince) })
}

function callsOf(venue: SupervisedVenue): VenueCalls {
  const { current, live, settled } = venue
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
    moveClock: async (ms) => {
      current().time.advance?.(ms)
      await settled()
    },
    check: async () => {
      if (venue.refusal() !== null) throw new Failure('upstream_unavailable')
      return current().check()
    },
    stillPrices: async () => current().stillPrices(),
    runCommand: venue.runCommand,
    book: async (symbol) => packMessage(await live.book(symbol)),
  }
}

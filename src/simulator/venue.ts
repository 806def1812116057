import { createVerifier } from '../core/crypto/verifier.ts'
import type { FeedAuth } from '../core/feed.ts'
import { isObject } from '../core/json.ts'
import type { Clock, EntityStore, Log, Random } from '../core/ports.ts'
import type { Opening } from './accounts/accounts.ts'
import { openPracticeAccounts, type PracticeAccounts } from './accounts/practice.ts'
import { createCommitGroup } from './exchange/commit-group.ts'
import type { VenueState } from './exchange/state.ts'
import type { HistoricalPrice } from './exchange/trading-context.ts'
import { type BothClocksTime, EXCHANGE_LIMITS } from './messages/limits.ts'
import {
  jsonResponse,
  successResponse,
  type VenueAnswer,
  type VenueRequest,
  type VenueResponse,
} from './messages/message.ts'
import { refusal } from './messages/refusals.ts'
import { type ReadUnserialised, VenueRefusal, type VenueRow } from './messages/row.ts'
import {
  type AffiliateAdmin,
  type AffiliateProgram,
  openAffiliateProgram,
} from './programs/affiliates/admin.ts'
import { accountRows } from './rest/accounts.ts'
import { CLIENT } from './rest/client.ts'
import { INBOX } from './rest/inbox.ts'
import { SUB_ACCOUNTS } from './rest/money/holdings.ts'
import { TRANSFERS } from './rest/money/transfers.ts'
import { WITHDRAWALS } from './rest/money/withdrawals.ts'
import { ALGO_ORDERS } from './rest/orders/algo.ts'
import { ORDERS } from './rest/orders/orders.ts'
import { POSITION_ROUTES } from './rest/positions/positions.ts'
import { campaignRows } from './rest/programs/campaigns.ts'
import { rewardRows } from './rest/programs/rewards.ts'
import { stakingRows } from './rest/programs/staking.ts'
import { CONSTANT_PATHS } from './rest/public/platform.ts'
import { REFERRAL, REVENUE, referralRows } from './rest/referral.ts'
import { type SignedTable, signedRows } from './rest/signed/call.ts'
import { VAULT_HISTORY } from './rest/vaults/requests.ts'
import { vaultRows } from './rest/vaults/vaults.ts'
import { authenticate, checkContentType, provesAccountKey } from './server/gate.ts'
import { createRouter, type Router, type VenueRoute } from './server/router.ts'

export type Venue = {
  readonly answer: VenueAnswer
  /** Stores all changes of the simulation. Never throws. */
  readonly commit: () => void
  /** Whether a commit is pending. */
  readonly isStoring: () => boolean
  readonly affiliates: AffiliateAdmin
  /**
   * Answers a GET of a path with its query, or a POST of the path if a body is given. Returns the unserialised result.
   * Returns undefined for an unknown path, for a private path without an account, and if the venue refuses the call.
   */
  readonly peek: ReadUnserialised
  /** Whether a signed timestamp proves that the caller has a valid key of the account. */
  readonly proves: (auth: FeedAuth) => boolean
  readonly practice: PracticeAccounts
}

export type VenueSetup = {
  readonly exchange: VenueState
  /** The endpoints that need no account. */
  readonly publicRows: readonly VenueRow[]
  readonly priceThen: HistoricalPrice
  /** The venue's time, real or virtual. */
  readonly clock: Clock
  /** Real time. A signature is also accepted if its timestamp is fresh by this clock. */
  readonly wallClock: Clock
  readonly random: Random
  readonly entities: EntityStore
  /** Micro-USDC that a new account receives. */
  readonly faucet: bigint
  /** The fee rates of new accounts; absent: the base rates. */
  readonly fees?: Opening['fees']
  readonly log: Log
  /** Memory, shared between threads, of signatures that were found valid; absent to verify each signature here. */
  readonly verified?: SharedArrayBuffer
  /** Settles when the simulation has reached the venue's time; null if it already has. */
  readonly ready: () => Promise<void> | null
}

/**
 * The embedded venue. It checks every request itself, except for signatures that `verified` lists as valid. Accounts
 * belong to a broker. Every change is stored before its answer, so a restart with the same entities keeps the change.
 */
export function createVenue(parts: VenueSetup): Venue {
  const { exchange, clock, log } = parts
  const program = openAffiliateProgram(exchange, parts.entities)
  const { verified: memory = null } = parts
  const verifier = createVerifier({ keysMax: EXCHANGE_LIMITS.verifierKeysMax, memory })
  const find = createRouter(venueRows({ ...parts, ...program }))
  const moment = (request: Pick<VenueRequest, 'skewMs'> = {}) => requestMoment(parts, request)
  const group = createCommitGroup(exchange.commit, (error) => logFault(log, error))

  /** Handles a request at its endpoint, and stores the changes before the answer is sent. */
  async function run(request: VenueRequest, { row, params }: VenueRoute, query: string) {
    if (!CONSTANT_PATHS.has(row.path)) await awaitVenueTime(parts)
    const nowMs = clock.nowMs()
    try {
      if (!CONSTANT_PATHS.has(row.path)) exchange.advance(nowMs)
      const accountId = authorised(request, row)
      const { body = '', peer, fillShare } = request
      const asked = { params, query: new URLSearchParams(query), body, nowMs, accountId, peer }
      const call = fillShare === undefined ? asked : { ...asked, fillShare }
      return row.answer(call)
    } finally {
      // A read is answered even if storing changes of the simulation fails. They are stored later.
      await (row.method === 'GET' ? group.looked() : group.stored())
    }
  }

  function authorised(request: VenueRequest, row: VenueRow): string {
    if (row.scope !== 'none') return authenticate(exchange, verifier, request, row, moment(request))
    if (row.method !== 'GET') checkContentType(request, row.method)
    return ''
  }

  async function answer(request: VenueRequest): Promise<VenueResponse> {
    try {
      const [path = '', ...query] = request.path.split('?')
      const route = find(request.method, path)
      if (!route) throw refusal('path')
      const content = await run(request, route, query.join('?'))
      return responseOfContent(route.row, content, moment(request).nowMs)
    } catch (error) {
      return responseOfError(error, moment(request).nowMs, log)
    }
  }

  return {
    answer,
    affiliates: program.admin,
    peek: createPeek(find, clock),
    proves: (auth) => provesAccountKey(exchange, verifier, auth, moment()),
    practice: openPracticeAccounts(parts),
    commit: () => void group.looked(),
    isStoring: group.isOpen,
  }
}

/** The times of both clocks. A clock-skew fault sets both ahead for one request. */
function requestMoment(
  { clock, wallClock }: VenueSetup,
  { skewMs = 0 }: Pick<VenueRequest, 'skewMs'>,
): BothClocksTime {
  return { nowMs: clock.nowMs() + skewMs, wallMs: wallClock.nowMs() + skewMs }
}

/**
 * Waits until the simulation has reached the venue's time. Waits again if the venue's time has moved on during the
 * wait.
 */
export async function awaitVenueTime({ ready }: Pick<VenueSetup, 'ready'>): Promise<void> {
  for (let wait = ready(); wait; wait = ready()) await wait
}

const SIGNED: readonly SignedTable[] = [
  ...[ORDERS, ALGO_ORDERS, POSITION_ROUTES, CLIENT, SUB_ACCOUNTS],
  ...[WITHDRAWALS, TRANSFERS, INBOX, REFERRAL, REVENUE, VAULT_HISTORY],
]

function venueRows(parts: VenueSetup & AffiliateProgram): readonly VenueRow[] {
  return [
    ...parts.publicRows,
    ...accountRows(parts),
    ...signedRows(parts, SIGNED),
    ...vaultRows({ ...parts.exchange, priceThen: parts.priceThen }),
    ...referralRows(parts),
    ...rewardRows(parts.exchange),
    ...campaignRows(parts),
    ...stakingRows(parts.exchange),
  ]
}

function createPeek(find: Router, clock: Clock): ReadUnserialised {
  return (path, { accountId = '', body } = {}) => {
    const [pathname = '', query = ''] = path.split('?')
    const found = find(body === undefined ? 'GET' : 'POST', pathname)
    if (!found || (found.row.scope !== 'none' && accountId === '')) return undefined
    const { row, params } = found
    const call = { params, query: new URLSearchParams(query), body: body ?? '', accountId }
    try {
      return row.answer({ ...call, nowMs: clock.nowMs() })
    } catch (error) {
      if (error instanceof VenueRefusal) return undefined
      throw error
    }
  }
}

function responseOfContent(row: VenueRow, content: unknown, timestamp: number): VenueResponse {
  if (row.envelope === 'bare') return jsonResponse(200, content)
  return successResponse(envelopeMembers(row, content), timestamp)
}

function envelopeMembers({ envelope }: VenueRow, content: unknown): object {
  if (envelope === 'data_and_meta' && isObject(content)) return content
  return content === undefined ? {} : { data: content }
}

/** The wire response to a refusal. Any other error is logged and hidden from the caller. */
function responseOfError(error: unknown, nowMs: number, log: Log): VenueResponse {
  if (!(error instanceof VenueRefusal)) {
    logFault(log, error)
    return responseOfError(refusal('unknown'), nowMs, log)
  }
  const { status, code, message } = error
  const stamp = typeof code === 'string' ? { ts: nowMs } : { timestamp: nowMs }
  return jsonResponse(status, { success: false, code, message, ...stamp })
}

/** Runs background work and logs its error. */
export function runLogged(log: Log, work: () => void): void {
  try {
    work()
  } catch (error) {
    logFault(log, error)
  }
}

export function logFault(log: Log, error: unknown): void {
  log.error('venue_fault', { message: isObject(error) ? String(error['message']) : 'unknown' })
}

import type { Method } from '../../contract/allowlist.ts'
import { APPROVAL, APPROVAL_PAGE } from '../../contract/approval.ts'
import type { Approval } from '../../core/approval.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { mainAccountId } from '../../core/crypto/account-id.ts'
import { sha256Hex } from '../../core/digest.ts'
import { Failure, type FailureMeta } from '../../core/failure.ts'
import { toHex } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { combinedLimits, type Limits, toUsdcMicros } from '../../core/mandate.ts'
import type { Clock, Random, Store } from '../../core/ports.ts'
import { exceedsDay } from '../../core/spending.ts'
import type { KeptFigures } from '../mandate/figures.ts'
import { isRefused } from '../mandate/gate.ts'
import type { Mandates } from '../mandate/mandates.ts'
import type { KeptModes } from '../mandate/modes.ts'
import { unprovenKeyFailure } from '../mandate/refusals.ts'
import { needsNoMandate } from '../mandate/reserve.ts'
import { unapprovedScope } from '../mandate/scopes.ts'
import type { MarketAccess } from '../market/cached-answers.ts'
import type { Reply } from '../scrub/reply.ts'
import { readPayload } from '../venue/read.ts'
import type { AccountEventInput, AccountEvents } from '../webhook/events.ts'
import { type ApprovalQuestion, composeQuestion, type WriteInQuestion } from './question.ts'

/** A write of an account, as it was signed. */
export type ApprovableWrite = WriteInQuestion & {
  /** Lower case. */
  readonly accountId: string
  /** The trading key that signed the write. */
  readonly key: string
  /** The name that the sending program gives itself; null without a name. */
  readonly program: () => string | null
  readonly method: Method
  readonly path: string
  /** Whether the venue has accepted the key for the account. */
  readonly proven: boolean
}

/** Sends writes that need no approval, or that the owners of their accounts have approved. */
export type Approvals = {
  /**
   * Sends a write. An approval that the write needs is used up before the write is sent, once across all instances.
   * After a definite refusal by the venue, the approval can be used again. Throws NotApproved before anything is sent:
   * - approval_required, with the approval that the owner has to give.
   * - invalid_request for a body that two parsers may read differently.
   * - unauthorized for a key that the venue has not accepted.
   */
  readonly send: (write: ApprovableWrite, send: () => Promise<Reply>) => Promise<Reply>
}

/** The refusal of a write that was not sent. */
export class NotApproved extends Failure {
  constructor({ code, meta }: Failure) {
    super(code, meta)
  }
}

export type ApprovalAccess = MarketAccess & {
  readonly clock: Clock
  readonly random: Random
  readonly venueClock: Clock
  readonly store: Pick<Store, 'once' | 'approvals' | 'spending'>
  readonly mandates: Pick<Mandates, 'of'>
  readonly modes: KeptModes
  readonly figures: Pick<KeptFigures, 'find' | 'reducing'>
  /** The operator's limits for every agent. */
  readonly agentLimits: Limits
  readonly events: Pick<AccountEvents, 'publish'>
}

const ID_BYTES = 16
const SENDERS_MAX = 10_000

export function createApprovals(deps: ApprovalAccess): Approvals {
  const { store, meter, clock } = deps
  const hasOwner = createOwners(deps)
  const sent = createBoundedMap<string, number>(SENDERS_MAX)
  const count = (step: 'asked' | 'used') => meter.counter('prepd_approvals_total', step).add()

  async function send(write: ApprovableWrite, sendOn: () => Promise<Reply>): Promise<Reply> {
    const giveBack = await use(write).catch(rethrowAsNotApproved)
    const note = () => sent.put(write.accountId, clock.nowMs())
    note()
    try {
      return await sendOn()
    } catch (error) {
      if (isRefused(error)) await giveBack()
      throw error
    } finally {
      note()
    }
  }

  /**
   * Uses up the approval of a write, or reserves its value in the day's unapproved amount. Returns a function that
   * releases the approval or the value.
   */
  async function use(write: ApprovableWrite): Promise<() => Promise<void>> {
    const asked = await readQuestion(deps, write, sent.get(write.accountId) ?? 0)
    if (!asked) return NOTHING_USED
    const unapproved = await tryReserveUnapproved(deps, write, asked)
    if (unapproved) return unapproved
    const id = await useApproval(write, asked)
    return () => giveBack(id)
  }

  /** Uses up the approval of a write. Returns the approval's id. Throws Failure without a usable approval. */
  async function useApproval(write: ApprovableWrite, asked: ApprovalQuestion): Promise<string> {
    await assertAskable(write, hasOwner)
    const approval = newApproval(deps, write, asked)
    const found = await ask(approval)
    if (found.state !== 'approved') throw approvalRequired(approvalMeta(found))
    const isTooDear = exceedsApproved(asked, found)
    const isUsable = !isTooDear && (await tryClaimUse(deps, found))
    await store.approvals.mark(found.id, isTooDear ? 'expired' : 'used')
    if (!isUsable) throw approvalRequired(approvalMeta(await ask(approval)))
    count('used')
    return found.id
  }

  async function ask(approval: Approval): Promise<Approval> {
    const found = await store.approvals.ask(approval)
    if (!found) throw approvalRequired({ reason: 'too_many', next: TOO_MANY })
    if (found.id === approval.id) {
      count('asked')
      await deps.events.publish(approvalRequestedEvent(approval))
    }
    return found
  }

  async function giveBack(id: string): Promise<void> {
    await store.approvals.mark(id, 'approved')
    await store.once.release(useIdentity(id))
  }

  return { send }
}

/**
 * Claims the use of an approval. Returns false if it was used before. The claim decides, not the approval's state: a
 * claim is durable before the write is sent, and survives the loss of a database.
 */
function tryClaimUse(
  { clock, store }: ApprovalAccess,
  { id, decidedAtMs }: Approval,
): Promise<boolean> {
  const nowMs = clock.nowMs()
  const expiresAtMs = nowMs + APPROVAL.keptMs
  return store.once.claim(
    { identity: useIdentity(id), sinceMs: decidedAtMs ?? 0, expiresAtMs },
    nowMs,
  )
}

async function assertAskable(
  { accountId, body, proven }: ApprovableWrite,
  hasOwner: (accountId: string) => Promise<boolean>,
): Promise<void> {
  if (!proven) throw unprovenKeyFailure()
  if (body.length > APPROVAL.bodyMaxChars) throw new Failure('payload_too_large')
  if (!(await hasOwner(accountId))) throw approvalRequired({ reason: 'sub_account' })
}

const NOTHING_USED = async () => {}

/**
 * The question to the owner about a write; null if the write needs no approval. Reads markets only if the account has a
 * mandate or `needsApproval` is set.
 */
async function readQuestion(
  deps: ApprovalAccess,
  write: ApprovableWrite,
  sentAtMs: number,
): Promise<ApprovalQuestion | null> {
  if (needsNoMandate(deps, write)) return null
  const mandate = await deps.mandates.of(write.accountId)
  if (!mandate && !write.needsApproval) return null
  const limits = mandate ? combinedLimits(mandate.limits, deps.agentLimits) : {}
  const kept = deps.figures.find(write.accountId, deps.clock.nowMs())
  // Ignores positions that were read before the latest write, because the write may have changed the positions.
  const account = kept && kept.positionsAtMs > sentAtMs ? kept : null
  return composeQuestion(deps, { ...write, limits, account })
}

/**
 * Reserves the value of a write in the day's unapproved amount. Returns a function that releases the value; null if the
 * write needs an approval.
 */
async function tryReserveUnapproved(
  { store: { spending }, venueClock, random }: ApprovalAccess,
  { accountId }: ApprovableWrite,
  { unapproved }: ApprovalQuestion,
): Promise<(() => Promise<void>) | null> {
  if (!unapproved) return null
  const { micros, maxMicros } = unapproved
  const reservation = {
    scope: unapprovedScope(accountId),
    identity: toHex(random.bytes(ID_BYTES)),
    atMs: venueClock.nowMs(),
    uses: [{ symbol: 'USDC', micros, orders: 1 }],
  }
  const refused = await spending.reserve(
    reservation,
    (used) => (exceedsDay(used, micros, maxMicros) ? used : null),
    Number.MAX_SAFE_INTEGER,
  )
  return refused ? null : () => spending.release(reservation)
}

function rethrowAsNotApproved(error: unknown): never {
  throw error instanceof Failure ? new NotApproved(error) : error
}

function newApproval(
  { clock, random }: ApprovalAccess,
  { accountId, key, program, method, path, body }: ApprovableWrite,
  { shown }: ApprovalQuestion,
): Approval {
  const askedAtMs = clock.nowMs()
  return {
    ...{ id: toHex(random.bytes(ID_BYTES)), accountId, method, path, body, ...shown },
    ...{ key, program: program() },
    digest: sha256Hex(JSON.stringify([accountId, key, method, path, body])),
    ...{ askedAtMs, decideUntilMs: askedAtMs + APPROVAL.decideWithinMs },
    ...{ state: 'waiting', decidedAtMs: null, signature: null },
  }
}

/** The webhook event about a new approval, for its owner. */
function approvalRequestedEvent({
  accountId,
  id,
  order,
  worstUsdc,
  decideUntilMs,
}: Approval): AccountEventInput {
  const data = {
    ...{ approval: id, page: APPROVAL_PAGE + id, order: order.split('\n') },
    ...(worstUsdc !== null && { worstUsdc }),
    decideUntilMs,
  }
  return { accountId, event: 'approval.wanted', key: `approval ${id}`, data }
}

/** Whether the write's largest value is now unknown or above the worst value that the owner approved. */
function exceedsApproved({ mostMicros }: ApprovalQuestion, { worstUsdc }: Approval): boolean {
  if (worstUsdc === null) return false
  const worst = toUsdcMicros(worstUsdc)
  return mostMicros === null || worst === undefined || mostMicros > worst
}

function useIdentity(id: string): string {
  return sha256Hex(JSON.stringify(['use of approval', id]))
}

const TOO_MANY = 'Have the owner decide the others, or wait until their time is over.'
const ASK_OWNER_STEP =
  'Give the owner the link. Once it is approved, send exactly the same body again with the same trading key.'
const REFUSED = 'The owner has refused this. Do not ask again; tell the user.'

function approvalMeta(approval: Approval): FailureMeta {
  const { id, state, order, costUsdc, worstUsdc, decideUntilMs } = approval
  return {
    ...{ approval: id, state, order: order.split('\n'), decideUntilMs },
    ...(costUsdc !== null && { costUsdc }),
    ...(worstUsdc !== null && { worstUsdc }),
    next: state === 'refused' ? REFUSED : ASK_OWNER_STEP,
  }
}

function approvalRequired(meta: FailureMeta): Failure {
  return new Failure('approval_required', meta)
}

const OWNERS_MAX = 10_000

/**
 * Returns a function: whether an account's id derives from its owner's wallet; true if the venue does not state the
 * wallet.
 */
function createOwners(deps: MarketAccess): (accountId: string) => Promise<boolean> {
  const known = createBoundedMap<string, boolean>(OWNERS_MAX)
  return async (accountId) => {
    const before = known.get(accountId)
    if (before !== undefined) return before
    const path = `/v1/public/account?account_id=${accountId}`
    const found = await readPayload(deps, { path }).catch(
      defaultOnFailure('gateway', null, Failure),
    )
    const address = isObject(found) ? found['address'] : undefined
    if (typeof address !== 'string') return true
    const isOwned = mainAccountId(address, deps.operator.brokerId) === accountId
    known.put(accountId, isOwned)
    return isOwned
  }
}

import {
  APPROVAL,
  APPROVAL_ID,
  type ApprovalAnswer,
  type ApprovalState,
} from '../../contract/approval.ts'
import type { TypedDataBody } from '../../contract/typed-data.ts'
import type { DecisionBody } from '../../contract/wallet-messages.ts'
import type { Approval } from '../../core/approval.ts'
import { mainAccountId } from '../../core/crypto/account-id.ts'
import { serviceTypedData } from '../../core/crypto/service-typed-data.ts'
import { sha256Hex } from '../../core/digest.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { toPrefixedHex } from '../../core/hex.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { type Query, requiredValue } from '../../core/query.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import type { Controls } from '../controls/controls.ts'
import type { Scrub } from '../scrub/scrub.ts'
import type { Operator } from '../venue/operator-call.ts'
import { assertForService, assertOwnHost, assertWalletSigned } from './wallet-call.ts'

/** Access for decisions about approvals. */
export type DecisionAccess = {
  readonly clock: Clock
  readonly store: Pick<Store, 'approvals'>
  readonly scrub: Scrub
  readonly meter: Pick<Meter, 'counter'>
  readonly operator: Pick<Operator, 'brokerId' | 'serviceName' | 'hosts'>
  readonly controls: Pick<Controls, 'assertParty'>
}

/**
 * Finds an approval by its id and describes it as text. Decides nothing. Throws Failure: invalid_request, not_found.
 */
export async function showApproval(deps: DecisionAccess, query: Query): Promise<Answer> {
  const id = requiredValue(query, 'id')
  if (!ID.test(id)) throw invalidParameter('id')
  return approvalAnswer(deps, await findApproval(deps, id))
}

const ID = new RegExp(APPROVAL_ID)

/**
 * The message with which the owner of an account approves a write: `{typedData, message, digest}`. The message contains
 * the requested host name. Throws Failure: not_found; forbidden if the host name belongs to a different service or the
 * approval is decided.
 */
export async function approvalToSign(
  deps: DecisionAccess,
  { chainId, approval: id }: Extract<TypedDataBody, { kind: 'approval' }>,
  service: string,
) {
  assertOwnHost(deps.operator, service)
  const approval = await findApproval(deps, id)
  assertWaiting(deps, approval)
  const message = { chainId, approval: id, service }
  const { typedData, digest } = approvalDocument(deps, approval, message)
  return { typedData, message, digest: toPrefixedHex(digest) }
}

/**
 * Decides about a write. Only the wallet that owns the account can approve, with its signature; anyone with the link
 * can refuse. Throws Failure:
 * - not_found, invalid_request, invalid_signature.
 * - forbidden for a write that was already decided, after the time for the decision, and for a wallet other than the
 *   owner.
 */
export async function decideApproval(deps: DecisionAccess, body: DecisionBody): Promise<Answer> {
  const id = 'refuse' in body ? body.refuse : body.message.approval
  const approval = await findApproval(deps, id)
  assertWaiting(deps, approval)
  if (!('refuse' in body)) assertOwner(deps, approval, body)
  const isDecided = await deps.store.approvals.decide(id, {
    state: 'refuse' in body ? 'refused' : 'approved',
    decidedAtMs: deps.clock.nowMs(),
    signature: 'refuse' in body ? null : body.signature,
  })
  const now = await findApproval(deps, id)
  if (!isDecided) throw decidedFailure(approvalStateAt(now, deps.clock.nowMs()))
  deps.meter.counter('prepd_approvals_total', now.state).add()
  return approvalAnswer(deps, now)
}

type Signed = Exclude<DecisionBody, { refuse: string }>

function assertOwner(deps: DecisionAccess, approval: Approval, body: Signed): void {
  const { operator, controls } = deps
  controls.assertParty(body.address)
  if (mainAccountId(body.address, operator.brokerId) !== approval.accountId)
    throw new Failure('forbidden', { parameter: 'address', reason: 'not_owner' })
  assertForService(operator, body.message)
  assertWalletSigned(approvalDocument(deps, approval, body.message).digest, body)
}

async function findApproval({ store }: DecisionAccess, id: string): Promise<Approval> {
  const found = await store.approvals.find(id)
  if (found) return found
  throw new Failure('not_found')
}

function assertWaiting({ clock }: DecisionAccess, approval: Approval): void {
  const state = approvalStateAt(approval, clock.nowMs())
  if (state !== 'waiting') throw decidedFailure(state)
}

function decidedFailure(state: ApprovalState): Failure {
  return new Failure('forbidden', { reason: 'decided', state })
}

function approvalStateAt(
  { state, decideUntilMs, ...approval }: Approval,
  nowMs: number,
): ApprovalState {
  const endsAtMs = state === 'waiting' ? decideUntilMs : useUntilMs(approval)
  const isOpen = state === 'waiting' || state === 'approved'
  return isOpen && endsAtMs !== null && nowMs >= endsAtMs ? 'expired' : state
}

function useUntilMs({ decidedAtMs }: Pick<Approval, 'decidedAtMs'>): number | null {
  return decidedAtMs === null ? null : decidedAtMs + APPROVAL.useWithinMs
}

function approvalAnswer(deps: DecisionAccess, approval: Approval): Answer {
  const { digest: _, signature: __, decidedAtMs, effects, ...kept } = approval
  const { key, program, costUsdc, worstUsdc, ...shown } = kept
  const nowMs = deps.clock.nowMs()
  const state = approvalStateAt(approval, nowMs)
  const untilMs = useUntilMs({ decidedAtMs })
  const answer: ApprovalAnswer = {
    ...shown,
    order: approval.order.split('\n'),
    ...(key !== null && { key }),
    ...(program !== null && { program }),
    ...(effects !== null && { effects: effects.split('\n') }),
    ...(costUsdc !== null && { costUsdc }),
    ...(worstUsdc !== null && { worstUsdc }),
    ...(state === 'approved' && untilMs !== null && { useUntilMs: untilMs }),
    state,
    nowMs,
  }
  return privateAnswer(deps, answer)
}

/** The message that the owner signs. Its fields describe the write as text, which wallets show. */
function approvalDocument(
  { operator }: DecisionAccess,
  { accountId: account, method, path, body, order, worstUsdc, decideUntilMs, id }: Approval,
  { service, chainId }: Signed['message'],
) {
  const bodySha256 = `0x${sha256Hex(body)}`
  const worstCase = worstUsdc === null ? 'not known' : `${worstUsdc} USDC`
  const expires = new Date(decideUntilMs).toISOString()
  return serviceTypedData(
    'Approval',
    { account, service, approval: id, order, worstCase, method, path, bodySha256, expires },
    { service: operator.serviceName, chainId },
  )
}

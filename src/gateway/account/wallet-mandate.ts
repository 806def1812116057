import type { LimitsBody } from '../../contract/mandate.ts'
import type { TypedDataBody } from '../../contract/typed-data.ts'
import type { MandateBody } from '../../contract/wallet-messages.ts'
import { mainAccountId } from '../../core/crypto/account-id.ts'
import { serviceTypedData } from '../../core/crypto/service-typed-data.ts'
import { Failure } from '../../core/failure.ts'
import { toPrefixedHex } from '../../core/hex.ts'
import { bodyLimits, limitsBody } from '../../core/mandate.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import type { MandateGate } from '../mandate/gate.ts'
import type { Mandates } from '../mandate/mandates.ts'
import type { Operator } from '../venue/operator-call.ts'
import { assertAccount } from './registration.ts'
import {
  accountNamed,
  assertOwnHost,
  assertWalletSigned,
  type WalletCallAccess,
} from './wallet-call.ts'

/** Access for mandates that a wallet signs. */
export type WalletMandateAccess = Omit<WalletCallAccess, 'operator'> & {
  readonly operator: Pick<Operator, 'brokerId' | 'serviceName' | 'hosts'>
  readonly mandates: Mandates
  readonly gate: Pick<MandateGate, 'stillOpening'>
}

/**
 * The message with which a wallet limits its account: `{typedData, message, digest}`. The message contains the
 * requested host name, the normalised limits and the next counter. Throws Failure: forbidden for a host name of a
 * different service.
 */
export async function mandateToSign(
  deps: WalletMandateAccess,
  { chainId, address, limits, frozen = false }: Extract<TypedDataBody, { kind: 'mandate' }>,
  service: string,
) {
  assertOwnHost(deps.operator, service)
  const account = mainAccountId(address, deps.operator.brokerId)
  const { counter } = (await deps.mandates.find(account)) ?? { counter: 0 }
  const message = {
    ...{ chainId, account, service, frozen, limits: limitsBody(bodyLimits(limits)) },
    ...{ counter: counter + 1, timestamp: deps.clock.nowMs() },
  }
  const { typedData, digest } = mandateDocument(deps, message)
  return { typedData, message, digest: toPrefixedHex(digest) }
}

/**
 * Replaces an account's limits by the limits that its wallet has signed. The new limits may be looser. They also
 * replace limits and freezes that trading keys have set. Throws Failure:
 * - forbidden, expired_signature, invalid_request, invalid_signature.
 * - not_found for a wallet without an account.
 * - duplicate_request for a counter that is not higher.
 */
export async function signMandate(deps: WalletMandateAccess, body: MandateBody): Promise<Answer> {
  const { message, address } = body
  const nowMs = deps.clock.nowMs()
  const accountId = accountNamed(deps, body, nowMs)
  assertWalletSigned(mandateDocument(deps, message).digest, body)
  const { limits, counter, frozen } = message
  // Asks the venue first, because mandates of wallets without accounts could fill the store.
  if (!(await deps.mandates.find(accountId))) await assertAccount(deps, address)
  const frozenBy = frozen ? 'wallet' : 'none'
  const mandate = {
    accountId,
    limits: bodyLimits(limits),
    counter,
    frozenBy,
    changedAtMs: nowMs,
  } as const
  if (!(await deps.mandates.put(mandate)))
    throw new Failure('duplicate_request', { parameter: 'message.counter' })
  const held = await deps.mandates.of(accountId)
  const answer = {
    ...{ limits: limitsBody(mandate.limits), counter, frozenBy: held?.frozenBy ?? 'none' },
    ...(held && deps.gate.stillOpening(held)),
  }
  return privateAnswer(deps, answer)
}

function mandateDocument({ operator }: WalletMandateAccess, message: MandateBody['message']) {
  const { account, service, limits, counter, timestamp, chainId, frozen } = message
  const values = { account, service, counter, timestamp, frozen: yesOrNo(frozen) }
  return serviceTypedData(
    'Mandate',
    { ...values, ...limitTexts(limitsBody(bodyLimits(limits))) },
    { service: operator.serviceName, chainId },
    laterLimitTexts(limitsBody(bodyLimits(limits))),
  )
}

/** Fields of limits that were introduced later. An omitted limit has no field, so that earlier signatures stay valid. */
function laterLimitTexts({ maxTransferUsdc, approveAboveDailyUsdc }: LimitsBody) {
  return {
    ...(maxTransferUsdc !== undefined && { maxTransferUsdc: String(maxTransferUsdc) }),
    ...(approveAboveDailyUsdc !== undefined && {
      approveAboveDailyUsdc: String(approveAboveDailyUsdc),
    }),
  }
}

/** Limits as text fields of the signed message, which wallets show. */
function limitTexts(limits: LimitsBody) {
  const { symbols, expiresAtMs } = limits
  const most = (limit: string | number | undefined) => String(limit ?? 'no limit')
  return {
    maxOrderUsdc: most(limits.maxOrderUsdc),
    maxDailyUsdc: most(limits.maxDailyUsdc),
    maxPositionUsdc: most(limits.maxPositionUsdc),
    maxLossUsdc: most(limits.maxLossUsdc),
    approveAboveUsdc: String(limits.approveAboveUsdc ?? 'never'),
    maxLeverage: most(limits.maxLeverage),
    maxOrdersPerMinute: most(limits.maxOrdersPerMinute),
    symbols: symbols ? symbols.join(', ') || 'none' : 'all',
    reduceOnly: yesOrNo(limits.reduceOnly),
    readOnly: yesOrNo(limits.readOnly),
    onceByClientOrderId: yesOrNo(limits.onceByClientOrderId),
    approveChanges: yesOrNo(limits.approveChanges),
    expires: expiresAtMs === undefined ? 'never' : new Date(expiresAtMs).toISOString(),
  }
}

function yesOrNo(flag: boolean | undefined): string {
  return flag ? 'yes' : 'no'
}

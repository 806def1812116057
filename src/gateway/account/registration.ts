import type { Static } from '@sinclair/typebox'
import { LIMITS } from '../../contract/limits.ts'
import type { RegisterAnswer, RegisterBody } from '../../contract/wallet-messages.ts'
import { mainAccountId } from '../../core/crypto/account-id.ts'
import { typedDataDigest } from '../../core/crypto/typed-data.ts'
import { withRecovery } from '../../core/crypto/wallet-signature.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { isObject } from '../../core/json.ts'
import {
  accountLookupPath,
  REGISTRATION_PATHS,
  registrationStruct,
  walletBody,
} from '../../upstream/wire/wire.ts'
import { type Answer, privateAnswer, uncachedAnswer } from '../cache/answer.ts'
import { confirmByVenue, readPayload, readVenue } from '../venue/read.ts'
import {
  assertWalletSigned,
  assertWalletTime,
  offChainDomain,
  sendWallet,
  type WalletCallAccess,
  type WalletOutcome,
} from './wallet-call.ts'

/** Issues a registration nonce of the venue: `{nonce}`. This service accepts the nonce once, within two minutes. */
export async function registrationNonce(deps: WalletCallAccess): Promise<Answer> {
  return uncachedAnswer(
    deps.scrub.value({ nonce: await issueRegistrationNonce(deps) }, { audience: 'public' }),
  )
}

/** Fetches a nonce from the venue and remembers it as issued here. Throws Failure. */
export async function issueRegistrationNonce(deps: WalletCallAccess): Promise<string> {
  const parsed = await readPayload(deps, { path: REGISTRATION_PATHS.nonce })
  const nonce = isObject(parsed) ? String(parsed['registration_nonce'] ?? '') : ''
  if (!/^[0-9]{1,77}$/.test(nonce)) throw new Failure('upstream_unavailable')
  await deps.store.nonces.issue(nonce, deps.clock.nowMs() + LIMITS.nonceLifeMs)
  return nonce
}

/**
 * Creates the account of a wallet: `{accountId, created: true}`, or `{created: false}` if the wallet already has one.
 * Verifies the signature and uses up the nonce before the call to the venue. Throws Failure: forbidden,
 * expired_signature, invalid_request, invalid_signature, outcome_unknown, or the failure that the venue's answer means.
 */
export async function registerWallet(deps: WalletCallAccess, body: RegisterBody): Promise<Answer> {
  const { chainId, timestamp } = body.message
  deps.controls.assertParty(body.address)
  const nonce = nonceText(body.message.registrationNonce)
  assertWalletTime(timestamp, deps.clock.nowMs())
  const message = registrationStruct(deps.operator.brokerId, {
    chainId,
    timestamp,
    registrationNonce: nonce,
  })
  assertWalletSigned(typedDataDigest('Registration', message, offChainDomain(chainId)), body)
  if (!(await deps.store.nonces.burn(nonce, deps.clock.nowMs()))) {
    // A used nonce is probably a repeat after a lost answer. The signature is valid, so the answer is the present
    // state.
    if (await accountExists(deps, body.address)) return registrationAnswer(deps, { created: false })
    throw invalidParameter(NONCE, 'spent')
  }
  // Checks the time again, because using up the nonce takes time, and the process may have been suspended.
  assertWalletTime(timestamp, deps.clock.nowMs())
  const outcome = await sendWallet(deps, {
    path: REGISTRATION_PATHS.register,
    body: walletBody(message, withRecovery(body.signature), body.address),
    undo: () => deps.store.nonces.release(nonce, deps.clock.nowMs() + LIMITS.nonceLifeMs),
  })
  return registrationAnswer(deps, await readRegistrationOutcome(deps, body.address, outcome))
}

function registrationAnswer(deps: WalletCallAccess, answer: Static<typeof RegisterAnswer>): Answer {
  return privateAnswer(deps, answer)
}

const NONCE = 'message.registrationNonce'

function nonceText(nonce: number | string): string {
  const text = String(nonce)
  if (!/^[0-9]{1,77}$/.test(text)) throw invalidParameter(NONCE)
  return text
}

// An accepted id that differs from the id derived from the wallet is a different account; the outcome is then unknown.
async function readRegistrationOutcome(
  deps: WalletCallAccess,
  address: string,
  outcome: WalletOutcome,
) {
  if (outcome.kind === 'accepted') {
    const accountId = isObject(outcome.payload) ? outcome.payload['account_id'] : undefined
    const derived = mainAccountId(address, deps.operator.brokerId)
    if (String(accountId).toLowerCase() === derived) return { accountId: derived, created: true }
  }
  if (outcome.kind === 'already') {
    if (await accountExists(deps, address)) return { created: false }
    throw new Failure('venue_rejected')
  }
  const exists = await confirmByVenue(() => accountExists(deps, address))
  throw new Failure('outcome_unknown', {
    ...(exists !== undefined && { accountExists: exists }),
    next: 'Read account.exists before you register again.',
  })
}

/** Asks the venue. Throws Failure not_found for a wallet without an account. */
export async function assertAccount(deps: WalletCallAccess, address: string): Promise<void> {
  if (!(await accountExists(deps, address))) throw new Failure('not_found')
}

/** Asks the venue whether the wallet has an account with this operator. Throws Failure. */
async function accountExists(deps: WalletCallAccess, address: string): Promise<boolean> {
  try {
    await readVenue(deps, { path: accountLookupPath(address, deps.operator.brokerId) })
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return false
    throw error
  }
}

import { DAY_MS } from '../../contract/durations.ts'
import { mainAccountId } from '../../core/crypto/account-id.ts'
import { parsePublicKey } from '../../core/crypto/signing.ts'
import type { Random } from '../../core/ports.ts'
import {
  type AccountProfile,
  emptyAccount,
  type Key,
  nextVenueId,
  type Registration,
  type VenueState,
} from '../exchange/state.ts'
import { depositToAccount } from '../exchange/trading-context.ts'
import { USDC } from '../ledger/balances.ts'
import { type Fields, requiredText, textField } from '../messages/body.ts'
import { type BothClocksTime, EXCHANGE_LIMITS, LEVERAGE } from '../messages/limits.ts'
import { refusal } from '../messages/refusals.ts'
import type { AccountFeeRates } from '../state/state.ts'
import { openMessage } from './wallet.ts'

/** The terms of new accounts. */
export type Opening = {
  /** Micro-USDC that the account receives, recorded like any other deposit. */
  readonly faucet: bigint
  /** The fee rates in crypto markets and in other markets; absent: the base rates. */
  readonly fees?: { readonly fees: AccountFeeRates; readonly rwaFees: AccountFeeRates }
}

/** A new registration nonce of twelve digits. It can be used once, within two minutes. */
export function issueNonce(exchange: VenueState, random: Random, nowMs: number): string {
  dropNonces(exchange, nowMs)
  const value = newNonce(exchange, random)
  const expiresAtMs = nowMs + EXCHANGE_LIMITS.nonceLifeMs
  exchange.nonces.set(value, expiresAtMs)
  exchange.journal.put('nonce', value, { value, expiresAtMs })
  return value
}

/**
 * POST /v1/register_account: opens an account. The account's id follows from its wallet and broker. Throws
 * - -1005: the message is malformed or stale, or the nonce cannot be used.
 * - 9: another wallet signed.
 * - -1604: the account exists.
 */
export function registerAccount(
  exchange: VenueState,
  fields: Fields,
  moment: BothClocksTime,
  { faucet, fees }: Opening,
): Registration {
  const { address, message, brokerId } = openMessage('Registration', fields, moment)
  const accountId = mainAccountId(address, brokerId)
  if (exchange.accounts.has(accountId)) throw refusal('registered')
  const nonce = requiredText(message, 'registrationNonce')
  const expiresAtMs = exchange.nonces.get(nonce)
  if (expiresAtMs === undefined || expiresAtMs <= moment.nowMs)
    throw refusal('parameter', 'registrationNonce is invalid or expired')
  dropNonce(exchange, nonce)

  const owner = { accountId, userId: nextVenueId(exchange), address, brokerId }
  const account = addAccount(exchange, { ...owner, createdAtMs: moment.nowMs }, fees)
  const chainId = requiredText(message, 'chainId')
  const gift = { accountId, token: USDC, amount: Number(faucet), chainId }
  if (faucet > 0n) depositToAccount(exchange, gift, moment.nowMs)
  return account
}

/**
 * POST /v1/orderly_key: binds a trading key with a scope and an expiration, or changes both. The expiration is at most
 * `lifeMaxMs` ahead. If the message is dated by the wall clock, the key lives equally long on the venue's clock. Throws
 * - -1005: the message is malformed or stale, or the key has expired or was removed.
 * - 9: another wallet signed.
 * - -1607: unknown account.
 * - -1012: the account has too many keys.
 */
export function bindKey(
  exchange: VenueState,
  fields: Fields,
  moment: BothClocksTime,
  lifeMaxMs: number,
): Key {
  const { nowMs } = moment
  const { address, message, brokerId, clockMs } = openMessage('AddOrderlyKey', fields, moment)
  const publicKey = requiredText(message, 'orderlyKey')
  const scope = requiredText(message, 'scope')
  const expirationMs = Number(requiredText(message, 'expiration'))
  const expiresAtMs = expirationMs - clockMs + nowMs
  if (!parsePublicKey(publicKey)) throw refusal('parameter', 'orderlyKey is invalid')
  if (!isScope(scope)) throw refusal('parameter', 'scope is invalid')
  if (!(expiresAtMs > nowMs) || expiresAtMs > nowMs + lifeMaxMs) {
    const days = lifeMaxMs / DAY_MS
    throw refusal('parameter', `expiration must be within the next ${days} days`)
  }
  const account = exchange.accounts.get(mainAccountId(address, brokerId))
  if (!account) throw refusal('noAccount')
  const { accountId } = account.profile
  const known = account.keys.get(publicKey)
  if (known && !isKeyValid(known, nowMs))
    throw refusal('parameter', 'orderlyKey has expired or was removed')
  if (!known) assertRoom(account, nowMs)
  const id = known?.id ?? nextVenueId(exchange)
  const key = {
    id,
    accountId,
    publicKey,
    scope,
    expiresAtMs,
    ...(clockMs !== nowMs && { expirationMs }),
    tag: textField(message, 'tag') ?? null,
  }
  putKey(exchange, account, key)
  return key
}

/** POST /v1/client/remove_orderly_key: removes a key permanently. Throws -1006 if the account has no such live key. */
export function removeKey(
  exchange: VenueState,
  account: Registration,
  publicKey: string,
  nowMs: number,
): undefined {
  const key = account.keys.get(publicKey)
  if (!key || !isKeyValid(key, nowMs)) throw refusal('notFound', 'The orderly key is not found')
  putKey(exchange, account, { ...key, removedAtMs: nowMs })
}

/** Whether a key may be used at a time: neither expired nor removed. */
export function isKeyValid({ expiresAtMs, removedAtMs }: Key, nowMs: number): boolean {
  return removedAtMs === undefined && expiresAtMs > nowMs
}

/** The account of a verified call. Throws -1607 for an unknown account. */
export function registrationById({ accounts }: VenueState, accountId: string): Registration {
  const account = accounts.get(accountId)
  if (!account) throw refusal('noAccount')
  return account
}

/** Whether a key has a scope. */
export function hasScope(key: Key, scope: string): boolean {
  return parseScopes(key.scope).includes(scope)
}

const SCOPES: readonly string[] = ['read', 'trading', 'asset']
const NONCE_DIGITS = 12

function parseScopes(scope: string): string[] {
  return scope.split(',').map((part) => part.trim())
}

function isScope(scope: string): boolean {
  const parts = parseScopes(scope)
  return parts.every((part) => SCOPES.includes(part)) && new Set(parts).size === parts.length
}

function newNonce({ nonces }: VenueState, random: Random): string {
  for (;;) {
    const number = BigInt(`0x${random.bytes(16).toHex()}`) % 10n ** BigInt(NONCE_DIGITS)
    const value = number.toString()
    // A number with fewer digits is drawn again. A client that reads the nonce as a number would lose leading zeros,
    // and a shorter nonce would be easier to guess.
    if (value.length === NONCE_DIGITS && !nonces.has(value)) return value
  }
}

/** Drops expired nonces, and the oldest nonces beyond the maximum. Nonces are in the order of their expiry. */
function dropNonces(exchange: VenueState, nowMs: number): void {
  for (const [nonce, expiresAtMs] of exchange.nonces) {
    if (expiresAtMs > nowMs && exchange.nonces.size < EXCHANGE_LIMITS.noncesMax) return
    dropNonce(exchange, nonce)
  }
}

function dropNonce({ nonces, journal }: VenueState, nonce: string): void {
  nonces.delete(nonce)
  journal.remove('nonce', nonce)
}

/** Opens an account for a profile and stores it. If no fee rates are given, the account has the base rates. */
export function addAccount(
  exchange: VenueState,
  profile: AccountProfile,
  fees?: Opening['fees'],
): Registration {
  const opening = { key: profile.accountId, leverage: LEVERAGE.initial, ...fees }
  exchange.simulation().engine.submit('open', opening, profile.createdAtMs)
  return putAccount(exchange, emptyAccount(profile))
}

/** Stores the profile of an account. */
export function putAccount({ accounts, journal }: VenueState, account: Registration): Registration {
  accounts.set(account.profile.accountId, account)
  journal.put('account', account.profile.accountId, account.profile)
  return account
}

function putKey({ journal }: VenueState, { profile, keys }: Registration, key: Key): void {
  keys.set(key.publicKey, key)
  journal.put('key', `${profile.accountId}:${key.publicKey}`, key)
}

/** Throws if an account has too many live keys, or too many stored keys including expired and removed keys. */
function assertRoom({ keys }: Registration, nowMs: number): void {
  const { keysPerAccountMax, keysKnownMax } = EXCHANGE_LIMITS
  const live = keys.values().reduce((count, key) => count + (isKeyValid(key, nowMs) ? 1 : 0), 0)
  if (live >= keysPerAccountMax || keys.size >= keysKnownMax)
    throw refusal('rejected', 'Too many keys')
}

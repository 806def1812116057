import type { Random } from '../../core/ports.ts'
import { accountIdOf } from '../../crypto/account-id.ts'
import { parsePublicKey } from '../../crypto/signing.ts'
import { USDC } from '../engine/money/balances.ts'
import { credit } from '../exchange/deposits.ts'
import { EXCHANGE_LIMITS, LEVERAGE } from '../exchange/limits.ts'
import {
  type Account,
  type Exchange,
  emptyAccount,
  type Key,
  nextId,
  type Profile,
} from '../exchange/state.ts'
import { type Fields, requiredText, textField } from '../wire/body.ts'
import { refusal } from '../wire/refusals.ts'
import { openMessage } from './wallet.ts'

/** Both clocks: `nowMs` is the venue's, which may be virtual; `wallMs` is real, and judges how fresh a message is. */
export type Moment = { readonly nowMs: number; readonly wallMs: number }

/** What a new account begins with: micro-USDC, a deposit like any other. */
export type Opening = { readonly faucet: bigint }

/** A new registration nonce: twelve digits, spendable once within two minutes. */
export function issueNonce(exchange: Exchange, random: Random, wallMs: number): string {
  dropNonces(exchange, wallMs)
  const value = newNonce(exchange, random)
  const expiresAtMs = wallMs + EXCHANGE_LIMITS.nonceLifeMs
  exchange.nonces.set(value, expiresAtMs)
  exchange.journal.put('nonce', value, { value, expiresAtMs })
  return value
}

/**
 * POST /v1/register_account: one account for a wallet and broker, whose id both derive. Throws -1005 on a malformed or
 * stale message and on a nonce that cannot be spent, 9 when another wallet signed, -1604 when the account exists.
 */
export function registerAccount(
  exchange: Exchange,
  fields: Fields,
  moment: Moment,
  { faucet }: Opening,
): Account {
  const { address, message, brokerId } = openMessage('Registration', fields, moment.wallMs)
  const accountId = accountIdOf(address, brokerId)
  if (exchange.accounts.has(accountId)) throw refusal('registered')
  const nonce = requiredText(message, 'registrationNonce')
  const expiresAtMs = exchange.nonces.get(nonce)
  if (expiresAtMs === undefined || expiresAtMs <= moment.wallMs)
    throw refusal('parameter', 'registrationNonce is invalid or expired')
  dropNonce(exchange, nonce)

  const account = newAccount(exchange, { accountId, address, brokerId }, moment)
  const chainId = requiredText(message, 'chainId')
  const gift = { accountId, token: USDC, amount: Number(faucet), chainId }
  if (faucet > 0n) credit(exchange, gift, moment.nowMs)
  return account
}

/**
 * POST /v1/orderly_key: gives a trading key its scope until its expiration, or changes them. Throws -1005 on a
 * malformed or stale message and on a key that has expired, 9 when another wallet signed, -1607 when there is no
 * account, -1012 when it has too many keys.
 */
export function bindKey(exchange: Exchange, fields: Fields, { wallMs }: Moment): Key {
  const { address, message, brokerId } = openMessage('AddOrderlyKey', fields, wallMs)
  const publicKey = requiredText(message, 'orderlyKey')
  const scope = requiredText(message, 'scope')
  const expiresAtMs = Number(requiredText(message, 'expiration'))
  if (!parsePublicKey(publicKey)) throw refusal('parameter', 'orderlyKey is invalid')
  if (!isScope(scope)) throw refusal('parameter', 'scope is invalid')
  if (expiresAtMs <= wallMs || expiresAtMs > wallMs + EXCHANGE_LIMITS.keyLifeMaxMs)
    throw refusal('parameter', 'expiration must be within the next 365 days')
  const account = exchange.accounts.get(accountIdOf(address, brokerId))
  if (!account) throw refusal('noAccount')
  const { accountId } = account.profile
  const known = account.keys.get(publicKey)
  if (known && known.expiresAtMs <= wallMs)
    throw refusal('parameter', 'The key has expired, bind another')
  const id = known?.id ?? nextId(exchange)
  const key = {
    id,
    accountId,
    publicKey,
    scope,
    expiresAtMs,
    tag: textField(message, 'tag') ?? null,
  }
  makeRoom(exchange, account, publicKey, wallMs)
  account.keys.set(publicKey, key)
  exchange.journal.put('key', `${accountId}:${publicKey}`, key)
  return key
}

/** The account a verified call speaks for. */
export function accountOf({ accounts }: Exchange, accountId: string): Account {
  const account = accounts.get(accountId)
  if (!account) throw refusal('noAccount')
  return account
}

/** Whether a key is allowed to do what a scope names. */
export function hasScope(key: Key, scope: string): boolean {
  return scopesOf(key.scope).includes(scope)
}

const SCOPES: readonly string[] = ['read', 'trading', 'asset']
const NONCE_DIGITS = 12

function scopesOf(scope: string): string[] {
  return scope.split(',').map((part) => part.trim())
}

function isScope(scope: string): boolean {
  const parts = scopesOf(scope)
  return parts.every((part) => SCOPES.includes(part)) && new Set(parts).size === parts.length
}

function newNonce({ nonces }: Exchange, random: Random): string {
  for (;;) {
    const number = BigInt(`0x${random.bytes(16).toHex()}`) % 10n ** BigInt(NONCE_DIGITS)
    const value = number.toString()
    // A leading zero would be lost where the nonce is read as a number, and a shorter one is easier to guess.
    if (value.length === NONCE_DIGITS && !nonces.has(value)) return value
  }
}

/** Nonces are kept in the order of their expiry, so the dead and the surplus ones are in front. */
function dropNonces(exchange: Exchange, wallMs: number): void {
  for (const [nonce, expiresAtMs] of exchange.nonces) {
    if (expiresAtMs > wallMs && exchange.nonces.size < EXCHANGE_LIMITS.noncesMax) return
    dropNonce(exchange, nonce)
  }
}

function dropNonce({ nonces, journal }: Exchange, nonce: string): void {
  nonces.delete(nonce)
  journal.remove('nonce', nonce)
}

function newAccount(
  exchange: Exchange,
  owner: Pick<Profile, 'accountId' | 'address' | 'brokerId'>,
  { nowMs }: Moment,
): Account {
  const account = emptyAccount({ ...owner, userId: nextId(exchange), createdAtMs: nowMs })
  const opening = { key: owner.accountId, leverage: LEVERAGE.initial }
  exchange.floor().engine.submit('open', opening, nowMs)
  exchange.accounts.set(owner.accountId, account)
  exchange.journal.put('account', owner.accountId, account.profile)
  return account
}

/** Keys that have expired are kept apart from those that count, so that none of them is ever bound again. */
function makeRoom(
  { journal }: Exchange,
  { profile, keys }: Account,
  publicKey: string,
  wallMs: number,
): void {
  if (keys.has(publicKey)) return
  const dead = [...keys.values()].filter((key) => key.expiresAtMs <= wallMs)
  if (keys.size - dead.length >= EXCHANGE_LIMITS.keysPerAccountMax)
    throw refusal('rejected', 'Too many keys')
  const [oldest] = dead
  if (!oldest || dead.length < EXCHANGE_LIMITS.expiredKeysPerAccountMax) return
  keys.delete(oldest.publicKey)
  journal.remove('key', `${profile.accountId}:${oldest.publicKey}`)
}

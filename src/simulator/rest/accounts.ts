import { mainAccountId } from '../../core/crypto/account-id.ts'
import { isAddress } from '../../core/hex.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { bindKey, isKeyValid, issueNonce, registerAccount } from '../accounts/accounts.ts'
import type { Registration, VenueState } from '../exchange/state.ts'
import { parseFields } from '../messages/body.ts'
import { keyLifeMaxMs } from '../messages/limits.ts'
import { requiredQuery } from '../messages/page.ts'
import { refusal } from '../messages/refusals.ts'
import { publicReadRows, publicWrite, type VenueCall, type VenueRow } from '../messages/row.ts'

export type AccountRowSources = {
  readonly exchange: VenueState
  readonly clock: Clock
  readonly wallClock: Clock
  readonly random: Random
  readonly faucet: bigint
}

/** Registration, key binding and public reads about accounts. They work without a key: wallets sign the writes. */
export function accountRows(parts: AccountRowSources): readonly VenueRow[] {
  const { exchange, clock, wallClock, random } = parts
  const lifeMaxMs = keyLifeMaxMs(clock, wallClock)
  const callMoment = ({ nowMs }: VenueCall) => ({ nowMs, wallMs: wallClock.nowMs() })
  return [
    publicWrite('/v1/register_account', (call) =>
      accountIdentity(registerAccount(exchange, parseFields(call.body), callMoment(call), parts)),
    ),
    publicWrite('/v1/orderly_key', (call) => {
      const { id, publicKey } = bindKey(
        exchange,
        parseFields(call.body),
        callMoment(call),
        lifeMaxMs,
      )
      return { id, orderly_key: publicKey }
    }),
    ...publicReadRows({
      '/v1/registration_nonce': ({ nowMs }) => ({
        registration_nonce: issueNonce(exchange, random, nowMs),
      }),
      '/v1/get_account': ({ query }) => accountIdentity(accountOfWallet(exchange, query)),
      '/v1/public/account': ({ query }) => {
        const { address, brokerId } = accountOfId(exchange, query).profile
        return { address, broker_id: brokerId }
      },
      '/v1/get_all_accounts': ({ query }) => ({
        rows: walletAccounts(exchange, query).map(accountRow),
      }),
      '/v1/get_broker': ({ query }) => ({
        broker_id: walletAccounts(exchange, query)
          .filter(({ profile }) => profile.main === undefined)
          .map(({ profile }) => profile.brokerId),
      }),
      '/v1/get_orderly_key': ({ query, nowMs }) => keyRow(exchange, query, nowMs),
    }),
  ]
}

function accountIdentity({ profile }: Registration) {
  return { user_id: profile.userId, account_id: profile.accountId }
}

function accountRow({ profile }: Registration) {
  return {
    user_id: profile.userId,
    account_id: profile.accountId,
    broker_id: profile.brokerId,
    chain_type: 'EVM',
    user_type: profile.main === undefined ? 'MAIN' : 'SUB',
  }
}

function walletAccounts({ accounts }: VenueState, query: URLSearchParams): Registration[] {
  const address = queryAddress(query)
  return [...accounts.values()].filter(({ profile }) => profile.address === address)
}

function accountOfWallet({ accounts }: VenueState, query: URLSearchParams): Registration {
  const account = accounts.get(
    mainAccountId(queryAddress(query), requiredQuery(query, 'broker_id')),
  )
  if (!account) throw refusal('noAccount')
  return account
}

function queryAddress(query: URLSearchParams): string {
  const address = requiredQuery(query, 'address')
  if (!isAddress(address)) throw refusal('parameter', 'address is invalid')
  return address.toLowerCase()
}

function accountOfId({ accounts }: VenueState, query: URLSearchParams): Registration {
  const account = accounts.get(requiredQuery(query, 'account_id').toLowerCase())
  if (!account) throw refusal('noAccount')
  return account
}

function keyRow(exchange: VenueState, query: URLSearchParams, nowMs: number) {
  const key = accountOfId(exchange, query).keys.get(requiredQuery(query, 'orderly_key'))
  if (!key) throw refusal('notFound')
  const { publicKey, scope, expiresAtMs, expirationMs = expiresAtMs, tag } = key
  return {
    orderly_key: publicKey,
    scope,
    expiration: expirationMs,
    tag,
    key_status: isKeyValid(key, nowMs) ? 'ACTIVE' : 'REMOVED',
  }
}

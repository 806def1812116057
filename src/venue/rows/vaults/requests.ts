import { accountIdOf } from '../../../crypto/account-id.ts'
import { Rejection } from '../../engine/rejections.ts'
import type { Transaction, Vault } from '../../engine/vaults/vault.ts'
import { type Seat, seatOf } from '../../exchange/seat.ts'
import { refused } from '../../orders/outcomes.ts'
import { parseBody } from '../../wire/body.ts'
import { pageOf, periodOf, queryText } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueCall, VenueRow } from '../../wire/row.ts'
import { amountOf } from '../figures.ts'
import { requestsOf } from './history.ts'
import { choiceOf, vaultOf } from './lookup.ts'
import { isFresh } from './nonces.ts'
import type { VaultParts } from './parts.ts'
import { openRequest, type SignedRequest } from './signed.ts'
import { statusOf } from './transactions.ts'

const HISTORY_DEFAULT_ROWS = 60
/** Both words are in use for money that comes back. */
const TYPES = ['deposit', 'withdraw', 'withdrawal'] as const

/** What an account's owner asks of vaults, and what became of it. */
export function requestRows(parts: VaultParts): readonly VenueRow[] {
  return [
    {
      method: 'POST',
      path: '/v1/sv_operation_request',
      scope: 'none',
      answer: ({ body, nowMs }) => ask(parts, openRequest(parseBody(body)), nowMs),
    },
    {
      method: 'GET',
      path: '/v1/account_sv_transaction_history',
      scope: 'read',
      answer: (call) => accountHistory(parts, seatOf(parts, call.accountId), call),
    },
  ]
}

/** Answers no data: what was asked is done when the period ends. */
function ask(parts: VaultParts, request: SignedRequest, nowMs: number): undefined {
  const { floor, accounts } = parts
  const { address: wallet, brokerId, chainId, nonce, kind, amount: size } = request
  const accountId = accountIdOf(wallet, brokerId)
  if (!accounts.has(accountId)) throw refusal('noAccount')
  const vault = floor().engine.world.vaults.find(({ id }) => id === request.vaultId)
  if (!vault) throw refusal('notFound', 'The vault is not found.')
  if (kind === 'provider deposit' || kind === 'provider withdrawal')
    throw refusal('rejected', 'The wallet is not the provider of the vault')
  if (!isFresh(nonce, nowMs)) throw refusal('parameter', 'nonce is invalid or expired')
  if (isSpent(parts, wallet, nonce, nowMs)) throw refusal('duplicate', 'The nonce is spent')
  const type = kind === 'lp deposit' ? 'deposit' : 'withdrawal'
  const { engine, account } = seatOf(parts, accountId)
  const wish = { wallet, type, broker: brokerId, nonce, chainId, size } as const
  const asked = { account: account.number, vault: vault.number, ...wish }
  const outcome = engine.submit('askVault', asked, nowMs)
  if (outcome instanceof Rejection) throw refused(outcome)
  return undefined
}

function isSpent(parts: VaultParts, wallet: string, nonce: string, nowMs: number): boolean {
  return everyRequest(parts, wallet, nowMs).some(({ each }) => each.nonce === nonce)
}

type Told = { readonly vault: Vault; readonly each: Transaction }

function everyRequest({ floor, histories }: VaultParts, wallet: string, nowMs: number): Told[] {
  return floor().engine.world.vaults.flatMap((vault) =>
    requestsOf(histories(vault, nowMs), 'lp', wallet).map((each) => ({ vault, each })),
  )
}

/** The account's own requests in all vaults or in one, the latest first. */
function accountHistory(
  parts: VaultParts,
  { account }: Seat,
  { query, nowMs, accountId }: VenueCall,
) {
  const { floor, accounts } = parts
  const only = queryText(query, 'vault_id') === null ? null : vaultOf(floor(), query)
  const type = queryText(query, 'type') === null ? '' : choiceOf(query, 'type', TYPES)
  const isWithin = periodOf(query)
  const wallet = accounts.get(accountId)?.profile.address ?? ''
  const chosen = everyRequest(parts, wallet, nowMs)
    .filter(({ vault }) => only === null || vault === only)
    .filter(({ each }) => each.account === account.number && isWithin(each.requestedAtMs))
    .filter(({ each }) => each.type.startsWith(type))
    .sort((a, b) => b.each.requestedAtMs - a.each.requestedAtMs || b.each.id - a.each.id)
  const { meta, rows } = pageOf(chosen, query, HISTORY_DEFAULT_ROWS)
  return { meta, rows: rows.map((told) => accountRow(told, nowMs)) }
}

function accountRow({ vault, each }: Told, nowMs: number) {
  const { type, amount, shares, requestedAtMs } = each
  const isDone = statusOf(each, nowMs) !== 'pending'
  return {
    vault_id: vault.id,
    created_time: requestedAtMs,
    type,
    status: isDone ? 'completed' : 'pending',
    asset: 'USDC',
    amount_change: isDone || type === 'deposit' ? amountOf(amount) : null,
    shares_change: isDone || type === 'withdrawal' ? amountOf(shares) : null,
  }
}

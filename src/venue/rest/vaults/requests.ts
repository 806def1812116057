import { accountIdOf } from '../../../crypto/account-id.ts'
import { contextOf, type TradingContext } from '../../exchange/trading-context.ts'
import { parseBody } from '../../messages/body.ts'
import { amountOf } from '../../messages/number.ts'
import { pageOf, periodOf, queryText } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { refused } from '../../orders/parse/outcomes.ts'
import { Rejection } from '../../state/rejections.ts'
import { booksOf } from '../../vaults/ask.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import { type Transaction, vaultsOf } from '../../vaults/vault.ts'
import { bookIn, choiceOf, type VaultParts } from './query.ts'
import { openRequest, type SignedRequest } from './signed.ts'

const HISTORY_DEFAULT_ROWS = 60
/** Clients use both words for money that comes back. */
const TYPES = ['deposit', 'withdraw', 'withdrawal'] as const

/** The nonce of a request to a vault, the request, and an account's history of them. */
export function requestRows(parts: VaultParts): readonly VenueRow[] {
  return [
    publicRead('/v1/public/sv_nonce', ({ nowMs }) => ({
      nonce: nonceAt(parts.simulation().engine.world.vaultRequests.length, nowMs),
    })),
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
      answer: (call) => accountHistory(parts, contextOf(parts, call.accountId), call),
    },
  ]
}

const NONCES_PER_MS = 1000

/** The time and the number of requests so far: reading it changes nothing, and a request makes it another one. */
function nonceAt(requests: number, nowMs: number): number {
  return nowMs * NONCES_PER_MS + (requests % NONCES_PER_MS)
}

function isFresh(nonce: string, nowMs: number): boolean {
  if (!/^\d{1,16}$/.test(nonce)) return false
  const ageMs = nowMs - Math.floor(Number(nonce) / NONCES_PER_MS)
  return ageMs >= 0 && ageMs <= VAULT_RULES.nonceLifeMs
}

/** Answers no data: the request is executed when the period ends. */
function ask(parts: VaultParts, request: SignedRequest, nowMs: number): undefined {
  const { simulation, accounts } = parts
  const { address: wallet, brokerId, chainId, nonce, kind, amount: size } = request
  const accountId = accountIdOf(wallet, brokerId)
  if (!accounts.has(accountId)) throw refusal('noAccount')
  const { world } = simulation().engine
  const vault = vaultsOf(world).find(({ id }) => id === request.vaultId)
  if (!vault) throw refusal('notFound', 'The vault is not found.')
  if (kind === 'provider deposit' || kind === 'provider withdrawal')
    throw refusal('rejected', 'The wallet is not the provider of the vault')
  if (!isFresh(nonce, nowMs)) throw refusal('parameter', 'nonce is invalid or expired')
  if (world.vaultRequests.some((each) => each.wallet === wallet && each.nonce === nonce))
    throw refusal('duplicate', 'The nonce is spent')
  const type = kind === 'lp deposit' ? 'deposit' : 'withdrawal'
  const { engine, account } = contextOf(parts, accountId)
  const instruction = {
    vault: vault.number,
    wallet,
    type,
    broker: brokerId,
    nonce,
    chainId,
    size,
  } as const
  const outcome = engine.submit('askVault', { account: account.number, ...instruction }, nowMs)
  if (outcome instanceof Rejection) throw refused(outcome)
  return undefined
}

/** The account's own requests in all vaults or in one, the latest first. */
function accountHistory(parts: VaultParts, { account }: TradingContext, { query }: VenueCall) {
  const books =
    queryText(query, 'vault_id') === null
      ? booksOf(parts.simulation().engine.world)
      : [bookIn(parts, query)]
  const type = queryText(query, 'type') === null ? '' : choiceOf(query, 'type', TYPES)
  const isWithin = periodOf(query)
  const chosen = books
    .flatMap(({ vault, transactions }) => transactions.map((each) => ({ ...each, id: vault.id })))
    .filter((each) => each.account === account.number && isWithin(each.atMs))
    .filter((each) => each.type.startsWith(type))
    .reverse()
    .sort((a, b) => b.atMs - a.atMs)
  const { meta, rows } = pageOf(chosen, query, HISTORY_DEFAULT_ROWS)
  return { meta, rows: rows.map(accountRow) }
}

type AccountTransaction = Omit<Transaction, 'id'> & { readonly id: string }

function accountRow(transaction: AccountTransaction) {
  const { id, type, amount, shares, atMs, executedAtMs } = transaction
  const isDone = executedAtMs > 0
  return {
    vault_id: id,
    created_time: atMs,
    type,
    status: isDone ? 'completed' : 'pending',
    asset: 'USDC',
    amount_change: isDone || type === 'deposit' ? amountOf(amount) : null,
    shares_change: isDone || type === 'withdrawal' ? amountOf(shares) : null,
  }
}

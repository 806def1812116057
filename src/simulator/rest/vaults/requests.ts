import { mainAccountId } from '../../../core/crypto/account-id.ts'
import { addressField, messageIn, messageSigner } from '../../accounts/wallet.ts'
import { AMOUNT_MAX } from '../../base/units.ts'
import type { VenueState } from '../../exchange/state.ts'
import { tradingContext } from '../../exchange/trading-context.ts'
import { type Fields, integerField, parseFields, requiredText } from '../../messages/body.ts'
import { EXCHANGE_LIMITS } from '../../messages/limits.ts'
import { periodFilter, queryChoice, queryText, shapedPage } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicRead, publicWrite, type VenueRow } from '../../messages/row.ts'
import { wireUsdc } from '../../messages/values.ts'
import { Rejection, refused } from '../../state/rejections.ts'
import { isPending, type Transaction, vaultBooks } from '../../vaults/book.ts'
import { VAULT_RULES } from '../../vaults/terms.ts'
import { worldVaults } from '../../vaults/vault.ts'
import type { SignedCall, SignedTable } from '../signed/call.ts'
import { bookIn } from './query.ts'

const HISTORY_DEFAULT_ROWS = 60
/** The types of requests. Clients use two names for a withdrawal. */
const TYPES = ['deposit', 'withdraw', 'withdrawal'] as const

type VaultSources = Pick<VenueState, 'simulation' | 'accounts'>

/** The endpoints for a vault request and its nonce. */
export function requestRows(parts: VaultSources): readonly VenueRow[] {
  return [
    publicRead('/v1/public/sv_nonce', ({ nowMs }) => ({
      nonce: nonceAt(parts.simulation().engine.world.vaultRequests.length, nowMs),
    })),
    publicWrite('/v1/sv_operation_request', ({ body, nowMs }) =>
      ask(parts, openRequest(parseFields(body)), nowMs),
    ),
  ]
}

/** An account's history of requests to vaults. */
export const VAULT_HISTORY: SignedTable = {
  read: { 'GET /v1/account_sv_transaction_history': accountHistory },
}

const NONCES_PER_MS = 1000

/** A nonce from the time and the number of earlier requests. It changes with each request but not with reads. */
function nonceAt(requests: number, nowMs: number): number {
  return nowMs * NONCES_PER_MS + (requests % NONCES_PER_MS)
}

function isFresh(nonce: string, nowMs: number): boolean {
  if (!/^\d{1,16}$/.test(nonce)) return false
  const ageMs = nowMs - Math.floor(Number(nonce) / NONCES_PER_MS)
  return ageMs >= 0 && ageMs <= VAULT_RULES.nonceLifeMs
}

/** Accepts a request, which is executed when the period ends. The answer has no data. */
function ask(parts: VaultSources, request: SignedRequest, nowMs: number): undefined {
  const { simulation, accounts } = parts
  const { address: wallet, brokerId, chainId, nonce, kind, amount: size } = request
  const accountId = mainAccountId(wallet, brokerId)
  if (!accounts.has(accountId)) throw refusal('noAccount')
  const { world } = simulation().engine
  const vault = worldVaults(world).find(({ id }) => id === request.vaultId)
  if (!vault) throw refusal('notFound', 'The vault is not found.')
  if (kind === 'provider deposit' || kind === 'provider withdrawal')
    throw refusal('rejected', 'The wallet is not the provider of the vault')
  if (!isFresh(nonce, nowMs)) throw refusal('parameter', 'nonce is invalid or expired')
  if (world.vaultRequests.some((each) => each.wallet === wallet && each.nonce === nonce))
    throw refusal('duplicate', 'The nonce is spent')
  const type = kind === 'lp deposit' ? 'deposit' : 'withdrawal'
  const { engine, account } = tradingContext(parts, accountId)
  const asked = {
    vault: vault.number,
    wallet,
    type,
    broker: brokerId,
    nonce,
    chainId,
    size,
  } as const
  const outcome = engine.submit('askVault', { account: account.number, ...asked }, nowMs)
  if (outcome instanceof Rejection) throw refused(outcome)
  return undefined
}

/** The account's own requests, in all vaults or in one, latest first. */
function accountHistory({ context: { account, engine }, query }: SignedCall) {
  const all = vaultBooks(engine.world)
  const books = queryText(query, 'vault_id') === null ? all : [bookIn(all, query)]
  const type = queryText(query, 'type') === null ? '' : queryChoice(query, 'type', TYPES)
  const isWithin = periodFilter(query)
  const chosen = books
    .flatMap(({ vault, transactions }) => transactions.map((each) => ({ ...each, id: vault.id })))
    .filter((each) => each.account === account.number && isWithin(each.atMs))
    .filter((each) => each.type.startsWith(type))
    .reverse()
    .sort((a, b) => b.atMs - a.atMs)
  return shapedPage(chosen, query, accountRow, HISTORY_DEFAULT_ROWS)
}

function accountRow(transaction: Omit<Transaction, 'id'> & { readonly id: string }) {
  const { id, type, amount, shares, atMs } = transaction
  const isDone = !isPending(transaction)
  return {
    vault_id: id,
    created_time: atMs,
    type,
    status: isDone ? 'completed' : 'pending',
    asset: 'USDC',
    amount_change: isDone || type === 'deposit' ? wireUsdc(amount) : null,
    shares_change: isDone || type === 'withdrawal' ? wireUsdc(shares) : null,
  }
}

/** A request to a vault that a wallet has signed. */
type SignedRequest = {
  /** Lower-case address. */
  readonly address: string
  readonly brokerId: string
  readonly chainId: string
  readonly vaultId: string
  readonly nonce: string
  /** The kind that the payload's number stands for. */
  readonly kind: (typeof KINDS)[number]
  /** Micro-USDC for a deposit, micro-shares for a withdrawal. */
  readonly amount: number
}

const KINDS = ['lp deposit', 'lp withdrawal', 'provider deposit', 'provider withdrawal'] as const

/**
 * Opens the body of POST /v1/sv_operation_request and verifies that the wallet signed it (EIP-712, the struct
 * DexRequest in the domain of the contract that the body names). Throws -1005 if the body is malformed, 9 if another
 * wallet signed.
 */
function openRequest(fields: Fields): SignedRequest {
  const message = messageIn(fields)
  const address = addressField(fields, 'userAddress')
  const verifyingContract = requiredText(fields, 'verifyingContract')
  const signature = requiredText(fields, 'signature')
  if (messageSigner('DexRequest', message, { verifyingContract, signature }) !== address)
    throw refusal('wallet')
  // The receiver of a request must be the wallet that signed it.
  if (addressField(message, 'receiver') !== address)
    throw refusal('parameter', 'receiver is invalid')
  if (requiredText(message, 'token') !== 'USDC') throw refusal('parameter', 'token is invalid')
  return {
    address,
    brokerId: requiredText(message, 'dexBrokerId', EXCHANGE_LIMITS.brokerIdMaxChars),
    chainId: requiredText(message, 'chainId'),
    vaultId: requiredText(message, 'vaultId').toLowerCase(),
    nonce: requiredText(message, 'nonce'),
    kind: KINDS[integerField(message, 'payloadType', 0, KINDS.length - 1) ?? -1] ?? missing(),
    amount: integerField(message, 'amount', 1, AMOUNT_MAX) ?? 0,
  }
}

function missing(): never {
  throw refusal('parameter', 'payloadType is required')
}

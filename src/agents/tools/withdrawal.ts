import { AGENT_WITHDRAWAL_PATHS } from '../../contract/agent-paths.ts'
import { DAY_MS } from '../../contract/durations.ts'
import { ledgerContract, typedDataDocument } from '../../core/crypto/typed-data.ts'
import { ONE, PER_MICRO } from '../../core/decimals.ts'
import { isAddress } from '../../core/hex.ts'
import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { amountText, product, toAmount, toUsdcNumber } from '../../perp/amounts.ts'
import { withdrawableUsdc } from '../../perp/withdrawable.ts'
import { accountRead, accountWrite } from '../account-call.ts'
import { runAudited } from '../audit.ts'
import { mustBeApproved } from '../limits/approval.ts'
import { SETTING_CHANGE } from '../limits/spending.ts'
import { invalidArgument, toolRefusal } from '../refusal.ts'
import { figure } from '../rows.ts'
import type { SignedContext, Tool } from '../tool.ts'
import { argumentSchema, optional, positiveNumber, text, wholeNumber } from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { accountView } from '../views/account.ts'

const WITHDRAWAL_ARGUMENTS = argumentSchema({
  amount: positiveNumber('USDC, fee included.'),
  chain_id: wholeNumber('From list_deposit_chains.', { minimum: 1 }),
  wallet: text('Wallet of the account, which signs.'),
  receiver: optional(text('Default: wallet.')),
  nonce: optional(wholeNumber('As answered.', { minimum: 1 })),
  timestamp: optional(wholeNumber('As answered.')),
  signature: optional(text('Of the wallet.')),
})

const requestWithdrawal = writeTool({
  name: 'request_withdrawal',
  description:
    'Withdraw USDC in two calls. The first moves nothing: it answers typed_data for the wallet of the user to sign. Then call with send and the signature. Never ask for a wallet key.',
  arguments: WITHDRAWAL_ARGUMENTS,
  effect: 'prepares or sends a withdrawal of amount USDC',
  otherWays: { market: 'USDC alone is withdrawn.', dry_run: 'Without signature it moves nothing.' },
  idempotent: false,
  hints: {
    forbidden: 'This cannot be withdrawn here. Tell the user.',
    invalid_signature: 'Another wallet signed, or another message. Begin anew, without signature.',
    expired_signature: 'The message is more than five minutes old. Begin anew, without signature.',
  },
  run: async (context, { chain_id: chainId, amount, signature, ...given }) => {
    const wallet = parseAddress(given.wallet, 'wallet')
    const receiver = parseAddress(given.receiver ?? wallet, 'receiver')
    const stamp = parseStamp(given, signature) ?? (await requestStamp(context, chainId))
    const prepared = await prepare(context, { amount, chainId, receiver }, stamp)
    const { message, verifyingContract, feeUsdc } = prepared
    if (signature === undefined) {
      await assertCovered(context, amount, feeUsdc)
      return {
        moved: false,
        ...{ amount, receiver, fee_usdc: feeUsdc, arrives_usdc: receivedUsdc(amount, feeUsdc) },
        ...signingPage(context, wallet === receiver),
        typed_data: typedDataDocument('Withdraw', message, { chainId, verifyingContract }),
        send: { amount, chain_id: chainId, wallet, receiver, ...stamp },
      }
    }
    const write = {
      method: 'POST',
      path: AGENT_WITHDRAWAL_PATHS.request,
      consented: true,
      needsApproval: mustBeApproved(context, SETTING_CHANGE),
      body: JSON.stringify({ message, signature, userAddress: wallet, verifyingContract }),
      lookUp: { tool: 'list_account_history', arguments: { kind: 'deposits_withdrawals' } },
    } as const
    const line = { tool: 'request_withdrawal', size: String(amount), call: write }
    const result = await runAudited(context, line, () => accountWrite(context, write))
    return {
      ...{ moved: true, ...result, amount, receiver },
      next: 'On its way: list_account_history kind=deposits_withdrawals shows how far it is.',
    }
  },
})

/** Tools that take money out. */
export const WITHDRAWAL_TOOLS: readonly Tool[] = [requestWithdrawal]

function receivedUsdc(amount: number, feeUsdc: number): number {
  return toUsdcNumber((toAmount(amount) ?? 0n) - (toAmount(feeUsdc) ?? 0n))
}

const WITHDRAWAL_PAGE = '/trade/withdraw'

/**
 * The page on which the wallet can sign, and the user's next step. The page only sends withdrawals to the account's
 * wallet.
 */
function signingPage({ pageOrigin }: SignedContext, isToOwnWallet: boolean) {
  if (!isToOwnWallet)
    return { page: null, next: `${SHOW_STEP} ${OTHER_RECEIVER_NOTE} ${SIGN_STEP}` }
  if (pageOrigin === null) return { page: null, next: `${SHOW_STEP} ${NO_PAGE} ${SIGN_STEP}` }
  const page = pageOrigin + WITHDRAWAL_PAGE
  return { page, next: `${SHOW_STEP} ${ON_PAGE_STEP} Otherwise: ${SIGN_STEP}` }
}

const SHOW_STEP = 'Show amount, chain, receiver and fee to the user.'
const ON_PAGE_STEP =
  'The user opens page, enters the same amount and chain, and the wallet signs and sends it there; then you send nothing.'
const NO_PAGE = 'No page that signs is known here.'
const OTHER_RECEIVER_NOTE =
  'The page of the service withdraws to the own wallet alone, not to this receiver.'
const SIGN_STEP =
  'The wallet signs typed_data within five minutes; then call request_withdrawal with send and its signature.'

/** Throws amount_too_low or amount_too_high before the wallet signs, if the venue would refuse the amount. */
async function assertCovered(
  context: SignedContext,
  amount: number,
  feeUsdc: number,
): Promise<void> {
  if (amount <= feeUsdc)
    throw toolRefusal('amount_too_low', { parameter: 'amount', fee_usdc: feeUsdc, next: FEE_FIRST })
  const [answer, { summary }] = await Promise.all([
    accountRead(context, '/v1/client/holding'),
    accountView(context),
  ])
  const usdc = rowsAt(answer, 'holding').find((row) => row['token'] === TOKEN)
  const held = usdc ? toAmount(usdc['holding']) : 0n
  if (held === null) throw toolRefusal('upstream_unavailable', { next: UNKNOWN_HOLDING })
  const [free, unsettled] = [summary.free_collateral, summary.total_unsettled_pnl].map(toAmount)
  // An unknown unsettled PnL counts as zero. If the free collateral is unknown, the holding is the upper bound.
  const most = withdrawableUsdc(held, free ?? null, unsettled ?? 0n) ?? held
  if ((toAmount(amount) ?? 0n) <= most) return
  const maximum = toUsdcNumber(most - (most % PER_MICRO))
  const holding = toUsdcNumber(held)
  throw toolRefusal('amount_too_high', {
    parameter: 'amount',
    maximum,
    holding,
    next: ABOVE_MAXIMUM_STEP,
  })
}

const UNKNOWN_HOLDING =
  'The venue answered without the USDC holding of the account, so the most that can be withdrawn is unknown. Call again; if it goes on, tell the user.'
const FEE_FIRST = 'The fee is taken from amount: ask the user for a larger amount.'
const ABOVE_MAXIMUM_STEP =
  'More than maximum cannot be withdrawn now: positions and orders need the rest of holding, and a profit counts once it is settled. Ask the user.'

const WALLET_SIGNATURE = /^0x[0-9a-f]{130}$/i

/** The nonce and timestamp that belong to a signature; null without a signature. Throws invalid_request if one is missing. */
function parseStamp(
  given: Partial<WithdrawalStamp>,
  signature: string | undefined,
): WithdrawalStamp | null {
  if (signature === undefined) return null
  if (!WALLET_SIGNATURE.test(signature))
    throw invalidArgument('signature', 'malformed', { expected: '0x and 130 hex characters.' })
  const { nonce, timestamp } = given
  if (nonce === undefined) throw invalidArgument('nonce', 'missing', { next: AS_ANSWERED })
  if (timestamp === undefined) throw invalidArgument('timestamp', 'missing', { next: AS_ANSWERED })
  return { nonce, timestamp }
}

const AS_ANSWERED = 'Take it from send of the first call: the wallet has signed it.'

/** The zero address, which has no owner: a transfer to it is lost. */
const ZERO_ADDRESS_PATTERN = /^0x0{40}$/

function parseAddress(text: string, parameter: string): string {
  const address = text.toLowerCase()
  if (isAddress(address) && !ZERO_ADDRESS_PATTERN.test(address)) return address
  throw toolRefusal('invalid_address', { parameter, reason: 'malformed' })
}

/** The requested withdrawal. */
type Withdrawal = {
  readonly amount: number
  readonly chainId: number
  readonly receiver: string
}

/** The nonce of a withdrawal and the Unix ms of the wallet's signature. */
type WithdrawalStamp = { readonly nonce: number; readonly timestamp: number }

/** Requests a nonce and timestamp for a new withdrawal. */
async function requestStamp(context: SignedContext, chainId: number): Promise<WithdrawalStamp> {
  const { client, credentials } = context
  const [{ timestamp }, answer] = await Promise.all([
    deployment(context, chainId),
    client.consented(credentials, { method: 'GET', path: AGENT_WITHDRAWAL_PATHS.nonce }),
  ])
  return { timestamp, nonce: Number(isObject(answer) ? answer['withdraw_nonce'] : undefined) }
}

const TOKEN = 'USDC'

/**
 * Prepares the message for the wallet to sign, its verifying contract, and the fee. Throws unsupported_chain (naming
 * the supported chains), invalid_address or invalid_request.
 */
async function prepare(
  context: SignedContext,
  { amount, chainId, receiver }: Withdrawal,
  { nonce, timestamp }: WithdrawalStamp,
) {
  const chain = await readDepositChain(context, chainId)
  assertReachable(receiver, chain)
  const { brokerId } = await deployment(context, chainId)
  return {
    verifyingContract: ledgerContract(String(chain['name'])),
    message: {
      brokerId,
      chainId,
      receiver,
      token: TOKEN,
      amount: amountUnits(amount, chain),
      withdrawNonce: nonce,
      timestamp,
      chainType: 'EVM',
    },
    feeUsdc: figure(chain, 'withdrawalFee'),
  }
}

/** Throws invalid_address for a contract of the chain that returns no funds: a transfer to it is lost. */
function assertReachable(receiver: string, chain: Row): void {
  const isContract = ['vault', 'usdc'].some(
    (field) => String(chain[field]).toLowerCase() === receiver,
  )
  if (isContract)
    throw toolRefusal('invalid_address', {
      parameter: 'receiver',
      reason: 'conflicting',
      next: CONTRACT_RECEIVER_STEP,
    })
}

const CONTRACT_RECEIVER_STEP =
  'This is a contract of the venue or of USDC: what is sent there is lost. Ask the user for the address of a wallet.'

async function readDepositChain({ client }: SignedContext, chainId: number): Promise<Row> {
  const rows = rowsAt(await client.get('/api/prep/deposit-chains'), 'rows')
  const chain = rows.find((row) => row['chainId'] === chainId)
  if (chain) return chain
  throw toolRefusal('unsupported_chain', {
    parameter: 'chain_id',
    reason: 'unknown_chain',
    allowed: rows.map((row) => row['chainId']),
    next: 'Take a chain from list_deposit_chains.',
  })
}

function amountUnits(amount: number, chain: Row): string {
  const units = product(toAmount(amount) ?? 0n, 10n ** BigInt(figure(chain, 'decimals')) * ONE)
  const text = amountText(units)
  if (units > 0n && !text.includes('.')) return text
  throw invalidArgument('amount', 'malformed', { expected: 'USDC with at most six decimals.' })
}

/** Reads the service's broker id and time from a typed-data document that it makes for wallets. Nothing is signed or bound. */
async function deployment({ client, credentials, clock }: SignedContext, chainId: number) {
  const answer = await client.post('/api/prep/typed-data', {
    ...{ kind: 'trading-key', chainId, tradingKey: credentials.key, scope: 'read' },
    expiration: clock.nowMs() + DAY_MS,
  })
  const document = isObject(answer) ? JSON.parse(String(answer['typedData'])) : null
  const message: unknown = isObject(document) ? document['message'] : null
  if (!isObject(message)) throw toolRefusal('internal')
  return { brokerId: String(message['brokerId']), timestamp: Number(message['timestamp']) }
}

import { ONE } from '../../core/decimals.ts'
import { isAddress } from '../../core/hex.ts'
import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { ledgerContractOf, typedDataDocument } from '../../crypto/typed-data.ts'
import { AGENT_CONSENTED } from '../../spec/agent-paths.ts'
import { DAY_MS } from '../../spec/durations.ts'
import { accountWrite, type Write } from '../account-call.ts'
import { writeTool } from '../agent-tool.ts'
import { amountOf, amountText, times } from '../amounts.ts'
import { audited } from '../audit.ts'
import { mustBeApproved, SETTING_CHANGE } from '../limits/spending.ts'
import { invalidArgument, refusal } from '../refusal.ts'
import { figure } from '../rows.ts'
import type { SignedContext, Tool } from '../tool.ts'
import { args, decimal, optional, text, whole } from '../tool-arguments.ts'

const WITHDRAWAL_ARGUMENTS = args({
  amount: decimal('USDC, fee included.', { exclusiveMinimum: 0 }),
  chain_id: whole('From list_deposit_chains.', { minimum: 1 }),
  wallet: text('Wallet of the account, which signs.'),
  receiver: optional(text('Default: wallet.')),
  nonce: optional(whole('As answered.', { minimum: 1 })),
  timestamp: optional(whole('As answered.')),
  signature: optional(text('Of the wallet.')),
})

const requestWithdrawal = writeTool({
  name: 'request_withdrawal',
  description:
    'Withdraw USDC in two calls. The first moves nothing: it answers typed_data for the wallet of the user to sign. Then call with send and the signature. Never ask for a wallet key.',
  arguments: WITHDRAWAL_ARGUMENTS,
  idempotent: false,
  hints: {
    forbidden: 'This cannot be withdrawn here. Tell the user.',
    invalid_signature: 'Another wallet signed, or another message. Begin anew, without signature.',
    expired_signature: 'The message is more than five minutes old. Begin anew, without signature.',
  },
  run: async (context, { chain_id: chainId, signature, ...given }) => {
    const wallet = addressOf(given.wallet, 'wallet')
    const withdrawal = {
      ...{ amount: given.amount, chainId, wallet },
      receiver: addressOf(given.receiver ?? wallet, 'receiver'),
    }
    const stamp = stampOf(given, signature) ?? (await newStamp(context, chainId))
    const prepared = await prepare(context, withdrawal, stamp)
    const { amount, receiver } = withdrawal
    const send_again = { amount, chain_id: chainId, wallet, receiver, ...stamp }
    if (signature === undefined) {
      return {
        moved: false,
        typed_data: documentOf(prepared),
        fee_usdc: prepared.feeUsdc,
        send: send_again,
        next: 'Show amount, chain and receiver to the user. The wallet signs typed_data within five minutes; then call request_withdrawal with send and its signature.',
      }
    }
    const needsApproval = mustBeApproved(context, SETTING_CHANGE)
    const write = { ...writeOf(prepared, wallet, signature), needsApproval }
    const line = { tool: 'request_withdrawal', size: String(amount), call: write }
    const result = await audited(context, line, () => accountWrite(context, write))
    return {
      ...{ moved: true, ...result, amount, receiver },
      next: 'On its way: list_account_history kind=deposits_withdrawals shows how far it is.',
    }
  },
})

/** Tools that take money out. */
export const WITHDRAWAL_TOOLS: readonly Tool[] = [requestWithdrawal]

const WALLET_SIGNATURE = /^0x[0-9a-f]{130}$/i

/** The stamp that a signature stands for; null before there is one. Throws invalid_request. */
function stampOf(given: Partial<Stamp>, signature: string | undefined): Stamp | null {
  if (signature === undefined) return null
  if (!WALLET_SIGNATURE.test(signature))
    throw invalidArgument('signature', 'malformed', { expected: '0x and 130 hex characters.' })
  const { nonce, timestamp } = given
  if (nonce === undefined) throw invalidArgument('nonce', 'missing', { next: AS_ANSWERED })
  if (timestamp === undefined) throw invalidArgument('timestamp', 'missing', { next: AS_ANSWERED })
  return { nonce, timestamp }
}

const AS_ANSWERED = 'Take it from send of the first call: the wallet has signed it.'

function addressOf(text: string, parameter: string): string {
  const address = text.toLowerCase()
  if (isAddress(address)) return address
  throw refusal('invalid_address', { parameter, reason: 'malformed' })
}

/** The withdrawal asked for. The wallet is the account's own and signs it. */
type Withdrawal = {
  readonly amount: number
  readonly chainId: number
  readonly wallet: string
  readonly receiver: string
}

/** The nonce of the withdrawal and the time of the wallet's signature, in ms. */
type Stamp = { readonly nonce: number; readonly timestamp: number }

type Ledger = { readonly brokerId: string; readonly verifyingContract: string }

/** A withdrawal as the wallet signs it and the venue takes it. Throws invalid_request or unsupported_chain. */
type Prepared = {
  readonly message: ReturnType<typeof messageOf>
  readonly ledger: Ledger
  readonly feeUsdc: number
}

/** The stamp of a withdrawal that is not signed yet. */
async function newStamp(context: SignedContext, chainId: number): Promise<Stamp> {
  const { client, credentials } = context
  const [{ timestamp }, answer] = await Promise.all([
    deployment(context, chainId),
    client.consented(credentials, { method: 'GET', path: AGENT_CONSENTED.nonce }),
  ])
  return { timestamp, nonce: Number(isObject(answer) ? answer['withdraw_nonce'] : undefined) }
}

/** The message of a withdrawal. Throws unsupported_chain, naming the chains there are, and invalid_request. */
async function prepare(
  context: SignedContext,
  withdrawal: Withdrawal,
  stamp: Stamp,
): Promise<Prepared> {
  const chain = await chainOf(context, withdrawal.chainId)
  const { brokerId } = await deployment(context, withdrawal.chainId)
  const verifyingContract = ledgerContractOf(String(chain['name']))
  return {
    message: messageOf(withdrawal, stamp, brokerId, unitsOf(withdrawal.amount, chain)),
    ledger: { brokerId, verifyingContract },
    feeUsdc: figure(chain, 'withdrawalFee'),
  }
}

/** The EIP-712 document of it as one text, for the wallet's eth_signTypedData_v4. */
function documentOf({ message, ledger }: Prepared): string {
  const { verifyingContract } = ledger
  return typedDataDocument('Withdraw', message, { chainId: message.chainId, verifyingContract })
}

/** The request for a withdrawal that the wallet has signed. */
function writeOf({ message, ledger }: Prepared, userAddress: string, signature: string) {
  const { verifyingContract } = ledger
  return {
    method: 'POST',
    path: AGENT_CONSENTED.request,
    consented: true,
    body: JSON.stringify({ message, signature, userAddress, verifyingContract }),
    lookUp: { tool: 'list_account_history', arguments: { kind: 'deposits_withdrawals' } },
  } as const satisfies Write
}

const TOKEN = 'USDC'

function messageOf(
  withdrawal: Withdrawal,
  { nonce, timestamp }: Stamp,
  brokerId: string,
  amount: string,
) {
  const { chainId, receiver } = withdrawal
  return {
    brokerId,
    chainId,
    receiver,
    token: TOKEN,
    amount,
    withdrawNonce: nonce,
    timestamp,
    chainType: 'EVM',
  }
}

async function chainOf({ client }: SignedContext, chainId: number): Promise<Row> {
  const rows = rowsAt(await client.get('/api/prep/deposit-chains'), 'rows')
  const chain = rows.find((row) => row['chainId'] === chainId)
  if (chain) return chain
  throw refusal('unsupported_chain', {
    parameter: 'chain_id',
    reason: 'unknown_chain',
    allowed: rows.map((row) => row['chainId']),
    next: 'Take a chain from list_deposit_chains.',
  })
}

function unitsOf(amount: number, chain: Row): string {
  const units = times(amountOf(amount) ?? 0n, 10n ** BigInt(figure(chain, 'decimals')) * ONE)
  const text = amountText(units)
  if (units > 0n && !text.includes('.')) return text
  throw invalidArgument('amount', 'malformed', { expected: 'USDC with at most six decimals.' })
}

/** Whose deployment this is and its time, as they stand in the messages it has wallets sign. Binds nothing. */
async function deployment({ client, credentials, clock }: SignedContext, chainId: number) {
  const answer = await client.post('/api/prep/typed-data', {
    ...{ kind: 'trading-key', chainId, tradingKey: credentials.key, scope: 'read' },
    expiration: clock.nowMs() + DAY_MS,
  })
  const document = isObject(answer) ? JSON.parse(String(answer['typedData'])) : null
  const message: unknown = isObject(document) ? document['message'] : null
  if (!isObject(message)) throw refusal('internal')
  return { brokerId: String(message['brokerId']), timestamp: Number(message['timestamp']) }
}

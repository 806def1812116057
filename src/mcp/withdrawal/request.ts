import { isAddress } from '../../core/hex.ts'
import { writeTool } from '../agent-tool.ts'
import { audited } from '../audit.ts'
import { invalidArgument, refusal } from '../refusal.ts'
import type { Tool } from '../tool.ts'
import { args, decimal, optional, text, whole } from '../tool-arguments.ts'
import { documentOf, newStamp, prepare, type Stamp, send } from './message.ts'

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
  title: 'Request withdrawal',
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
    const wish = {
      ...{ amount: given.amount, chainId, wallet },
      receiver: addressOf(given.receiver ?? wallet, 'receiver'),
    }
    const stamp = stampOf(given, signature) ?? (await newStamp(context, chainId))
    const prepared = await prepare(context, wish, stamp)
    const { amount, receiver } = wish
    const send_again = { amount, chain_id: chainId, wallet, receiver, ...stamp }
    if (signature === undefined) {
      return {
        moved: false,
        typed_data: await documentOf(prepared),
        fee_usdc: prepared.feeUsdc,
        send: send_again,
        next: 'Show amount, chain and receiver to the user. The wallet signs typed_data within five minutes; then call request_withdrawal with send and its signature.',
      }
    }
    const result = await audited(
      context,
      { tool: 'request_withdrawal', size: String(amount) },
      () => send(context, prepared, wallet, signature),
    )
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

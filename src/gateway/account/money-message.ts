import { Failure } from '../../core/failure.ts'
import { toPrefixedHex } from '../../core/hex.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import {
  ledgerContractOf,
  type StructMessage,
  typedDataDigest,
  typedDataDocument,
} from '../../crypto/typed-data.ts'
import type { TypedDataBody } from '../../spec/registration.ts'
import { depositChains } from '../market/funds.ts'
import type { MarketDeps } from '../market/shaped.ts'
import type { AccountDeps } from './wallet-call.ts'

export type MoneyMessageDeps = AccountDeps & MarketDeps

type Asked<K extends TypedDataBody['kind']> = Extract<TypedDataBody, { kind: K }>

/**
 * The message by which a wallet withdraws from its account, or settles the PnL of it, and the contract that checks it:
 * both go with the signature into the relayed `/v1/withdraw_request` or `/v1/settle_pnl`. Throws unsupported_chain.
 */
export async function moneyToSign(
  deps: MoneyMessageDeps,
  asked: Asked<'withdraw'> | Asked<'settle'>,
) {
  const verifyingContract = await ledgerOf(deps, asked.chainId)
  const { brokerId } = deps.operator
  const signer = { brokerId, chainId: asked.chainId, timestamp: deps.clock.nowMs() }
  if (asked.kind === 'settle')
    return toSign('SettlePnl', { ...signer, settleNonce: asked.settleNonce }, verifyingContract)
  const { receiver, token, amount, withdrawNonce } = asked
  const withdrawal = { ...signer, receiver, token, amount, withdrawNonce }
  return toSign('Withdraw', withdrawal, verifyingContract)
}

function toSign<S extends 'Withdraw' | 'SettlePnl'>(
  struct: S,
  message: StructMessage<S> & { readonly chainId: number },
  verifyingContract: string,
) {
  const domain = { chainId: message.chainId, verifyingContract }
  return {
    typedData: typedDataDocument(struct, message, domain),
    message: { ...message, chainType: 'EVM' },
    digest: toPrefixedHex(typedDataDigest(struct, message, domain)),
    verifyingContract,
  }
}

/** The contract that checks what moves money on a chain. Throws unsupported_chain, naming the chains there are. */
async function ledgerOf(deps: MarketDeps, chainId: number): Promise<string> {
  const { reply } = await depositChains(deps)
  const answer = parsedJson(new TextDecoder().decode(reply.bytes))
  const rows = isObject(answer) && Array.isArray(answer['rows']) ? answer['rows'] : []
  const chains = rows.filter(isObject)
  const chain = chains.find((row) => row['chainId'] === chainId)
  if (chain) return ledgerContractOf(String(chain['name']))
  throw new Failure('unsupported_chain', {
    parameter: 'chainId',
    reason: 'unknown_chain',
    allowed: chains.map((row) => String(row['chainId'])),
  })
}

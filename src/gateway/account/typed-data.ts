import type { TypedDataBody } from '../../contract/typed-data.ts'
import { parsePublicKey } from '../../core/crypto/signing.ts'
import {
  ledgerContract,
  type StructMessage,
  type StructName,
  typedDataDigest,
  typedDataDocument,
} from '../../core/crypto/typed-data.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { toPrefixedHex } from '../../core/hex.ts'
import { parsedJson, rowsAt } from '../../core/json.ts'
import { bindingStruct, registrationStruct } from '../../upstream/wire/wire.ts'
import { type Answer, uncachedAnswer } from '../cache/answer.ts'
import type { MarketAccess } from '../market/cached-answers.ts'
import { depositChains } from '../market/funds.ts'
import { approvalToSign, type DecisionAccess } from './approval-decision.ts'
import { issueRegistrationNonce } from './registration.ts'
import { assertExpiration } from './trading-key.ts'
import { offChainDomain, type WalletCallAccess } from './wallet-call.ts'
import { mandateToSign, type WalletMandateAccess } from './wallet-mandate.ts'
import { type WalletWebhookAccess, webhookToSign } from './wallet-webhook.ts'

/** Access for building the messages that wallets sign. */
export type TypedDataAccess = WalletMandateAccess &
  WalletWebhookAccess &
  DecisionAccess &
  MarketAccess

/**
 * The message a wallet has to sign, made for this deployment: `{typedData, message, digest}`.
 * - `typedData`: the EIP-712 document as one string for eth_signTypedData_v4.
 * - `message`: the caller sends it unchanged to register, trading-key, mandate, webhook or approval/decision. For a
 *   withdrawal or settlement, the relayed body has to contain `message` and `verifyingContract`.
 * - `digest`: the digest to sign, `0x` and 64 hex characters.
 *
 * A register message contains a new nonce. Messages of mandates, webhooks and approvals contain the requested host
 * name. Throws Failure.
 */
export async function typedData(
  deps: TypedDataAccess,
  body: TypedDataBody,
  host: string,
): Promise<Answer> {
  const answer = await messageToSign(deps, body, host)
  // Keeps `brokerId`, because the wallet signs it and the relay forwards these bodies unchanged.
  const keeps = body.kind === 'withdraw' || body.kind === 'settle' ? (['brokerId'] as const) : []
  return uncachedAnswer(deps.scrub.value(answer, { audience: 'private', keeps }))
}

async function messageToSign(deps: TypedDataAccess, body: TypedDataBody, host: string) {
  if (body.kind === 'withdraw' || body.kind === 'settle') return moneyToSign(deps, body)
  if (body.kind === 'register') return registrationToSign(deps, body)
  if (body.kind === 'mandate') return mandateToSign(deps, body, host)
  if (body.kind === 'webhook') return webhookToSign(deps, body, host)
  if (body.kind === 'approval') return approvalToSign(deps, body, host)
  return bindingToSign(deps, body)
}

async function registrationToSign(
  deps: WalletCallAccess,
  { chainId }: { readonly chainId: number },
) {
  const registrationNonce = await issueRegistrationNonce(deps)
  const message = { chainId, timestamp: deps.clock.nowMs(), registrationNonce }
  return toSign('Registration', registrationStruct(deps.operator.brokerId, message), message)
}

function bindingToSign(
  deps: WalletCallAccess,
  body: Extract<TypedDataBody, { kind: 'trading-key' }>,
) {
  const { chainId, tradingKey, expiration } = body
  const scope = body.scope.replaceAll(' ', '')
  const timestamp = deps.clock.nowMs()
  if (!parsePublicKey(tradingKey)) throw invalidParameter('tradingKey')
  assertExpiration(deps, expiration, timestamp, 'expiration')
  const message = { chainId, tradingKey, scope, timestamp, expiration }
  return toSign('AddOrderlyKey', bindingStruct(deps.operator.brokerId, message), message)
}

/**
 * The message with which a wallet withdraws or settles PnL, and the contract that verifies the message. The body of the
 * relayed `/v1/withdraw_request` or `/v1/settle_pnl` has to contain both, with the signature. Throws unsupported_chain.
 */
async function moneyToSign(
  deps: WalletCallAccess & MarketAccess,
  body: Extract<TypedDataBody, { kind: 'withdraw' | 'settle' }>,
) {
  const { chainId } = body
  const verifyingContract = await findLedgerContract(deps, chainId)
  const domain = { chainId, verifyingContract }
  const { brokerId } = deps.operator
  const signer = { brokerId, chainId, timestamp: deps.clock.nowMs() }
  if (body.kind === 'settle') {
    const settlement = { ...signer, settleNonce: body.settleNonce }
    const message = { ...settlement, chainType: 'EVM' }
    return { ...toSign('SettlePnl', settlement, message, domain), verifyingContract }
  }
  const { receiver, token, amount, withdrawNonce } = body
  const withdrawal = { ...signer, receiver, token, amount, withdrawNonce }
  const message = { ...withdrawal, chainType: 'EVM' }
  return { ...toSign('Withdraw', withdrawal, message, domain), verifyingContract }
}

function toSign<S extends StructName, M extends { readonly chainId: number }>(
  struct: S,
  signed: StructMessage<S>,
  message: M,
  domain = offChainDomain(message.chainId),
) {
  return {
    typedData: typedDataDocument(struct, signed, domain),
    message,
    digest: toPrefixedHex(typedDataDigest(struct, signed, domain)),
  }
}

/** The contract that verifies withdrawals and settlements on a chain. Throws unsupported_chain with the listed chains. */
async function findLedgerContract(deps: MarketAccess, chainId: number): Promise<string> {
  const { reply } = await depositChains(deps)
  const answer = parsedJson(new TextDecoder().decode(reply.bytes))
  const chains = rowsAt(answer, 'rows')
  const chain = chains.find((row) => row['chainId'] === chainId)
  if (chain) return ledgerContract(String(chain['name']))
  throw new Failure('unsupported_chain', {
    parameter: 'chainId',
    reason: 'unknown_chain',
    allowed: chains.map((row) => String(row['chainId'])),
  })
}

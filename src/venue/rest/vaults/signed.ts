import { isAddress } from '../../../core/hex.ts'
import { isObject } from '../../../core/json.ts'
import { typedDataDigest } from '../../../crypto/typed-data.ts'
import { recoverSigner } from '../../../crypto/wallet-signature.ts'
import { AMOUNT_MAX } from '../../base/units.ts'
import { EXCHANGE_LIMITS } from '../../exchange/limits.ts'
import { choiceField, type Fields, integerField, requiredText } from '../../messages/body.ts'
import { refusal } from '../../messages/refusals.ts'

/** What the owner of a wallet wants of a vault, as signed. */
export type SignedRequest = {
  /** Lower case. */
  readonly address: string
  readonly brokerId: string
  readonly chainId: string
  readonly vaultId: string
  readonly nonce: string
  /** By the number of its payload. */
  readonly kind: (typeof KINDS)[number]
  /** Micro-USDC of a deposit, micro-shares of a withdrawal. */
  readonly amount: number
}

const KINDS = ['lp deposit', 'lp withdrawal', 'provider deposit', 'provider withdrawal'] as const

/**
 * Opens the body of POST /v1/sv_operation_request and proves that the wallet signed it (EIP-712, the struct DexRequest
 * in the domain of the contract that the body names). Throws -1005 when it is malformed, 9 when the signature is another
 * wallet's.
 */
export function openRequest(fields: Fields): SignedRequest {
  const message = fields['message']
  if (!isObject(message)) throw refusal('parameter', 'message is required')
  const address = addressIn(fields, 'userAddress')
  choiceField(message, 'chainType', ['EVM'] as const)
  if (recoverSigner(digestOf(fields, message), requiredText(fields, 'signature')) !== address)
    throw refusal('wallet')
  // An account can only be paid itself.
  if (addressIn(message, 'receiver') !== address) throw refusal('parameter', 'receiver is invalid')
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

function addressIn(fields: Fields, name: string): string {
  const address = requiredText(fields, name).toLowerCase()
  if (!isAddress(address)) throw refusal('parameter', `${name} is invalid`)
  return address
}

function digestOf(fields: Fields, message: Fields): Uint8Array {
  const text = (name: string) => requiredText(message, name)
  const signed = {
    payloadType: text('payloadType'),
    nonce: text('nonce'),
    receiver: text('receiver'),
    amount: text('amount'),
    vaultId: text('vaultId'),
    token: text('token'),
    dexBrokerId: text('dexBrokerId'),
  }
  const domain = {
    chainId: text('chainId'),
    verifyingContract: requiredText(fields, 'verifyingContract'),
  }
  try {
    return typedDataDigest('DexRequest', signed, domain)
  } catch (error) {
    if (error instanceof RangeError) throw refusal('parameter', error.message)
    throw error
  }
}

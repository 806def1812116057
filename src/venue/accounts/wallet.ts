import { isAddress } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import { OFF_CHAIN_CONTRACT, typedDataDigest } from '../../crypto/typed-data.ts'
import { recoverSigner } from '../../crypto/wallet-signature.ts'
import { clockOf, EXCHANGE_LIMITS, type Moment } from '../exchange/limits.ts'
import { choiceField, type Fields, requiredText } from '../wire/body.ts'
import { refusal } from '../wire/refusals.ts'

export type WalletMessage = {
  /** Lower case. */
  readonly address: string
  readonly brokerId: string
  readonly message: Fields
  /** What it is now on the clock that the message was written by: the venue's, or the wall's. */
  readonly clockMs: number
}

/**
 * Opens a wallet-signed body `{message, signature, userAddress}` and proves that the wallet signed this very message
 * (EIP-712, off-chain domain) within the last or next 300 s of either clock. Throws -1005 when it is malformed or stale, 9 when the
 * signature is another wallet's.
 */
export function openMessage(
  struct: keyof typeof DIGESTS,
  fields: Fields,
  moment: Moment,
): WalletMessage {
  const message = fields['message']
  if (!isObject(message)) throw refusal('parameter', 'message is required')
  const address = requiredText(fields, 'userAddress').toLowerCase()
  if (!isAddress(address)) throw refusal('parameter', 'userAddress is invalid')
  const brokerId = requiredText(message, 'brokerId', EXCHANGE_LIMITS.brokerIdMaxChars)
  choiceField(message, 'chainType', ['EVM'] as const)
  const signer = recoverSigner(
    digestOrRefusal(() => DIGESTS[struct](message)),
    requiredText(fields, 'signature'),
  )
  if (signer !== address) throw refusal('wallet')
  const clockMs = clockOf(Number(requiredText(message, 'timestamp')), moment)
  if (clockMs === null) throw refusal('parameter', 'timestamp is more than 300 seconds away')
  return { address, brokerId, message, clockMs }
}

const DIGESTS = {
  Registration: (message: Fields) =>
    typedDataDigest(
      'Registration',
      { ...commonOf(message), registrationNonce: requiredText(message, 'registrationNonce') },
      domainOf(message),
    ),
  AddOrderlyKey: (message: Fields) =>
    typedDataDigest(
      'AddOrderlyKey',
      {
        ...commonOf(message),
        orderlyKey: requiredText(message, 'orderlyKey'),
        scope: requiredText(message, 'scope'),
        expiration: requiredText(message, 'expiration'),
      },
      domainOf(message),
    ),
} as const

/** What every dated message of a wallet says. */
export function commonOf(message: Fields) {
  return {
    brokerId: requiredText(message, 'brokerId'),
    chainId: requiredText(message, 'chainId'),
    timestamp: requiredText(message, 'timestamp'),
  }
}

function domainOf(message: Fields) {
  return { chainId: requiredText(message, 'chainId'), verifyingContract: OFF_CHAIN_CONTRACT }
}

/** A value that is not of its field's type has no digest. Throws -1005 then. */
export function digestOrRefusal(digest: () => Uint8Array): Uint8Array {
  try {
    return digest()
  } catch (error) {
    if (error instanceof RangeError) throw refusal('parameter', error.message)
    throw error
  }
}

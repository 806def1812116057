import { isAddress, isHash } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import { LEDGER_CONTRACTS, OFF_CHAIN_CONTRACT, typedDataDigest } from '../../crypto/typed-data.ts'
import { isWalletSignature, recoverSigner } from '../../crypto/wallet-signature.ts'
import { clockOf, EXCHANGE_LIMITS, type Moment } from '../exchange/limits.ts'
import type { Profile } from '../exchange/state.ts'
import { choiceField, type Fields, integerField, requiredText } from '../messages/body.ts'
import { refusal } from '../messages/refusals.ts'

type WalletMessage = {
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
function commonOf(message: Fields) {
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
function digestOrRefusal(digest: () => Uint8Array): Uint8Array {
  try {
    return digest()
  } catch (error) {
    if (error instanceof RangeError) throw refusal('parameter', error.message)
    throw error
  }
}

/** What wallets sign to move money, each with its nonce. */
type ConsentStruct = keyof typeof CONSENTS

/** A message that its owner's wallet has signed. */
type Consent = { readonly message: Fields; readonly nonce: number }

/**
 * Opens a body `{message, signature, userAddress, verifyingContract}` and proves that the account's own wallet signed
 * this very message (EIP-712, the ledger's domain) within the last or next 300 s of either clock. Throws -1005 on a
 * malformed one, 29 on another contract, 15 on another broker, 2 on a stale one, 3 on no signature, 9 on another
 * wallet's.
 */
export function openConsent(
  struct: ConsentStruct,
  fields: Fields,
  { address, brokerId }: Profile,
  moment: Moment,
): Consent {
  const { nonceField, isDated, digestOf } = CONSENTS[struct]
  const message = fields['message']
  if (!isObject(message)) throw refusal('parameter', 'message is required')
  const contract = requiredText(fields, 'verifyingContract').toLowerCase()
  if (!LEDGER_CONTRACTS.some((each) => each.toLowerCase() === contract)) throw refusal('contract')
  choiceField(message, 'chainType', ['EVM'] as const)
  if (isDated) checkSigner(message, brokerId, moment)
  const nonce = integerField(message, nonceField, 0, Number.MAX_SAFE_INTEGER)
  if (nonce === undefined) throw refusal('parameter', `${nonceField} is required`)
  const signature = requiredText(fields, 'signature')
  if (!isWalletSignature(signature)) throw refusal('consentSignature')
  const user = requiredText(fields, 'userAddress').toLowerCase()
  const chainId = requiredText(message, 'chainId')
  const signer = recoverSigner(
    digestOrRefusal(() => digestOf(message, { chainId, verifyingContract: contract })),
    signature,
  )
  if (user !== address || signer !== address) throw refusal('wallet')
  return { message, nonce }
}

type Domain = Parameters<typeof typedDataDigest>[2]

/** Of each struct: where its nonce is, whether it names a broker and a time, and what is signed. */
const CONSENTS = {
  Withdraw: {
    nonceField: 'withdrawNonce',
    isDated: true,
    digestOf: (message: Fields, domain: Domain) =>
      typedDataDigest(
        'Withdraw',
        {
          ...commonOf(message),
          receiver: receiverOf(message, isAddress),
          token: requiredText(message, 'token'),
          amount: requiredText(message, 'amount'),
          withdrawNonce: requiredText(message, 'withdrawNonce'),
        },
        domain,
      ),
  },
  SettlePnl: {
    nonceField: 'settleNonce',
    isDated: true,
    digestOf: (message: Fields, domain: Domain) =>
      typedDataDigest(
        'SettlePnl',
        { ...commonOf(message), settleNonce: requiredText(message, 'settleNonce') },
        domain,
      ),
  },
  InternalTransfer: {
    nonceField: 'transferNonce',
    isDated: false,
    digestOf: (message: Fields, domain: Domain) =>
      typedDataDigest(
        'InternalTransfer',
        {
          receiver: receiverOf(message, isHash),
          token: requiredText(message, 'token'),
          amount: requiredText(message, 'amount'),
          transferNonce: requiredText(message, 'transferNonce'),
        },
        domain,
      ),
  },
} as const

function receiverOf(message: Fields, isReceiver: (text: string) => boolean): string {
  const receiver = requiredText(message, 'receiver')
  if (!isReceiver(receiver)) throw refusal('parameter', 'receiver is invalid')
  return receiver
}

function checkSigner(message: Fields, brokerId: string, moment: Moment): void {
  if (requiredText(message, 'brokerId') !== brokerId) throw refusal('broker')
  if (clockOf(Number(requiredText(message, 'timestamp')), moment) === null)
    throw refusal('consentExpired')
}

import {
  LEDGER_CONTRACTS,
  OFF_CHAIN_CONTRACT,
  type StructName,
  typedTextDigest,
  WALLET_STRUCTS,
} from '../../core/crypto/typed-data.ts'
import { isWalletSignature, recoverSigner } from '../../core/crypto/wallet-signature.ts'
import { isAddress } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import type { AccountProfile } from '../exchange/state.ts'
import { choiceField, type Fields, integerField, requiredText } from '../messages/body.ts'
import { type BothClocksTime, EXCHANGE_LIMITS, freshClockMs } from '../messages/limits.ts'
import { refusal } from '../messages/refusals.ts'

/** The `message` of a wallet-signed body. Throws -1005 if it is missing or its chain type is not EVM. */
export function messageIn(fields: Fields): Fields {
  const message = fields['message']
  if (!isObject(message)) throw refusal('parameter', 'message is required')
  choiceField(message, 'chainType', ['EVM'] as const)
  return message
}

/** A wallet's address from a body, in lower case. Throws -1005 if it is missing or malformed. */
export function addressField(fields: Fields, name: string): string {
  const address = requiredText(fields, name).toLowerCase()
  if (!isAddress(address)) throw refusal('parameter', `${name} is invalid`)
  return address
}

/**
 * The wallet that signed the struct in a message (EIP-712, with the domain of a contract); null if the signature is
 * invalid. Throws -1005 if a value has the wrong type for its field.
 */
export function messageSigner(
  struct: StructName,
  message: Fields,
  { verifyingContract, signature }: { verifyingContract: string; signature: string },
): string | null {
  const fieldText = (name: string) => requiredText(message, name)
  try {
    const domain = { chainId: fieldText('chainId'), verifyingContract }
    return recoverSigner(typedTextDigest(struct, fieldText, domain), signature)
  } catch (error) {
    if (error instanceof RangeError) throw refusal('parameter', error.message)
    throw error
  }
}

type WalletMessage = {
  /** Lower-case address. */
  readonly address: string
  readonly brokerId: string
  readonly message: Fields
  /** The current time on the clock by which the message is dated: the venue's, or the wall clock. */
  readonly clockMs: number
}

/**
 * Opens a wallet-signed body `{message, signature, userAddress}`. Verifies that the wallet signed exactly this message
 * (EIP-712, off-chain domain). The message must be dated within 300 s of the venue's clock or the wall clock. Throws
 * -1005 if it is malformed or stale, 9 if another wallet signed.
 */
export function openMessage(
  struct: 'Registration' | 'AddOrderlyKey',
  fields: Fields,
  moment: BothClocksTime,
): WalletMessage {
  const message = messageIn(fields)
  const address = addressField(fields, 'userAddress')
  const brokerId = requiredText(message, 'brokerId', EXCHANGE_LIMITS.brokerIdMaxChars)
  const signature = requiredText(fields, 'signature')
  const signed = { verifyingContract: OFF_CHAIN_CONTRACT, signature }
  if (messageSigner(struct, message, signed) !== address) throw refusal('wallet')
  const clockMs = freshClockMs(Number(requiredText(message, 'timestamp')), moment)
  if (clockMs === null) throw refusal('parameter', 'timestamp is more than 300 seconds away')
  return { address, brokerId, message, clockMs }
}

/** The structs that wallets sign to move money, each with the name of its nonce field. */
const NONCES = {
  Withdraw: 'withdrawNonce',
  SettlePnl: 'settleNonce',
  InternalTransfer: 'transferNonce',
} as const

/** A message that the owner's wallet has signed. */
type Consent = { readonly message: Fields; readonly nonce: number }

/**
 * Opens a body `{message, signature, userAddress, verifyingContract}`. Verifies that the account's wallet signed
 * exactly this message (EIP-712, the ledger's domain). The message must be dated within 300 s of the venue's clock or
 * the wall clock. Throws
 * - -1005: the body is malformed.
 * - 29: the contract is wrong.
 * - 15: the broker is wrong.
 * - 2: the message is stale.
 * - 3: the signature is invalid.
 * - 9: another wallet signed.
 */
export function openConsent(
  struct: keyof typeof NONCES,
  fields: Fields,
  { address, brokerId }: AccountProfile,
  moment: BothClocksTime,
): Consent {
  const message = messageIn(fields)
  const verifyingContract = requiredText(fields, 'verifyingContract').toLowerCase()
  if (!LEDGER_CONTRACTS.some((each) => each.toLowerCase() === verifyingContract))
    throw refusal('contract')
  if (WALLET_STRUCTS[struct].some(({ name }) => name === 'timestamp'))
    checkSigner(message, brokerId, moment)
  const nonce = integerField(message, NONCES[struct], 0, Number.MAX_SAFE_INTEGER)
  if (nonce === undefined) throw refusal('parameter', `${NONCES[struct]} is required`)
  const signature = requiredText(fields, 'signature')
  if (!isWalletSignature(signature)) throw refusal('consentSignature')
  const user = requiredText(fields, 'userAddress').toLowerCase()
  const signer = messageSigner(struct, message, { verifyingContract, signature })
  if (user !== address || signer !== address) throw refusal('wallet')
  return { message, nonce }
}

function checkSigner(message: Fields, brokerId: string, moment: BothClocksTime): void {
  if (requiredText(message, 'brokerId') !== brokerId) throw refusal('broker')
  if (freshClockMs(Number(requiredText(message, 'timestamp')), moment) === null)
    throw refusal('consentExpired')
}

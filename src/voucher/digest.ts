import { fromHex, isAddress, toHex } from '../core/hex.ts'
import { keccak256 } from '../crypto/keccak.ts'
import { VOUCHER_DOMAIN, VOUCHER_FIELDS } from '../spec/voucher.ts'
import type { DepositFacts, PayoutTerms, VoucherRow } from '../store/voucher/port.ts'

/** The values that a voucher's signature covers: seven in the message, two in the domain. */
export type SignedValues = Pick<DepositFacts, 'sourceChainId' | 'sourceVault' | 'depositId'> &
  Pick<DepositFacts, 'recipient' | 'destinationChainId'> &
  PayoutTerms &
  Pick<VoucherRow, 'validUntil'>

/**
 * The 32 bytes that a voucher's signer signs (EIP-712). The domain is that of the redeemer on the destination chain.
 * Throws RangeError when a value is not of its type.
 */
export function voucherDigest(values: SignedValues): Uint8Array {
  const { destinationChainId, redeemer } = values
  const domain = [...DOMAIN_WORDS, wordOf(destinationChainId), wordOf(redeemer)]
  const message = [VOUCHER_HASH, ...VOUCHER_FIELDS.map(({ name }) => wordOf(values[name]))]
  return keccak256(Buffer.concat([DIGEST_PREFIX, hashed(domain), hashed(message)]))
}

/**
 * What the redeemer marks as spent: `keccak256(abi.encode(sourceChainId, sourceVault, depositId))`, as `0x` and hex.
 * Throws RangeError when a value is not of its type.
 */
export function depositKeyOf({
  sourceChainId,
  sourceVault,
  depositId,
}: Pick<DepositFacts, 'sourceChainId' | 'sourceVault' | 'depositId'>): string {
  const words = [sourceChainId, sourceVault, depositId].map(wordOf)
  return `0x${toHex(hashed(words))}`
}

const DIGEST_PREFIX = Uint8Array.of(0x19, 0x01)
const WORD_DIGITS = 64

const VOUCHER_HASH = hashOf(
  `RedemptionVoucher(${VOUCHER_FIELDS.map(({ name, type }) => `${type} ${name}`).join(',')})`,
)
const DOMAIN_WORDS = [
  hashOf('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
  hashOf(VOUCHER_DOMAIN.name),
  hashOf(VOUCHER_DOMAIN.version),
]

function hashOf(text: string): Uint8Array {
  return keccak256(Buffer.from(text))
}

function hashed(words: readonly Uint8Array[]): Uint8Array {
  return keccak256(Buffer.concat([...words]))
}

/** An address (text) or an unsigned integer as its word; a signed value is of no other type. */
function wordOf(value: string | number | bigint): Uint8Array {
  const digits = typeof value === 'string' ? addressDigits(value) : uintDigits(BigInt(value))
  const word = fromHex(digits.padStart(WORD_DIGITS, '0'))
  if (word?.length !== WORD_DIGITS / 2) throw new RangeError('no word of a voucher')
  return word
}

function addressDigits(text: string): string {
  if (!isAddress(text)) throw new RangeError('no address of a voucher')
  return text.slice(2)
}

function uintDigits(value: bigint): string {
  if (value < 0n) throw new RangeError('no unsigned integer of a voucher')
  return value.toString(16)
}

import { toPrefixedHex } from '../core/hex.ts'
import { digestOf, encodeWords } from '../crypto/eip712.ts'
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
  const { destinationChainId: chainId, redeemer: verifyingContract } = values
  return digestOf(
    { name: 'RedemptionVoucher', fields: VOUCHER_FIELDS, values },
    { ...VOUCHER_DOMAIN, chainId, verifyingContract },
  )
}

/**
 * What the redeemer marks as spent: `keccak256(abi.encode(sourceChainId, sourceVault, depositId))`, as `0x` and hex.
 * Throws RangeError when a value is not of its type.
 */
export function depositKeyOf(
  deposit: Pick<DepositFacts, 'sourceChainId' | 'sourceVault' | 'depositId'>,
): string {
  return toPrefixedHex(keccak256(encodeWords(DEPOSIT_FIELDS, deposit)))
}

/** The fields that identify a deposit; the same three open the message that is signed. */
const DEPOSIT_FIELDS = VOUCHER_FIELDS.slice(0, 3)

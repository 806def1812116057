import { VOUCHER_DOMAIN, VOUCHER_FIELDS } from '../../contract/voucher.ts'
import { encodeWords, structMessage } from '../../core/crypto/eip712.ts'
import { keccak256 } from '../../core/crypto/keccak.ts'
import { toPrefixedHex } from '../../core/hex.ts'
import type { DepositFacts, PayoutTerms, VoucherRow } from '../../store/voucher/port.ts'

/** The values that a voucher's signature covers: seven in the message, two in the domain. */
export type SignedValues = Pick<DepositFacts, 'sourceChainId' | 'sourceVault' | 'depositId'> &
  Pick<DepositFacts, 'recipient' | 'destinationChainId'> &
  PayoutTerms &
  Pick<VoucherRow, 'validUntil'>

/** The 32 bytes that a voucher's signature covers: the Keccak-256 of `voucherMessage`. Throws RangeError as `voucherMessage`. */
export function voucherDigest(values: SignedValues): Uint8Array {
  return keccak256(voucherMessage(values))
}

/**
 * The message that a voucher's signer hashes and signs (EIP-712), 66 bytes. The domain names the redeemer on the
 * destination chain. Throws RangeError for a value that does not fit its type.
 */
export function voucherMessage(values: SignedValues): Uint8Array {
  const { destinationChainId: chainId, redeemer: verifyingContract } = values
  return structMessage(
    { name: 'RedemptionVoucher', fields: VOUCHER_FIELDS, values },
    { ...VOUCHER_DOMAIN, chainId, verifyingContract },
  )
}

/**
 * The key that the redeemer contract marks as spent: `keccak256(abi.encode(sourceChainId, sourceVault, depositId))`, as
 * `0x` and hex. Throws RangeError for a value that does not fit its type.
 */
export function toDepositKey(
  deposit: Pick<DepositFacts, 'sourceChainId' | 'sourceVault' | 'depositId'>,
): string {
  return toPrefixedHex(keccak256(encodeWords(DEPOSIT_FIELDS, deposit)))
}

/** The fields that identify a deposit, which are also the first three of the signed message. */
const DEPOSIT_FIELDS = VOUCHER_FIELDS.slice(0, 3)

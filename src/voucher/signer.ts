import { expected } from '../core/loop/guarded.ts'
import { signDigest, walletAddressOf } from '../crypto/wallet-signature.ts'

/** Who signs vouchers: a key in this process, or a machine that keeps one. */
export type VoucherSigner = {
  /** In lower case. */
  readonly address: string
  /** Signs a 32-byte digest as wallets do: `0x` and r, s, v, low s, v 27 or 28. The same digest, the same bytes. */
  readonly sign: (digest: Uint8Array) => Promise<string>
}

/**
 * A signer whose key is in this process. Signs once to warm the curve's tables, which takes some 30 ms the first
 * time. Throws RangeError, without the key, when the 32 bytes are no secp256k1 secret.
 */
export function voucherSigner(secret: Uint8Array): VoucherSigner {
  const address = addressOf(secret)
  signDigest(new Uint8Array(DIGEST_BYTES), secret)
  return { address, sign: async (digest) => signDigest(digest, secret) }
}

const DIGEST_BYTES = 32

function addressOf(secret: Uint8Array): string {
  try {
    return walletAddressOf(secret)
  } catch (error) {
    expected('process', error, Error)
    // The library's message may describe the bytes.
    throw new RangeError('the voucher key is no secp256k1 secret')
  }
}

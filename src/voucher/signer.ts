import { signDigest, walletAddressOf } from '../crypto/wallet-signature.ts'
import type { VoucherSigner } from './ports.ts'

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
  } catch {
    // The library's message may describe the bytes.
    throw new RangeError('the voucher key is no secp256k1 secret')
  }
}

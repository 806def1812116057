import {
  type StructName,
  typedDataDigest,
  WALLET_STRUCTS,
} from '../../../core/crypto/typed-data.ts'
import { signDigest, toWalletAddress } from '../../../core/crypto/wallet-signature.ts'
import { fromHex, toHex } from '../../../core/hex.ts'
import { memberText, memberValue, readExact } from '../../common/exact-json.ts'

/**
 * Makes a wallet from the browser's random numbers, or from an existing secret. The secret is plain bytes in memory;
 * the stored copy is encrypted.
 */
export function newThrowAwayWallet(
  secret: Uint8Array = crypto.getRandomValues(new Uint8Array(32)),
) {
  return {
    address: toWalletAddress(secret),
    /** The wallet's secret in hexadecimal digits, for the user to save. */
    readSecret: () => toHex(secret),
    /**
     * Signs an EIP-712 document. Throws RangeError for an unknown struct, or if the server's digest differs from the
     * digest computed here.
     */
    signDocument: (typedData: string, digest: string) => {
      const own = documentDigest(typedData)
      if (`0x${toHex(own)}` !== digest || !fromHex(digest)) throw new RangeError('another digest')
      return signDigest(own, secret)
    },
  }
}

/** Computes a document's digest from its fields, because the server's digest is not trusted. */
function documentDigest(typedData: string): Uint8Array {
  const document = readExact(typedData)
  const struct = memberText(document, 'primaryType')
  if (!isStruct(struct)) throw new RangeError('another struct')
  const message = memberValue(document, 'message')
  const values = Object.fromEntries(
    WALLET_STRUCTS[struct].map(({ name }) => [name, memberText(message, name)]),
  )
  const domain = memberValue(document, 'domain')
  // Every field of a struct may be text. A missing field becomes '', and the digest of '' throws.
  return typedDataDigest(struct, values as Parameters<typeof typedDataDigest>[1], {
    chainId: memberText(domain, 'chainId'),
    verifyingContract: memberText(domain, 'verifyingContract'),
  })
}

function isStruct(name: string): name is StructName {
  return Object.hasOwn(WALLET_STRUCTS, name)
}

import { STRUCTS, type StructName, typedDataDigest } from '../../../core/crypto/typed-data.ts'
import { signDigest, toWalletAddress } from '../../../core/crypto/wallet-signature.ts'
import { fromHex, toHex } from '../../../core/hex.ts'
import { memberText, memberValue, readExact } from '../../common/exact-json.ts'

/**
 * Makes a wallet from the browser's random numbers, or from an earlier secret. Its secret is bytes in memory; it is
 * encrypted where it is kept.
 */
export function newThrowAwayWallet(
  secret: Uint8Array = crypto.getRandomValues(new Uint8Array(32)),
) {
  return {
    address: toWalletAddress(secret),
    /** Its secret in hexadecimal digits, for the reader to save. */
    readSecret: () => toHex(secret),
    /** Signs an EIP-712 document. Throws RangeError for a document of another struct, and for another digest. */
    signDocument: (typedData: string, digest: string) => {
      const own = documentDigest(typedData)
      if (`0x${toHex(own)}` !== digest || !fromHex(digest)) throw new RangeError('another digest')
      return signDigest(own, secret)
    },
  }
}

/** The digest of a document, computed here from its fields: the digest that the server sends is not trusted. */
function documentDigest(typedData: string): Uint8Array {
  const document = readExact(typedData)
  const struct = memberText(document, 'primaryType')
  if (!isStruct(struct)) throw new RangeError('another struct')
  const message = memberValue(document, 'message')
  const values = Object.fromEntries(
    STRUCTS[struct].map(({ name }) => [name, memberText(message, name)]),
  )
  const domain = memberValue(document, 'domain')
  // Every field of a struct may be given as text. A missing field is empty, and an empty field has no digest.
  return typedDataDigest(struct, values as Parameters<typeof typedDataDigest>[1], {
    chainId: memberText(domain, 'chainId'),
    verifyingContract: memberText(domain, 'verifyingContract'),
  })
}

function isStruct(name: string): name is StructName {
  return Object.hasOwn(STRUCTS, name)
}

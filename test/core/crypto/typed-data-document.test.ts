import { describe, expect, test } from 'bun:test'
import { TypedDataEncoder, Wallet } from 'ethers'
import fc from 'fast-check'
import { hashTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  OFF_CHAIN_CONTRACT,
  type StructMessage,
  type StructName,
  typedDataDigest,
  typedDataDocument,
} from '../../../src/core/crypto/typed-data.ts'
import { recoverSigner } from '../../../src/core/crypto/wallet-signature.ts'
import { toHex } from '../../../src/core/hex.ts'
import { runs } from '../../runs.ts'
import vectors from '../../vectors/typed-data.json'

const PRIVATE_KEY = `0x${vectors.wallet.secret}` as const
const DOMAIN = { chainId: 42_161, verifyingContract: OFF_CHAIN_CONTRACT }
const { registration, binding } = vectors

const hexOf = (bytes: Uint8Array) => `0x${toHex(bytes)}` as const

const texts = fc.string({ unit: 'binary' })
const domains = fc.record({
  chainId: uints(256),
  verifyingContract: fc.constantFrom(OFF_CHAIN_CONTRACT, vectors.wallet.address),
})

function uints(bits: number) {
  const bigints = fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
  return fc.oneof(bigints, bigints.map(String), fc.maxSafeNat())
}

/** The document as ethers wants it: taken apart, and without the domain's own type. */
function forEthers(document: string) {
  const { domain, types, message } = JSON.parse(document)
  const { EIP712Domain: _, ...structs } = types
  return [domain, structs, message] as const
}

describe('documents', () => {
  test.each(vectors.domainSeparators)('chain $chainId has its separator', (row) => {
    const domain = { ...DOMAIN, chainId: row.chainId }
    const [documented] = forEthers(typedDataDocument('Registration', registration.message, domain))
    expect(TypedDataEncoder.hashDomain(documented)).toBe(row.separator)
  })

  test('a wallet is shown the struct, its types and the domain, and nothing else', () => {
    const message = { ...registration.message, registrationNonce: 194_528_949_540n }
    expect(JSON.parse(typedDataDocument('Registration', message, DOMAIN))).toEqual({
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
        Registration: [
          { name: 'brokerId', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'timestamp', type: 'uint64' },
          { name: 'registrationNonce', type: 'uint256' },
        ],
      },
      primaryType: 'Registration',
      domain: { name: 'Orderly', version: '1', ...DOMAIN },
      message: registration.message,
    })
  })

  test.each([
    ['registration', typedDataDocument('Registration', registration.message, DOMAIN), registration],
    ['key binding', typedDataDocument('AddOrderlyKey', binding.message, DOMAIN), binding],
  ])(
    'ethers and viem sign the %s to the same bytes',
    async (_, document, { digest, signature }) => {
      const ethersSignature = await new Wallet(PRIVATE_KEY).signTypedData(...forEthers(document))
      const viemSignature = await privateKeyToAccount(PRIVATE_KEY).signTypedData(
        JSON.parse(document),
      )
      expect(ethersSignature).toBe(signature)
      expect(viemSignature).toBe(`0x${signature.slice(2)}`)
      const signer = recoverSigner(Uint8Array.fromHex(digest.slice(2)), ethersSignature)
      expect(signer).toBe(vectors.wallet.address)
    },
  )

  hashedAlike(
    'Registration',
    fc.record({
      brokerId: texts,
      chainId: uints(256),
      timestamp: uints(64),
      registrationNonce: uints(256),
    }),
  )
  hashedAlike(
    'AddOrderlyKey',
    fc.record({
      brokerId: texts,
      chainId: uints(256),
      orderlyKey: texts,
      scope: texts,
      timestamp: uints(64),
      expiration: uints(64),
    }),
  )
})

function hashedAlike<S extends StructName>(name: S, messages: fc.Arbitrary<StructMessage<S>>) {
  test(`ethers and viem hash any ${name} as we do`, () => {
    fc.assert(
      fc.property(messages, domains, (message, domain) => {
        const digest = hexOf(typedDataDigest(name, message, domain))
        const document = typedDataDocument(name, message, domain)
        expect(TypedDataEncoder.hash(...forEthers(document))).toBe(digest)
        expect(hashTypedData(JSON.parse(document))).toBe(digest)
      }),
      { numRuns: runs(25) },
    )
  })
}

import { describe, expect, test } from 'bun:test'
import { TypedDataEncoder } from 'ethers'
import fc from 'fast-check'
import { hashTypedData } from 'viem'
import { typedDataDigest, typedDataDocument } from '../../../src/core/crypto/typed-data.ts'
import { toHex } from '../../../src/core/hex.ts'
import { runs } from '../../runs.ts'

const DOMAIN = {
  chainId: 42_161,
  verifyingContract: '0x5355c4fc58355a1935e7b2d5a7f4d0f5a5a5a5a5',
} as const
const MESSAGE = {
  payloadType: 0,
  nonce: '1767312000000161',
  receiver: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  amount: '1000000000',
  vaultId: `0x${'ab'.repeat(32)}`,
  token: 'USDC',
  dexBrokerId: 'demo',
} as const

const FIELDS = [
  { name: 'payloadType', type: 'uint8' },
  { name: 'nonce', type: 'uint256' },
  { name: 'receiver', type: 'address' },
  { name: 'amount', type: 'uint256' },
  { name: 'vaultId', type: 'bytes32' },
  { name: 'token', type: 'string' },
  { name: 'dexBrokerId', type: 'string' },
]

const hexOf = (bytes: Uint8Array) => `0x${toHex(bytes)}`

describe('a request to a vault, as a wallet signs it', () => {
  test('has the digest that two libraries make of its document', () => {
    const property = fc.property(
      fc.integer({ min: 0, max: 255 }),
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.string(),
      (payloadType, amount, dexBrokerId) => {
        const message = { ...MESSAGE, payloadType, amount: String(amount), dexBrokerId }
        const digest = hexOf(typedDataDigest('DexRequest', message, DOMAIN))
        const domain = { name: 'Orderly', version: '1', ...DOMAIN }
        const types = { DexRequest: FIELDS }
        expect(digest).toBe(TypedDataEncoder.hash(domain, types, message))
        const document = JSON.parse(typedDataDocument('DexRequest', message, DOMAIN))
        expect(digest).toBe(hashTypedData(document))
      },
    )
    fc.assert(property, { numRuns: runs(100) })
  })

  test('takes no payload beyond a byte', () => {
    const wide = { ...MESSAGE, payloadType: 256 }
    expect(() => typedDataDigest('DexRequest', wide, DOMAIN)).toThrow('payloadType is no uint8')
  })
})

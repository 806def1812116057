import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { encodeAbiParameters, type Hex, hashTypedData, keccak256, parseAbiParameters } from 'viem'
import { VOUCHER_DOMAIN, VOUCHER_FIELDS } from '../../../src/contract/voucher.ts'
import {
  type SignedValues,
  toDepositKey,
  voucherDigest,
} from '../../../src/gateway/voucher/digest.ts'
import { runs } from '../../runs.ts'

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array): Hex => `0x${array.toHex()}`)
const address = hex(20)
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const chainId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

const values = fc.record({
  sourceChainId: chainId,
  sourceVault: address,
  depositId: uint256,
  recipient: address,
  token: address,
  amount: uint256,
  validUntil: fc.integer({ min: 0, max: 2 ** 40 }),
  destinationChainId: chainId,
  redeemer: address,
})

describe('the digest', () => {
  test('is the one that viem computes from the same document', () => {
    fc.assert(
      fc.property(values, (signed) => {
        const theirs = hashTypedData({
          domain: {
            ...VOUCHER_DOMAIN,
            chainId: signed.destinationChainId,
            verifyingContract: signed.redeemer,
          },
          types: { RedemptionVoucher: VOUCHER_FIELDS },
          primaryType: 'RedemptionVoucher',
          message: {
            ...signed,
            sourceChainId: BigInt(signed.sourceChainId),
            validUntil: BigInt(signed.validUntil),
          },
        })
        expect(`0x${voucherDigest(signed).toHex()}`).toBe(theirs)
      }),
      { numRuns: runs(50) },
    )
  })

  const good: SignedValues = {
    sourceChainId: 901,
    sourceVault: `0x${'1'.repeat(40)}`,
    depositId: 1n,
    recipient: `0x${'2'.repeat(40)}`,
    token: `0x${'3'.repeat(40)}`,
    amount: 5n,
    validUntil: 1_800_000_000,
    destinationChainId: 902,
    redeemer: `0x${'4'.repeat(40)}`,
  }

  test('depends on every value that is signed', () => {
    const digests = new Set([voucherDigest(good).toHex()])
    const others = {
      sourceChainId: 903,
      sourceVault: `0x${'5'.repeat(40)}`,
      depositId: 2n,
      recipient: `0x${'5'.repeat(40)}`,
      token: `0x${'5'.repeat(40)}`,
      amount: 6n,
      validUntil: 1_800_000_001,
      destinationChainId: 903,
      redeemer: `0x${'5'.repeat(40)}`,
    }
    for (const [name, value] of Object.entries(others)) {
      digests.add(voucherDigest({ ...good, [name]: value }).toHex())
    }
    expect(digests.size).toBe(1 + Object.keys(others).length)
  })

  test.each([
    ['an address of 19 bytes', { token: `0x${'3'.repeat(38)}` }],
    ['an address of 32 bytes', { recipient: `0x${'3'.repeat(64)}` }],
    ['no address', { redeemer: '' }],
    ['an integer of 257 bits', { amount: 2n ** 256n }],
    ['a negative integer', { depositId: -1n }],
    ['half a second', { validUntil: 1.5 }],
  ])('of %s does not exist', (_, part) => {
    expect(() => voucherDigest({ ...good, ...part })).toThrow(RangeError)
  })
})

test('the deposit’s key is the hash of chain, vault and id as Solidity encodes them', () => {
  fc.assert(
    fc.property(chainId, address, uint256, (sourceChainId, sourceVault, depositId) => {
      const encoded = encodeAbiParameters(parseAbiParameters('uint256, address, uint256'), [
        BigInt(sourceChainId),
        sourceVault,
        depositId,
      ])
      const key = toDepositKey({ sourceChainId, sourceVault, depositId })
      expect(key).toBe(keccak256(encoded))
    }),
    { numRuns: runs(50) },
  )
})

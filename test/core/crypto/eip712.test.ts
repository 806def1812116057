import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { encodeAbiParameters, type Hex, hashTypedData, keccak256 } from 'viem'
import { encodeWords, structDigest } from '../../../src/core/crypto/eip712.ts'
import { toPrefixedHex } from '../../../src/core/hex.ts'
import { runs } from '../../runs.ts'

const FIELDS = [
  { name: 'receiver', type: 'bytes32' },
  { name: 'wallet', type: 'address' },
  { name: 'token', type: 'string' },
  { name: 'amount', type: 'uint256' },
  { name: 'nonce', type: 'uint64' },
] as const

const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const

const hexes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes): Hex => toPrefixedHex(bytes))
const uints = (bits: bigint) => fc.bigInt({ min: 0n, max: 2n ** bits - 1n })

const messages = fc.record({
  receiver: hexes(32),
  wallet: hexes(20),
  token: fc.string({ unit: 'binary' }),
  amount: uints(256n),
  nonce: uints(64n),
})
const domains = fc.record({
  name: fc.string(),
  version: fc.string(),
  chainId: uints(64n),
  verifyingContract: hexes(20),
})

const GOOD = {
  receiver: `0x${'ab'.repeat(32)}`,
  wallet: `0x${'cd'.repeat(20)}`,
  token: 'USDC',
  amount: 1n,
  nonce: 1n,
}
const DOMAIN = { name: 'Test', version: '1', chainId: 1, verifyingContract: GOOD.wallet }

const digestWith = (changes: Readonly<Record<string, unknown>>) =>
  toPrefixedHex(
    structDigest({ name: 'Transfer', fields: FIELDS, values: { ...GOOD, ...changes } }, DOMAIN),
  )

describe('the digest of a struct', () => {
  test('is the one that viem computes, in any domain', () => {
    fc.assert(
      fc.property(messages, domains, (message, domain) => {
        const types = { EIP712Domain: DOMAIN_FIELDS, Transfer: FIELDS }
        const theirs = hashTypedData({ types, primaryType: 'Transfer', domain, message })
        const ours = structDigest({ name: 'Transfer', fields: FIELDS, values: message }, domain)
        expect(toPrefixedHex(ours)).toBe(theirs)
      }),
      { numRuns: runs(50) },
    )
  })

  test('is the same for an integer as a number, a bigint or text, and for members that are no fields', () => {
    const digest = digestWith({ amount: 7 })
    for (const amount of [7n, '7', '07']) expect(digestWith({ amount, other: 1 })).toBe(digest)
  })
})

describe('a value that is not of its type', () => {
  test.each([
    -1,
    -1n,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    2n ** 256n,
    '',
    '-1',
    '1.0',
    '1e3',
    '0x10',
    ' 1',
    '1\n',
    '٣',
    `${2n ** 256n}`,
    '9'.repeat(100_000),
    undefined,
  ])('%p is no uint256', (amount) => {
    expect(() => digestWith({ amount })).toThrow(new RangeError('amount is no uint256'))
  })

  test('a uint64 ends below 2^64, a uint256 below 2^256', () => {
    expect(digestWith({ amount: 2n ** 256n - 1n, nonce: 2n ** 64n - 1n })).toHaveLength(66)
    expect(() => digestWith({ nonce: 2n ** 64n })).toThrow(new RangeError('nonce is no uint64'))
  })

  test('an address is 20 bytes, a bytes32 is 32', () => {
    const { receiver, wallet } = GOOD
    expect(() => digestWith({ wallet: receiver })).toThrow(new RangeError('wallet is no address'))
    expect(() => digestWith({ receiver: wallet })).toThrow(new RangeError('receiver is no bytes32'))
  })

  test('a text with half a surrogate pair is no string', () => {
    expect(() => digestWith({ token: '\ud800' })).toThrow(new RangeError('token is no string'))
  })
})

test('words stand as Solidity encodes types without a length', () => {
  const fields = FIELDS.filter(({ type }) => type !== 'string')
  fc.assert(
    fc.property(messages, (message) => {
      const { receiver, wallet, amount, nonce } = message
      const theirs = encodeAbiParameters(fields, [receiver, wallet, amount, nonce])
      const ours = encodeWords(fields, message)
      expect(toPrefixedHex(ours)).toBe(theirs)
      expect(keccak256(ours)).toBe(keccak256(theirs))
    }),
    { numRuns: runs(50) },
  )
})

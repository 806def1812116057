import { describe, expect, test } from 'bun:test'
import { keccak256 } from '../../../src/core/crypto/keccak.ts'
import {
  OFF_CHAIN_CONTRACT,
  typedDataDigest,
  typedDataDocument,
} from '../../../src/core/crypto/typed-data.ts'
import { toHex } from '../../../src/core/hex.ts'
import vectors from '../../vectors/typed-data.json'

const DOMAIN = { chainId: 42_161, verifyingContract: OFF_CHAIN_CONTRACT }
const { registration, binding } = vectors

const hexOf = (digest: Uint8Array) => `0x${toHex(digest)}` as const

const MONEY = {
  brokerId: 'woofi_pro',
  chainId: 42_161,
  receiver: vectors.wallet.address,
  token: 'USDC',
  amount: '1000000',
  timestamp: 1_685_973_017_064,
}
const TRANSFER = { ...MONEY, receiver: `0x${'5a'.repeat(32)}`, transferNonce: 1 }

/** One document of each struct. */
const documents = [
  ['Registration', typedDataDocument('Registration', registration.message, DOMAIN)],
  ['AddOrderlyKey', typedDataDocument('AddOrderlyKey', binding.message, DOMAIN)],
  ['Withdraw', typedDataDocument('Withdraw', { ...MONEY, withdrawNonce: 1 }, DOMAIN)],
  ['SettlePnl', typedDataDocument('SettlePnl', { ...MONEY, settleNonce: 1 }, DOMAIN)],
  ['InternalTransfer', typedDataDocument('InternalTransfer', TRANSFER, DOMAIN)],
] as const

describe('digests', () => {
  test('a registration has the digest the venue checks', () => {
    const digest = typedDataDigest('Registration', registration.message, DOMAIN)
    expect(hexOf(digest)).toBe(`0x${registration.digest.slice(2)}`)
  })

  test('a key binding has the digest the venue checks', () => {
    const digest = typedDataDigest('AddOrderlyKey', binding.message, DOMAIN)
    expect(hexOf(digest)).toBe(`0x${binding.digest.slice(2)}`)
  })

  test.each(documents)('%s has the published type hash', (name, document) => {
    const fields: { type: string; name: string }[] = JSON.parse(document).types[name]
    const type = `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`
    expect(hexOf(keccak256(Buffer.from(type)))).toBe(`0x${vectors.typeHashes[name].slice(2)}`)
  })

  test('every published type hash is of a struct here', () => {
    expect(Object.keys(vectors.typeHashes)).toEqual(documents.map(([name]) => name))
  })

  test('one integer has one digest, as a number, a bigint or text', () => {
    const spellings = [194_528_949_540, 194_528_949_540n, '194528949540', '0194528949540']
    for (const registrationNonce of spellings) {
      const message = { ...registration.message, registrationNonce }
      expect(hexOf(typedDataDigest('Registration', message, DOMAIN))).toBe(
        `0x${registration.digest.slice(2)}`,
      )
    }
  })

  test('members outside the struct are not signed, and cannot rename the domain', () => {
    const message = { ...registration.message, chainType: 'EVM' }
    const domain = { ...DOMAIN, name: 'AnotherName', version: '2' }
    expect(hexOf(typedDataDigest('Registration', message, domain))).toBe(
      `0x${registration.digest.slice(2)}`,
    )
    const document = typedDataDocument('Registration', message, domain)
    expect(document).not.toMatch(/chainType|AnotherName/)
  })

  test('every signed value changes the digest', () => {
    const changes = [
      { brokerId: 'demo' },
      { chainId: 1 },
      { orderlyKey: 'ed25519:' },
      { scope: 'read' },
      { timestamp: 1 },
      { expiration: 1 },
    ]
    const digests = changes.map((change) =>
      hexOf(typedDataDigest('AddOrderlyKey', { ...binding.message, ...change }, DOMAIN)),
    )
    const otherChain = { ...DOMAIN, verifyingContract: vectors.wallet.address }
    digests.push(hexOf(typedDataDigest('AddOrderlyKey', binding.message, otherChain)))
    expect(new Set([...digests, binding.digest]).size).toBe(changes.length + 2)
  })
})

describe('values that are not of their type', () => {
  test('make no digest, and no document either', () => {
    for (const registrationNonce of [-1, 2n ** 256n, '1.0']) {
      const message = { ...registration.message, registrationNonce }
      const refusal = new RangeError('registrationNonce is no uint256')
      expect(() => typedDataDigest('Registration', message, DOMAIN)).toThrow(refusal)
      expect(() => typedDataDocument('Registration', message, DOMAIN)).toThrow(refusal)
    }
  })

  test('a domain needs a chain and a contract', () => {
    for (const domain of [
      { ...DOMAIN, chainId: -1 },
      { ...DOMAIN, verifyingContract: '0x' },
    ]) {
      expect(() => typedDataDocument('Registration', registration.message, domain)).toThrow(
        RangeError,
      )
    }
  })
})

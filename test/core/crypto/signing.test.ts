// Slow: the slower of two libraries signs each time.
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import * as ed25519 from '@noble/ed25519'
import fc from 'fast-check'
import { toBase58 } from '../../../src/core/crypto/base58.ts'
import { signedText } from '../../../src/core/crypto/signed-text.ts'
import {
  parsePublicKey,
  parseSignature,
  signText,
  wirePublicKey,
} from '../../../src/core/crypto/signing.ts'
import { toHex } from '../../../src/core/hex.ts'
import { runs } from '../../runs.ts'
import vectors from '../../vectors/signing.json'

ed25519.hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest())

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe('signed text', () => {
  test('is timestamp, method, path and body with nothing in between', () => {
    const request = { timestamp: '1649920583000', method: 'POST', path: '/v1/order?a=b' }
    expect(signedText({ ...request, body: '{"é": 1.50}' })).toBe(
      '1649920583000POST/v1/order?a=b{"é": 1.50}',
    )
    expect(signedText(request)).toBe('1649920583000POST/v1/order?a=b')
    expect(signedText({ ...request, body: undefined })).toBe(signedText(request))
    expect(signedText({ ...request, body: '' })).toBe(signedText(request))
  })

  test('upper-cases the method and touches nothing else', () => {
    const request = { timestamp: '1', method: 'delete', path: '/v1/Order', body: ' Body ' }
    expect(signedText(request)).toBe('1DELETE/v1/Order Body ')
  })
})

describe('signatures', () => {
  test.each(vectors.keys)('the key of $source is $publicKey', ({ secret, publicKey }) => {
    expect(wirePublicKey(Uint8Array.fromHex(secret))).toBe(publicKey)
  })

  test.each(vectors.requests)('$method $path is signed as the venue expects', (request) => {
    const secret = Uint8Array.fromHex(vectors.keys[0]?.secret ?? '')
    expect(signText(signedText(request), secret)).toBe(request.signature)
  })

  test.each(vectors.standard)('$source holds', ({ secret, publicKey, text, signature }) => {
    const signed = parseSignature(signText(text, Uint8Array.fromHex(secret)))
    expect(signed?.toHex()).toBe(signature)
    expect(parsePublicKey(wirePublicKey(Uint8Array.fromHex(secret)))?.toHex()).toBe(publicKey)
  })

  test('node:crypto and noble sign alike', () => {
    fc.assert(
      fc.property(bytes32, fc.string({ unit: 'binary' }), (secret, text) => {
        const ours = parseSignature(signText(text, secret))
        expect(ours?.toHex()).toBe(toHex(ed25519.sign(Buffer.from(text), secret)))
        const key = parsePublicKey(wirePublicKey(secret))
        expect(key?.toHex()).toBe(toHex(ed25519.getPublicKey(secret)))
      }),
      { numRuns: runs(30) },
    )
  })

  test.each([0, 31, 33, 64])('a secret of %d bytes signs nothing', (length) => {
    expect(() => signText('text', new Uint8Array(length))).toThrow(RangeError)
    expect(() => wirePublicKey(new Uint8Array(length))).toThrow(RangeError)
  })
})

describe('public key text', () => {
  const key = wirePublicKey(new Uint8Array(32))

  test('comes back as 32 bytes, and no other text is those bytes', () => {
    const digit = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
    const text = fc.string({ unit: fc.constantFrom(...digit), minLength: 42, maxLength: 45 })
    fc.assert(
      fc.property(text, (base58) => {
        const bytes = parsePublicKey(`ed25519:${base58}`)
        fc.pre(bytes !== null)
        expect(bytes && toBase58(bytes)).toBe(base58)
        expect(bytes).toHaveLength(32)
      }),
    )
  })

  test.each([
    ['no scheme', key.slice(8)],
    ['another scheme', key.replace('ed25519', 'ED25519')],
    ['a zero byte in front', key.replace(':', ':1')],
    ['31 bytes', `ed25519:${toBase58(new Uint8Array(31).fill(7))}`],
    ['33 bytes', `ed25519:${toBase58(new Uint8Array(33).fill(7))}`],
    ['no bytes', 'ed25519:'],
    ['an alien character', `${key.slice(0, -1)}0`],
    ['a space behind', `${key} `],
    ['hex', `ed25519:${'07'.repeat(32)}`],
    ['endless text', `ed25519:${'z'.repeat(100_000)}`],
  ])('%s is malformed', (_, text) => {
    expect(parsePublicKey(text)).toBeNull()
  })
})

describe('signature text', () => {
  const text =
    'tgs5ccpA3HeSy7Bpkg4m6UO7oId8KawI9Z4OFi_897vO86n6hRC-6T_zjgS1M4qnN4ABG4IcHex3iB0VNipnAQ'

  test('any 64 bytes come back from their 86 characters', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (bytes) => {
        const spelled = Buffer.from(bytes).toString('base64url')
        expect(spelled).toHaveLength(86)
        expect(parseSignature(spelled)?.toHex()).toBe(toHex(bytes))
      }),
    )
  })

  test.each([
    ['padding', `${text}==`],
    ['plain base64', text.replace('_', '/').replace('-', '+')],
    ['a bit set beyond the 64th byte', `${text.slice(0, -1)}R`],
    ['63 bytes', text.slice(0, 84)],
    ['a missing character', text.slice(0, -1)],
    ['an excess character', `${text}A`],
    ['a space inside', `${text.slice(0, 40)} ${text.slice(41)}`],
    ['a line feed behind', `${text.slice(0, -1)}\n`],
    ['an alien character', `${text.slice(0, -1)}é`],
    ['hex', 'ab'.repeat(43)],
    ['nothing', ''],
  ])('%s is malformed', (_, spelled) => {
    expect(parseSignature(spelled)).toBeNull()
  })
})

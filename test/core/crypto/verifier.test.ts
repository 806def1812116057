// Slow: each bit of a signature is flipped, for two libraries.
import { describe, expect, test } from 'bun:test'
import { createHash, createPublicKey, verify as verifyOfNode } from 'node:crypto'
import * as ed25519 from '@noble/ed25519'
import fc from 'fast-check'
import { toBase58 } from '../../../src/core/crypto/base58.ts'
import { signText, wirePublicKey } from '../../../src/core/crypto/signing.ts'
import { createVerifier } from '../../../src/core/crypto/verifier.ts'
import { toHex } from '../../../src/core/hex.ts'
import { runs } from '../../runs.ts'
import vectors from '../../vectors/signing.json'

const sha512 = (bytes: Uint8Array) => new Uint8Array(createHash('sha512').update(bytes).digest())
ed25519.hashes.sha512 = sha512

const { Point } = ed25519
const { n: ORDER, p: PRIME } = Point.CURVE()
const IDENTITY = Point.ZERO.toBytes()
const TEXT = '1649920583000GET/v1/positions'

const keyText = (bytes: Uint8Array) => `ed25519:${toBase58(bytes)}`
const signatureText = (...parts: Uint8Array[]) => Buffer.concat(parts).toString('base64url')
const littleEndian = (value: bigint) =>
  Uint8Array.fromHex(value.toString(16).padStart(64, '0')).reverse()
const integerOf = (bytes: Uint8Array) => BigInt(`0x${toHex(bytes.slice().reverse())}`)

/** What node:crypto alone would say, for any 32 bytes of key. */
function nodeAccepts(key: Uint8Array, signature: string): boolean {
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key])
  const parsed = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  return verifyOfNode(null, Buffer.from(TEXT), parsed, Buffer.from(signature, 'base64url'))
}

function nobleAccepts(key: Uint8Array, text: string, signature: string): boolean {
  const bytes = Uint8Array.from(Buffer.from(signature, 'base64url'))
  return ed25519.verify(bytes, Buffer.from(text), key, { zip215: false })
}

/** A point of order eight: what the prime-order part leaves of a point that has both. */
const TORSION = (() => {
  for (let y = 2n; ; y++) {
    try {
      const point = Point.fromBytes(littleEndian(y)).multiplyUnsafe(ORDER - 1n)
      const rest = point.add(Point.fromBytes(littleEndian(y)))
      if (!rest.double().double().is0()) return rest
    } catch {
      // Half of all y are on no point.
    }
  }
})()

const SMALL_ORDER = Array.from({ length: 8 }, (_, count) => {
  let point = Point.ZERO
  for (let added = 0; added < count; added++) point = point.add(TORSION)
  return point
})

/** Signs with a scalar and nonce of our choosing, for keys and commitments that no honest signer has. */
function forge(
  key: ed25519.Point,
  secret: bigint,
  commitment: ed25519.Point,
  nonce: bigint,
  text: string,
) {
  const [keyBytes, commitmentBytes] = [key.toBytes(), commitment.toBytes()]
  const hash = sha512(Buffer.concat([commitmentBytes, keyBytes, Buffer.from(text)]))
  const challenge = integerOf(hash) % ORDER
  const s = littleEndian((nonce + challenge * secret) % ORDER)
  return { signature: signatureText(commitmentBytes, s), challenge }
}

describe('a signature', () => {
  const secret = Uint8Array.fromHex(vectors.keys[0]?.secret ?? '')
  const publicKey = wirePublicKey(secret)
  const signature = signText(TEXT, secret)
  const verifier = createVerifier({ keysMax: 4 })

  test('by the key over the text is valid, as often as it is asked', () => {
    expect(verifier.verify(publicKey, TEXT, signature)).toBe('valid')
    expect(verifier.verify(publicKey, TEXT, signature)).toBe('valid')
  })

  test('over another text, or by another key, is wrong', () => {
    const other = wirePublicKey(new Uint8Array(32))
    expect(verifier.verify(publicKey, `${TEXT} `, signature)).toBe('wrong')
    expect(verifier.verify(publicKey, '', signature)).toBe('wrong')
    expect(verifier.verify(other, TEXT, signature)).toBe('wrong')
  })

  test('with the group order added to S is wrong: RFC 8032 has one S a signature', () => {
    const bytes = Uint8Array.from(Buffer.from(signature, 'base64url'))
    const shifted = integerOf(bytes.slice(32)) + ORDER
    const again = signatureText(bytes.slice(0, 32), littleEndian(shifted))
    expect(verifier.verify(publicKey, TEXT, again)).toBe('wrong')
  })

  test('is as valid for node:crypto as for noble, whatever bit of it flips', () => {
    const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 })
    const bits = fc.nat({ max: 511 })
    fc.assert(
      fc.property(secrets, fc.string({ unit: 'binary' }), bits, (anySecret, text, bit) => {
        const key = wirePublicKey(anySecret)
        const bytes = Buffer.from(signText(text, anySecret), 'base64url')
        expect(verifier.verify(key, text, signatureText(bytes))).toBe('valid')
        expect(nobleAccepts(ed25519.getPublicKey(anySecret), text, signatureText(bytes))).toBe(true)
        const at = bit >> 3
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit & 7)), at)
        expect(verifier.verify(key, text, signatureText(bytes))).toBe('wrong')
        expect(nobleAccepts(ed25519.getPublicKey(anySecret), text, signatureText(bytes))).toBe(
          false,
        )
      }),
      { numRuns: runs(40) },
    )
  })

  test('that is no 64 bytes of canonical base64url is malformed, also under a bad key', () => {
    for (const text of [
      '',
      `${signature}=`,
      `${signature}==`,
      signature.slice(1),
      'A'.repeat(100_000),
    ]) {
      expect(verifier.verify(publicKey, TEXT, text)).toBe('malformed_signature')
      expect(verifier.verify('ed25519:', TEXT, text)).toBe('malformed_signature')
    }
  })
})

describe('a public key', () => {
  const verifier = createVerifier({ keysMax: 2 })
  const trivial = signatureText(IDENTITY, new Uint8Array(32))

  test('equal to the identity is malformed, although node:crypto takes its trivial signature', () => {
    expect(nodeAccepts(IDENTITY, trivial)).toBe(true)
    expect(verifier.verify(keyText(IDENTITY), TEXT, trivial)).toBe('malformed_key')
  })

  test('of any small order is malformed', () => {
    expect(new Set(SMALL_ORDER.map((point) => point.toHex())).size).toBe(8)
    for (const point of SMALL_ORDER) {
      expect(verifier.verify(keyText(point.toBytes()), TEXT, trivial)).toBe('malformed_key')
    }
  })

  test('in an encoding that is not canonical is malformed', () => {
    const beyondPrime = Array.from({ length: 19 }, (_, excess) => PRIME + BigInt(excess))
    const encodings = beyondPrime.map(littleEndian)
    const negativeZero = Uint8Array.from(IDENTITY).fill(0x80, 31)
    for (const bytes of [...encodings, negativeZero, new Uint8Array(32).fill(0xff)]) {
      expect(verifier.verify(keyText(bytes), TEXT, trivial)).toBe('malformed_key')
    }
  })

  test('off the curve is malformed', () => {
    expect(() => Point.fromBytes(littleEndian(2n))).toThrow()
    expect(verifier.verify(keyText(littleEndian(2n)), TEXT, trivial)).toBe('malformed_key')
  })

  test.each(['', 'ed25519:', 'ed25519:0', '11111111111111111111111111111111', 'z'.repeat(100_000)])(
    '%j is malformed',
    (text) => {
      expect(verifier.verify(text, TEXT, trivial)).toBe('malformed_key')
    },
  )

  test('is judged alike when it was forgotten, when it is kept, and when nothing is kept', () => {
    const secrets = Array.from({ length: 5 }, (_, fill) => new Uint8Array(32).fill(fill))
    for (const keysMax of [0, 1, 2, 100]) {
      const small = createVerifier({ keysMax })
      for (const secret of [...secrets, ...secrets, ...secrets]) {
        const signature = signText(TEXT, secret)
        expect(small.verify(wirePublicKey(secret), TEXT, signature)).toBe('valid')
        expect(small.verify(wirePublicKey(secret), 'another', signature)).toBe('wrong')
        expect(small.verify(keyText(IDENTITY), TEXT, trivial)).toBe('malformed_key')
      }
    }
  })
})

describe('a signature by someone who chose key and nonce', () => {
  const verifier = createVerifier({ keysMax: 4 })
  const [secret, nonce] = [12_345n, 67_890n]
  const texts = Array.from({ length: 24 }, (_, count) => `${count}GET/v1/positions`)

  test('under a key of mixed order is valid only by the equation without cofactor', () => {
    const key = Point.BASE.multiply(secret).add(TORSION)
    const commitment = Point.BASE.multiply(nonce)
    const verdicts = texts.map((text) => {
      const { signature, challenge } = forge(key, secret, commitment, nonce, text)
      const verdict = verifier.verify(keyText(key.toBytes()), text, signature)
      expect(verdict).toBe(challenge % 8n === 0n ? 'valid' : 'wrong')
      expect(nobleAccepts(key.toBytes(), text, signature)).toBe(true)
      return verdict
    })
    expect(new Set(verdicts)).toEqual(new Set(['valid', 'wrong']))
  })

  test('with a commitment of mixed or small order is wrong', () => {
    const key = Point.BASE.multiply(secret)
    for (const text of texts.slice(0, 4)) {
      const mixed = Point.BASE.multiply(nonce).add(TORSION)
      for (const { signature } of [
        forge(key, secret, mixed, nonce, text),
        forge(key, secret, TORSION, 0n, text),
      ]) {
        expect(nobleAccepts(key.toBytes(), text, signature)).toBe(true)
        expect(verifier.verify(keyText(key.toBytes()), text, signature)).toBe('wrong')
      }
    }
  })
})

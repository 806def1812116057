import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { signText, wirePublicKey } from '../../../src/core/crypto/signing.ts'
import {
  createVerifiedSignatures,
  verifiedSignatureMemory,
} from '../../../src/core/crypto/verified-signatures.ts'
import { createVerifier } from '../../../src/core/crypto/verifier.ts'
import { runs } from '../../runs.ts'

const SECRET = new Uint8Array(32).fill(7)
const KEY = wirePublicKey(SECRET)
const TEXT = '1649920583000POST/v1/order{"side":"BUY"}'
const SIGNATURE = signText(TEXT, SECRET)
const OTHER_KEY = wirePublicKey(new Uint8Array(32).fill(8))

/** Two verifiers with the same memory, as two threads have them, and what is in it. */
function two() {
  const memory = verifiedSignatureMemory()
  const [first, second] = [0, 1].map(() => createVerifier({ keysMax: 4, memory }))
  if (!first || !second) throw new RangeError('two verifiers')
  return { first, second, verified: createVerifiedSignatures(memory) }
}

describe('verifiers that share memory', () => {
  test('know what one of them found valid, and nothing before', () => {
    const { first, second, verified } = two()
    expect(verified.has(KEY, TEXT, SIGNATURE)).toBe(false)
    expect(first.verify(KEY, TEXT, SIGNATURE)).toBe('valid')
    expect(verified.has(KEY, TEXT, SIGNATURE)).toBe(true)
    expect(second.verify(KEY, TEXT, SIGNATURE)).toBe('valid')
  })

  test('do not verify what is known', () => {
    const { second, verified } = two()
    expect(second.verify(KEY, 'never signed', SIGNATURE)).toBe('wrong')
    verified.add(KEY, 'never signed', SIGNATURE)
    expect(second.verify(KEY, 'never signed', SIGNATURE)).toBe('valid')
    expect(createVerifier({ keysMax: 4 }).verify(KEY, 'never signed', SIGNATURE)).toBe('wrong')
  })

  test('refuse what is wrong or malformed as often as it comes, and never know it', () => {
    const { first, second, verified } = two()
    for (const verifier of [first, second, first]) {
      expect(verifier.verify(KEY, `${TEXT} `, SIGNATURE)).toBe('wrong')
      expect(verifier.verify(OTHER_KEY, TEXT, SIGNATURE)).toBe('wrong')
      expect(verifier.verify('ed25519:', TEXT, SIGNATURE)).toBe('malformed_key')
      expect(verifier.verify(KEY, TEXT, `${SIGNATURE}=`)).toBe('malformed_signature')
    }
    expect(verified.has(KEY, `${TEXT} `, SIGNATURE)).toBe(false)
    expect(verified.has(OTHER_KEY, TEXT, SIGNATURE)).toBe(false)
  })

  test('take no other key, text or signature for one that is known, by whatever character they differ', () => {
    const { first, second } = two()
    expect(first.verify(KEY, TEXT, SIGNATURE)).toBe('valid')
    expect(second.verify(OTHER_KEY, TEXT, SIGNATURE)).toBe('wrong')
    fc.assert(
      fc.property(fc.nat({ max: TEXT.length - 1 }), fc.nat({ max: 84 }), (inText, inSignature) => {
        expect(second.verify(KEY, otherAt(TEXT, inText), SIGNATURE)).toBe('wrong')
        expect(second.verify(KEY, TEXT, otherAt(SIGNATURE, inSignature))).toBe('wrong')
      }),
      { numRuns: runs(100) },
    )
    expect(second.verify(KEY, `${SIGNATURE} ${TEXT}`, SIGNATURE)).toBe('wrong')
  })

  test('forget the oldest of many, which they verify again', () => {
    const { first, second, verified } = two()
    const texts = Array.from({ length: 1100 }, (_, count) => `${count}GET/v1/positions`)
    const signatures = texts.map((text) => signText(text, SECRET))
    const all = texts.map((text, at) => [KEY, text, signatures[at] ?? ''] as const)
    for (const signed of all) expect(first.verify(...signed)).toBe('valid')
    const known = all.filter((signed) => verified.has(...signed)).length
    expect(known).toBeGreaterThan(500)
    expect(known).toBeLessThanOrEqual(1024)
    for (const signed of all) expect(second.verify(...signed)).toBe('valid')
  })
})

/** A text with another character at a place. */
function otherAt(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
}

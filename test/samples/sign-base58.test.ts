import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { toBase58 } from '../../src/core/crypto/base58.ts'

/** The function of the sample, cut out of it: the sample itself is a program that trades. */
const sample = await Bun.file(join(import.meta.dir, '../../config/samples/sign.mjs')).text()
const cut = /const ALPHABET[\s\S]*?\n}\n/.exec(sample)?.[0] ?? ''
const number = /(?:function|const) number[\s\S]*?\n(?:}\n)?/.exec(sample)?.[0] ?? ''
const base58: (bytes: Uint8Array) => string = new Function(`${number}\n${cut}\nreturn base58`)()

test('sign.mjs spells every key as prepd does, also one that begins with zero bytes', () => {
  for (const zeros of [0, 1, 2, 3]) {
    const key = new Uint8Array(32).fill(0xab).fill(0, 0, zeros)
    expect(base58(key)).toBe(toBase58(key))
  }
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(4), (bytes, zeros) => {
      const key = bytes.fill(1).fill(0, 0, zeros)
      expect(base58(key)).toBe(toBase58(key))
    }),
    { numRuns: 20 },
  )
})

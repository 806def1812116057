import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromBase58, toBase58 } from '../../../src/core/crypto/base58.ts'
import { toHex } from '../../../src/core/hex.ts'
import vectors from '../../vectors/base58.json'

describe('base58', () => {
  test.each(vectors)('$hex is written $text and read back', ({ hex, text }) => {
    expect(toBase58(Uint8Array.fromHex(hex))).toBe(text)
    expect(toHex(fromBase58(text) ?? Uint8Array.of(0xbad))).toBe(hex)
  })

  test('bytes come back from their own text, leading zeros included', () => {
    const zeros = fc.nat({ max: 8 }).map((length) => new Uint8Array(length))
    fc.assert(
      fc.property(zeros, fc.uint8Array({ maxLength: 80 }), (leading, rest) => {
        const bytes = Uint8Array.of(...leading, ...rest)
        const read = fromBase58(toBase58(bytes))
        expect(read && toHex(read)).toBe(toHex(bytes))
      }),
    )
  })

  test('no two texts are the same bytes', () => {
    const text = fc.string({
      unit: fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
      maxLength: 128,
    })
    fc.assert(
      fc.property(text, (spelling) => {
        expect(toBase58(fromBase58(spelling) ?? new Uint8Array())).toBe(spelling)
      }),
    )
  })

  test.each(['0', 'O', 'I', 'l', ' 2g', '2g ', '2g\n', '2-g', 'é', '２'])(
    '%j holds an alien character',
    (text) => {
      expect(fromBase58(text)).toBeNull()
    },
  )

  test('a text of 128 characters is read, a longer one is not', () => {
    expect(fromBase58('z'.repeat(128))).not.toBeNull()
    expect(fromBase58('z'.repeat(129))).toBeNull()
    expect(fromBase58('1'.repeat(129))).toBeNull()
  })
})

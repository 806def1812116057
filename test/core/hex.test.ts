import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { getAddress } from 'viem'
import { isEip55, toEip55 } from '../../src/core/crypto/checksum.ts'
import { fromHex, isAddress, isHash, isLowerHex, toHex, toPrefixedHex } from '../../src/core/hex.ts'

/** The examples of ERC-55. */
const CHECKSUMMED = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

const bytes20 = fc.uint8Array({ minLength: 20, maxLength: 20 })

describe('hex', () => {
  test('bytes come back from their own text, in either case, with or without 0x', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = toHex(bytes)
        for (const spelling of [text, `0x${text}`, text.toUpperCase()]) {
          expect(fromHex(spelling)).toEqual(bytes)
        }
        expect(text).toBe(Buffer.from(bytes).toString('hex'))
        expect(toPrefixedHex(bytes)).toBe(`0x${text}`)
        expect(isLowerHex(`0x${text}`)).toBe(true)
      }),
    )
  })

  test.each(['0', '0x0', 'abc', 'zz', '0xgg', '0x0x00', ' 00', '00 ', '00\n', '0X00', '٠٠'])(
    '%j is no hex',
    (text) => {
      expect(fromHex(text)).toBeNull()
    },
  )
})

describe('addresses', () => {
  test('a text is an address when it is 0x and 40 hex characters, whatever their case', () => {
    const address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
    for (const text of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
      expect(isAddress(text)).toBe(true)
    }
    for (const text of [
      address.slice(2),
      address.slice(0, -1),
      `${address}0`,
      `${address}\n`,
      `0X${address.slice(2)}`,
      '',
    ]) {
      expect(isAddress(text)).toBe(false)
    }
  })

  test.each(CHECKSUMMED)('%s carries its checksum', (address) => {
    expect(toEip55(address.toLowerCase())).toBe(address)
    expect(isEip55(address)).toBe(true)
  })

  test('an address in one case has no checksum to break', () => {
    const digits = 'fb6916095ca1df60bb79ce92ce3ea74c37c5d359'
    expect(isEip55(`0x${digits}`)).toBe(true)
    expect(isEip55(`0x${digits.toUpperCase()}`)).toBe(true)
  })

  test('one letter in the wrong case breaks the checksum', () => {
    expect(isEip55('0xFB6916095ca1df60bB79Ce92cE3Ea74c37c5d359')).toBe(false)
    expect(isEip55('0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d35')).toBe(false)
  })

  test('the checksum is the one viem writes', () => {
    fc.assert(
      fc.property(bytes20, (bytes) => {
        const address = `0x${toHex(bytes)}` as const
        expect(toEip55(address)).toBe(getAddress(address))
      }),
    )
  })

  test('what is no address has no checksum', () => {
    expect(() => toEip55('0x1234')).toThrow(RangeError)
  })
})

test.each(['', '0x1', '0xAB', '0X', 'ab', '0xag', '0xab\n'])(
  '%j is no lower-case hex of whole bytes',
  (text) => {
    expect(isLowerHex(text)).toBe(false)
  },
)

test('a hash is 64 characters in any case, and nothing shorter, longer or without 0x', () => {
  const digits = 'aB'.repeat(32)
  expect(isHash(`0x${digits}`)).toBe(true)
  for (const text of [
    digits,
    `0X${digits}`,
    `0x${digits}0`,
    `0x${digits.slice(1)}`,
    `0x${digits}\n`,
  ]) {
    expect(isHash(text)).toBe(false)
  }
})

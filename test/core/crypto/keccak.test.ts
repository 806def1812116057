import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { keccak256 as keccakOfViem } from 'viem'
import { functionSelector, keccak256, keccakOfText } from '../../../src/core/crypto/keccak.ts'
import { toHex } from '../../../src/core/hex.ts'

describe('keccak256', () => {
  test('nothing hashes to the constant every Ethereum client knows', () => {
    const hash = toHex(keccak256(new Uint8Array()))
    expect(hash).toBe('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
    expect(hash).not.toBe(new Bun.CryptoHasher('sha3-256').update('').digest('hex'))
  })

  test('any bytes hash as viem hashes them, across block boundaries', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(`0x${toHex(keccak256(bytes))}`).toBe(keccakOfViem(bytes))
      }),
    )
  })
})

test('of a text is that of its UTF-8 bytes, and a selector its first four', () => {
  const transfer = 'a9059cbb2ab09eb219583f4a59a5d0623ade346d962bcd4e46b11da047c9049b'
  expect(keccakOfText('transfer(address,uint256)')).toBe(`0x${transfer}`)
  expect(functionSelector('transfer(address,uint256)')).toBe('0xa9059cbb')
  expect(keccakOfText('é')).toBe(`0x${keccak256(Uint8Array.of(0xc3, 0xa9)).toHex()}`)
})

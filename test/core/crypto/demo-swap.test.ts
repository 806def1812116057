import { expect, test } from 'bun:test'
import { demoTransactionHash } from '../../../src/core/crypto/demo-swap.ts'

test('the hash is the Keccak-256 of the bytes, whatever the case of their hex', () => {
  const empty = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
  expect(demoTransactionHash('0x')).toBe(empty)
  expect(demoTransactionHash('0xAB')).toBe(demoTransactionHash('0xab'))
  expect(demoTransactionHash('0xab')).not.toBe(empty)
})

import { describe, expect, test } from 'bun:test'
import { parseBlock, parseReceipt, quantity } from '../../../src/gateway/voucher/receipt.ts'

const TX = `0x${'1'.repeat(64)}`
const BLOCK = `0x${'2'.repeat(64)}`
const log = {
  address: `0x${'A'.repeat(40)}`,
  topics: [`0x${'B'.repeat(64)}`],
  data: '0xFF',
  logIndex: '0x3',
  transactionHash: TX,
  blockHash: BLOCK,
  removed: false,
}
const EMITTERS = new Set([`0x${'a'.repeat(40)}`])
const receipt = {
  transactionHash: TX,
  blockHash: BLOCK,
  blockNumber: '0x10',
  status: '0x1',
  logs: [log],
  from: 'not read',
}

describe('a receipt', () => {
  test('is read in lower case, without what is not needed', () => {
    expect(parseReceipt(receipt, TX, EMITTERS)).toEqual({
      blockNumber: 16n,
      blockHash: BLOCK,
      succeeded: true,
      logs: [
        {
          address: `0x${'a'.repeat(40)}`,
          topics: [`0x${'b'.repeat(64)}`],
          data: '0xff',
          logIndex: 3,
        },
      ],
    })
    expect(parseReceipt({ ...receipt, status: '0x0' }, TX, EMITTERS)?.succeeded).toBe(false)
    const { removed: _, ...unmarked } = log
    expect(parseReceipt({ ...receipt, logs: [unmarked] }, TX, EMITTERS)?.logs).toHaveLength(1)
  })

  test.each([
    ['nothing', null],
    ['a list', [receipt]],
    ['another transaction', { ...receipt, transactionHash: BLOCK }],
    ['no block', { ...receipt, blockHash: null }],
    ['a short hash', { ...receipt, blockHash: '0x22' }],
    ['a number for a quantity', { ...receipt, blockNumber: 16 }],
    ['a padded quantity', { ...receipt, blockNumber: '0x010' }],
    ['an unknown status', { ...receipt, status: '0x2' }],
    ['a true status', { ...receipt, status: true }],
    ['no status', { ...receipt, status: undefined }],
    ['logs that are no list', { ...receipt, logs: {} }],
    ['more logs than are read', { ...receipt, logs: Array(10_001).fill(log) }],
    ['two logs in one place', { ...receipt, logs: [log, log] }],
    ['logs out of order', { ...receipt, logs: [log, { ...log, logIndex: '0x2' }] }],
  ])('of %s is none', (_, value) => {
    expect(parseReceipt(value, TX, EMITTERS)).toBeNull()
  })

  test.each([
    ['was taken back', { removed: true }],
    ['may have been taken back', { removed: 'false' }],
    ['is of another transaction', { transactionHash: BLOCK }],
    ['is of another block', { blockHash: TX }],
    ['has five topics', { topics: Array(5).fill(TX) }],
    ['has a short topic', { topics: ['0x11'] }],
    ['has half a byte', { data: '0xf' }],
    ['has no place', { logIndex: null }],
    ['has an endless place', { logIndex: `0x${'f'.repeat(20)}` }],
  ])('with a log that %s is none', (_, part) => {
    expect(parseReceipt({ ...receipt, logs: [{ ...log, ...part }] }, TX, EMITTERS)).toBeNull()
  })
})

test.each([
  ['is of another contract', {}],
  ['of another contract was taken back', { removed: true }],
  ['of another contract is malformed', { data: 7, topics: null, logIndex: null }],
  ['has no address', { address: undefined }],
  ['has a long address', { address: `0x${'a'.repeat(64)}` }],
])('a log that %s does not count', (_, part) => {
  const foreign = { ...log, address: `0x${'c'.repeat(40)}`, ...part }
  const bare = parseReceipt({ ...receipt, logs: [log] }, TX, EMITTERS)
  expect(bare?.logs).toHaveLength(1)
  for (const logs of [
    [foreign, log],
    [log, foreign],
  ])
    expect(parseReceipt({ ...receipt, logs }, TX, EMITTERS)).toEqual(bare)
})

test('a block has number, hash and time, or is none', () => {
  const block = { number: '0x5', hash: BLOCK, timestamp: '0x6' }
  expect(parseBlock(block)).toEqual({ number: 5n, hash: BLOCK, timestampSeconds: 6n })
  for (const name of ['number', 'hash', 'timestamp'])
    expect(parseBlock({ ...block, [name]: null })).toBeNull()
  expect(parseBlock(null)).toBeNull()
})

test.each([
  ['0x0', 0n],
  ['0xF', 15n],
  [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
  [`0x1${'f'.repeat(64)}`, null],
  ['0x', null],
  ['0x00', null],
  ['5', null],
  ['', null],
  [5, null],
])('%p as a quantity is %p', (text, value) => {
  expect(quantity(text)).toBe(value)
})

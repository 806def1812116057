import { expect, test } from 'bun:test'
import { createScrub } from '../../../src/gateway/scrub/scrub.ts'
import { issuedAnswer, pendingAnswer } from '../../../src/gateway/voucher/answer.ts'
import type { VoucherRow } from '../../../src/store/voucher/port.ts'
import expected from '../../snapshots/voucher.json'

const scrub = createScrub({ names: [] })
const row: VoucherRow = {
  depositKey: `0x${'1'.repeat(64)}`,
  sourceChainId: 901,
  sourceVault: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  depositId: 2n ** 70n,
  txHash: '0x',
  logIndex: 0,
  txDeposits: 1,
  blockNumber: 1n,
  blockHash: '0x',
  depositor: '0x',
  sourceToken: '0x',
  sourceAmount: 1n,
  recipient: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359',
  destinationChainId: 902,
  redeemer: '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb',
  token: '0xd1220a0cf47c7b9be7a2e6ba89f429762e7b9adb',
  amount: 25_000_000n,
  generation: 1,
  validUntil: 1_760_086_400,
  digest: `0x${'2'.repeat(64)}`,
  signature: `0x${'3'.repeat(130)}`,
  signer: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  createdAtMs: 0,
  updatedAtMs: 0,
  redeemableUntil: 1_800_000_000,
  payableUntil: 1_900_000_000,
  hold: null,
  released: false,
}

test('an issued voucher leaves the scrub whole, with exactly these members in this order', () => {
  const { status, reply, headers } = issuedAnswer(scrub, row)
  expect([status, headers]).toEqual([200, { 'cache-control': 'no-store' }])
  expect(reply.text()).toBe(JSON.stringify(expected))
})

test('a voucher without a signature is never answered', () => {
  expect(() => issuedAnswer(scrub, { ...row, signature: null })).toThrow('without a signature')
})

test('a pending deposit says how far it is and when to ask again', () => {
  const { status, reply, headers } = pendingAnswer(scrub, 2n)
  expect([status, reply.text()]).toEqual([202, '{"status":"pending","blocksRemaining":2}'])
  expect(headers).toEqual({ 'cache-control': 'no-store', 'retry-after': '15' })
})

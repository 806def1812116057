import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { payoutKey } from '../../../src/gateway/voucher/config.ts'
import type { VaultDeposit } from '../../../src/gateway/voucher/events.ts'
import { payoutTerms } from '../../../src/gateway/voucher/events.ts'

const [TOKEN, PAID, REDEEMER, USER] = ['0xa', '0xb', '0xc', '0xd']
const deposit: VaultDeposit = {
  logIndex: 0,
  depositId: 1n,
  depositor: USER,
  token: TOKEN,
  amount: 1000n,
  recipient: USER,
  destinationChainId: 902n,
}
const chain = (mul: bigint, div: bigint, max: bigint) => ({
  payouts: new Map([[payoutKey(TOKEN, 902), { redeemer: REDEEMER, token: PAID, mul, div, max }]]),
})

describe('a payout', () => {
  test.each([
    ['one to one', 1n, 1n, 1000n, 1000n],
    ['to more decimals', 10n ** 12n, 1n, 10n ** 20n, 10n ** 15n],
    ['to fewer, floored', 1n, 7n, 1000n, 142n],
    ['of the last unit', 1n, 1000n, 1n, 1n],
    ['of less than a unit', 1n, 1001n, 1n, null],
    ['of the most', 1n, 1n, 1000n, 1000n],
    ['of more than the most', 1n, 1n, 999n, null],
  ] as const)('%s', (_, mul, div, max, amount) => {
    const terms = amount === null ? null : { redeemer: REDEEMER, token: PAID, amount }
    expect(payoutTerms(deposit, chain(mul, div, max))).toEqual(terms)
  })

  test.each([
    ['a token that nobody names', { token: null }],
    ['another token', { token: PAID }],
    ['another destination', { destinationChainId: 903n }],
    ['a destination like another’s end', { destinationChainId: 2n ** 255n }],
    ['nobody', { recipient: `0x${'0'.repeat(40)}` }],
    ['nothing', { amount: 0n }],
  ])('to or of %s there is none', (_, part) => {
    expect(payoutTerms({ ...deposit, ...part }, chain(1n, 1n, 1000n))).toBeNull()
  })

  test('never pays more than the ratio', () => {
    const positive = fc.bigInt({ min: 1n, max: 2n ** 256n })
    fc.assert(
      fc.property(positive, positive, positive, (amount, mul, div) => {
        const terms = payoutTerms({ ...deposit, amount }, chain(mul, div, 2n ** 600n))
        const paid = terms?.amount ?? 0n
        expect(paid * div <= amount * mul && (paid + 1n) * div > amount * mul).toBe(true)
      }),
    )
  })
})

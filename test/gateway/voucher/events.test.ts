import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type DepositRules, parseDeposits } from '../../../src/gateway/voucher/events.ts'
import type { ChainLog } from '../../../src/gateway/voucher/receipt.ts'
import vectors from '../../vectors/voucher.json'

const word = (value: bigint | string) =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0')
const address = (digit: string) => `0x${digit.repeat(40)}`
const [VAULT, TOKEN, OTHER, USER] = [address('a'), address('b'), address('c'), address('d')]
const USDC = `0x${'5'.repeat(64)}`

const OWN: DepositRules = {
  vault: VAULT,
  event: 'Deposit',
  symbols: new Map(),
  destinationChainId: null,
}
const ACCOUNT: DepositRules = {
  vault: VAULT,
  event: 'AccountDepositTo',
  symbols: new Map([[USDC, TOKEN]]),
  destinationChainId: 902,
}

let place = 0
function log(from: string, topics: readonly string[], words: readonly string[]): ChainLog {
  place += 1
  return {
    address: from,
    topics: topics.map((topic) => (topic.startsWith('0x') ? topic : `0x${topic}`)),
    data: `0x${words.join('')}`,
    logIndex: place,
  }
}

const deposit = (part: Partial<ChainLog> = {}): ChainLog => ({
  ...log(
    VAULT,
    [vectors.topics.Deposit, word(7n), word(USER), word(TOKEN)],
    [word(25n), word(OTHER), word(902n)],
  ),
  ...part,
})
const accountDeposit = (amount = 25n): ChainLog =>
  log(
    VAULT,
    [vectors.topics.AccountDepositTo, word(99n), word(USER), word(3n)],
    [word(USDC), word(amount)],
  )
const transfer = (value = 25n, to = VAULT, from = USER, token = TOKEN): ChainLog =>
  log(token, [vectors.topics.Transfer, word(from), word(to)], [word(value)])

const found = (logs: readonly ChainLog[], rules = OWN) =>
  parseDeposits({ blockNumber: 1n, blockHash: '', succeeded: true, logs }, rules)

describe('the event that states what arrived', () => {
  test('is read field by field', () => {
    const only = deposit()
    expect(found([transfer(), only, transfer()])).toEqual([
      {
        logIndex: only.logIndex,
        depositId: 7n,
        depositor: USER,
        token: TOKEN,
        amount: 25n,
        recipient: OTHER,
        destinationChainId: 902n,
      },
    ])
  })

  const { topics, data } = deposit()
  const [event = '', id = '', user = '', token = ''] = topics
  test.each([
    ['another contract', { address: OTHER }],
    ['a token that is paid for', { address: TOKEN }],
    ['another event', { topics: [vectors.topics.AccountDepositTo, id, user, token] }],
    ['no topic', { topics: [] }],
    ['three topics', { topics: [event, id, user] }],
    ['95 bytes', { data: data.slice(0, -2) }],
    ['97 bytes', { data: `${data}00` }],
    ['64 bytes', { data: data.slice(0, -64) }],
    ['128 bytes', { data: `${data}${word(0n)}` }],
    ['no data', { data: '0x' }],
    [
      'a depositor with more than an address',
      { topics: [event, id, `0x1${user.slice(3)}`, token] },
    ],
    ['a token with more than an address', { topics: [event, id, user, `0x${word(2n ** 160n)}`] }],
    ['a recipient with more than an address', { data: `${data.slice(0, 66)}1${data.slice(67)}` }],
  ])('is none with %s', (_, part) => {
    expect(found([deposit(part)])).toEqual([])
  })
})

describe('the event that states what was asked for', () => {
  test('is read with a token and destination of the configuration', () => {
    expect(found([transfer(), accountDeposit()], ACCOUNT)).toMatchObject([
      {
        depositId: 3n,
        depositor: USER,
        recipient: USER,
        token: TOKEN,
        amount: 25n,
        destinationChainId: 902n,
      },
    ])
  })

  test.each([
    ['no transfer', []],
    ['less than was asked', [transfer(24n)]],
    ['more than was asked', [transfer(26n)]],
    ['a transfer to somebody else', [transfer(25n, OTHER)]],
    ['a transfer of the vault to itself', [transfer(25n, VAULT, VAULT)]],
    ['a transfer of another token', [transfer(25n, VAULT, USER, OTHER)]],
  ])('has no token after %s', (_, logs) => {
    expect(found([...logs, accountDeposit()], ACCOUNT)).toMatchObject([{ token: null }])
  })

  test('needs a transfer of its own for each deposit that is alike', () => {
    const two = [accountDeposit(), accountDeposit()]
    expect(found([transfer(), ...two], ACCOUNT).map(({ token }) => token)).toEqual([null, null])
    const tokens = found([transfer(), transfer(), ...two], ACCOUNT).map(({ token }) => token)
    expect(tokens).toEqual([TOKEN, TOKEN])
    const unlike = found(
      [transfer(), transfer(24n), accountDeposit(), accountDeposit(24n)],
      ACCOUNT,
    )
    expect(unlike.map(({ token }) => token)).toEqual([TOKEN, TOKEN])
  })

  test.each([
    ['a nonce of more than 64 bits', 2n ** 64n, 25n],
    ['an amount of more than 128 bits', 3n, 2n ** 128n],
  ])('is none with %s', (_, nonce, amount) => {
    const topics = [vectors.topics.AccountDepositTo, word(99n), word(USER), word(nonce)]
    const bad = log(VAULT, topics, [word(USDC), word(amount)])
    expect(found([transfer(amount), bad], ACCOUNT)).toEqual([])
  })
})

test('no log at all makes a deposit of another vault', () => {
  const hex = (length: number) =>
    fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => bytes.toHex())
  const anything = fc.record({
    address: hex(20).map((text) => `0x${text}`),
    topics: fc.array(
      hex(32).map((text) => `0x${text}`),
      { maxLength: 4 },
    ),
    data: fc
      .integer({ min: 0, max: 200 })
      .chain(hex)
      .map((text) => `0x${text}`),
    logIndex: fc.nat(),
  })
  fc.assert(fc.property(anything, (any) => expect(found([any])).toEqual([])))
  fc.assert(
    fc.property(anything, (any) => {
      const sold = found([
        { ...any, address: VAULT, topics: [vectors.topics.Deposit, ...any.topics] },
      ])
      expect(sold.length === 0 || any.data.length === 194).toBe(true)
    }),
  )
})

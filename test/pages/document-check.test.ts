import { describe, expect, test } from 'bun:test'
import {
  LEDGER_CONTRACTS,
  OFF_CHAIN_CONTRACT,
  typedDataDocument,
} from '../../src/core/crypto/typed-data.ts'
import { memberText, readExact } from '../../src/pages/common/exact-json.ts'
import {
  displayDecimal,
  finePercent,
  fixedText,
  percent,
  unsignedPercent,
} from '../../src/pages/common/format.ts'
import {
  AlteredDocument,
  checkDocument,
  type DocumentRequest,
} from '../../src/pages/trade/account/document-check.ts'
import { quotient } from '../../src/perp/amounts.ts'

const NOW_MS = 1_800_000_000_000
const KEY = `ed25519:${'1'.repeat(44)}`
const ASKED: DocumentRequest = {
  ...{ kind: 'trading-key', chainId: 42_161, tradingKey: KEY },
  ...{ scope: 'read,trading', expiration: NOW_MS + 86_400_000 },
}

const MESSAGE = {
  ...{ brokerId: 'demo', chainId: 42_161, orderlyKey: KEY, scope: 'read,trading' },
  ...{ timestamp: NOW_MS, expiration: NOW_MS + 86_400_000 },
}

const DOMAIN = { chainId: 42_161, verifyingContract: OFF_CHAIN_CONTRACT }

function documentOf(change: object = {}, chainId = 42_161): string {
  return typedDataDocument('AddOrderlyKey', { ...MESSAGE, ...change }, { ...DOMAIN, chainId })
}

describe('before a wallet signs, the page', () => {
  test('shows the fields of the document that it asked for', () => {
    const { fields } = checkDocument(documentOf(), ASKED, NOW_MS)
    expect(fields.map(([name]) => name)).toEqual(Object.keys(MESSAGE))
  })

  test.each([
    ['another key', documentOf({ orderlyKey: `ed25519:${'2'.repeat(44)}` })],
    ['a wider scope', documentOf({ scope: 'read,trading,asset' })],
    ['a later end', documentOf({ expiration: NOW_MS + 365 * 86_400_000 })],
    ['another chain', documentOf({ chainId: 1 })],
    ['another chain in its domain', documentOf({}, 1)],
    ['an old moment', documentOf({ timestamp: NOW_MS - 400_000 })],
    ['another contract', documentOf().replace(OFF_CHAIN_CONTRACT, `0x${'1'.repeat(40)}`)],
    ['a field besides', documentOf().replace('"brokerId":"demo"', '"brokerId":"demo","amount":1')],
    ['another type', documentOf().replace('"type":"uint64"', '"type":"uint8"')],
    [
      'another struct',
      typedDataDocument('Registration', { ...MESSAGE, registrationNonce: 1 }, DOMAIN),
    ],
    ['no document', 'nothing'],
  ])('refuses %s', (_, typedData) => {
    expect(() => checkDocument(typedData, ASKED, NOW_MS)).toThrow(AlteredDocument)
  })
})

describe('before a wallet moves money, the page', () => {
  const [contract = ''] = LEDGER_CONTRACTS
  const asked = {
    kind: 'withdraw',
    ...{ chainId: 42_161, receiver: `0x${'2'.repeat(40)}`, token: 'USDC' },
    ...{ amount: '25000000', withdrawNonce: 3 },
  } as const
  const withdrawal = (change: object = {}, verifyingContract = contract) => {
    const { kind: _, ...values } = asked
    const message = { brokerId: 'demo', ...values, timestamp: NOW_MS, ...change }
    return typedDataDocument('Withdraw', message, { chainId: 42_161, verifyingContract })
  }

  test('shows the amount, the receiver and the token that it asked for', () => {
    const { fields } = checkDocument(withdrawal(), asked, NOW_MS)
    expect(Object.fromEntries(fields)).toMatchObject({ amount: '25000000', token: 'USDC' })
  })

  test.each([
    ['a larger amount', withdrawal({ amount: '25000001' })],
    ['another receiver', withdrawal({ receiver: `0x${'3'.repeat(40)}` })],
    ['another token', withdrawal({ token: 'ETH' })],
    ['another nonce', withdrawal({ withdrawNonce: 4 })],
    ['an old moment', withdrawal({ timestamp: NOW_MS - 400_000 })],
    ['a contract that checks no money', withdrawal({}, OFF_CHAIN_CONTRACT)],
    ['a strange contract', withdrawal({}, `0x${'1'.repeat(40)}`)],
  ])('refuses %s', (_, typedData) => {
    expect(() => checkDocument(typedData, asked, NOW_MS)).toThrow(AlteredDocument)
  })

  test('refuses a withdrawal for a settlement', () => {
    const settlement = { kind: 'settle', chainId: 42_161, settleNonce: 3 } as const
    expect(() => checkDocument(withdrawal(), settlement, NOW_MS)).toThrow(AlteredDocument)
  })
})

describe('numbers of an answer', () => {
  test('are read as they were written, also inside strings', () => {
    const answer = readExact(
      '{"a":1.50,"b":12345678901234567890,"c":"1 and 2","d":-1e-7,"e":[0.10]}',
    )
    expect(answer).toEqual({
      a: '1.50',
      b: '12345678901234567890',
      c: '1 and 2',
      d: '-1e-7',
      e: ['0.10'],
    })
    expect(memberText(answer, 'b')).toBe('12345678901234567890')
    expect(memberText(answer, '__proto__')).toBe('')
  })

  test.each([
    ['1234567.891', 2, '1,234,567.89'],
    ['-0.005', 2, '−0.01'],
    ['0', 0, '0'],
    ['1e-7', 8, '0.00000010'],
  ])('%s with %p places is %s', (text, places, wanted) => {
    expect(fixedText(displayDecimal(text), places)).toBe(wanted)
  })

  test('as percent keep their sign', () => {
    expect([percent(displayDecimal('0.000123'), 4), percent(displayDecimal('-0.01'))]).toEqual([
      '+0.0123%',
      '−1.00%',
    ])
  })

  test('as percent without a sign have a zero before the point', () => {
    expect([unsignedPercent(0n), unsignedPercent(displayDecimal('0.0004'), 1)]).toEqual([
      '0.00%',
      '0.0%',
    ])
    expect(unsignedPercent(displayDecimal('0.055'), 1)).toBe('5.5%')
  })

  test.each([
    ['a tick of BTC', '0.1', '60034.2', '0.00017%'],
    ['a tick of an index', '0.01', '6512.37', '0.00015%'],
    ['a tick of a coin of five zeros', '0.00000001', '0.00002417', '0.041%'],
    ['a tick of a cheap coin', '0.00001', '0.0812', '0.012%'],
    ['a wide one', '0.0013', '0.0987', '1.32%'],
    ['one below the places there are', '0.00000001', '60034.2', '0.00%'],
    ['none', '0', '1', '0.00%'],
  ])('the spread of %s says how wide it is', (_, gap, price, wanted) => {
    expect(finePercent(quotient(displayDecimal(gap), displayDecimal(price), 'half'))).toBe(wanted)
  })
})

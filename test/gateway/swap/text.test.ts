import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOSTS, NAMES, PHRASES } from '../../../src/contract/scrub-lists.ts'
import {
  parseUsd,
  sumUsd,
  toExplorerUrl,
  tokenName,
  tokenUsdText,
  tokenUsdValue,
  toLabel,
  toLogoUrl,
} from '../../../src/gateway/swap/text.ts'

describe('labels', () => {
  test.each([
    '1INCH',
    'SUSHI',
    'ORCA',
    'Curve',
    'Stargate',
    'Polygon',
    'yearn.finance',
    'USD₮0',
    'ETH',
  ])('%s stays as it is', (name) => expect(toLabel(name, 64)).toBe(name))

  test.each([
    'li.fi',
    'https://jumper.exchange/x',
    'LI.FI',
    'Powered by LI.FI',
    'via Relay',
    'app.1inch.io',
    'Squid Router',
    'Li Fi',
  ])('%s, a site or a slogan of a route, is blanked', (name) => expect(toLabel(name, 64)).toBe(''))

  test.each([...HOSTS, ...PHRASES])('%s never is a name', (name) => {
    expect(toLabel(name, 64)).toBe('')
    expect(toLabel(`\u200b${name.toUpperCase()} `, 64)).toBe('')
  })

  test('control and direction characters are dropped, and the rest is cut', () => {
    expect(toLabel('US\u202eDC\u0000\n', 64)).toBe('USDC')
    expect(toLabel('x'.repeat(1000), 32)).toBe('x'.repeat(32))
    expect(toLabel('x'.repeat(1025), 32)).toBe('')
    expect(toLabel(7, 32)).toBe('')
  })

  // Slow: many long generated texts are checked.
  test('a label is well-formed and short whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        const label = toLabel(text, 32)
        expect(label.length).toBeLessThanOrEqual(32)
        expect(label.isWellFormed()).toBe(true)
        expect(label).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})

describe('a token’s name', () => {
  test.each([
    ['USD Coin', 'USD Coin'],
    ['Wrapped BTC', 'Wrapped BTC'],
    ['ChainLink Token', 'ChainLink Token'],
    ['McDonald iNU', 'McDonald iNU'],
    ['Woofer', 'Woofer'],
    ['Polygon', 'Polygon'],
    ['USD₮0', 'USD₮0'],
    ['Axelar Wrapped USDC', 'Axelar Wrapped USDC'],
    ['USD Coin (Wormhole)', 'USD Coin (Wormhole)'],
    ['USDC (Bridged via LayerZero, Stargate) v2', 'USDC (Bridged via LayerZero, Stargate) v2'],
    ['LI.FI', ''],
    ['LiFi Token', 'LiFi Token'],
    ['li-fi DAO', 'li-fi DAO'],
    ['Sushi Token', 'Sushi Token'],
    ['1inch', ''],
    ['Curve DAO Token', 'Curve DAO Token'],
    ['Squid Router', ''],
    ['', ''],
  ])('%p is shown as %p', (name, shown) => expect(tokenName(name)).toBe(shown))

  test.each([...NAMES, ...PHRASES].filter((venue) => venue !== '0x'))(
    'is not %s as a whole, and is never cut',
    (venue) => {
      for (const name of [venue, venue.toUpperCase(), `(${venue})`])
        expect(tokenName(name)).toBe('')
      for (const name of [`Wrapped ${venue} USD`, `${venue} Token`])
        expect(tokenName(name)).toBe(name)
    },
  )
})

describe('addresses on the web', () => {
  test.each([
    ['https://static.debank.com/image/usdc.png', 'https://static.debank.com/image/usdc.png'],
    ['https://raw.githubusercontent.com/lifinance/types/eth.svg', ''],
    ['https://static.debank.com/lifi/usdc.png', ''],
    ['https://static.debank.com.evil.example/x.png', ''],
    ['https://user@static.debank.com/x.png', ''],
    ['http://static.debank.com/x.png', ''],
    ['https://static.debank.com/x.png?via=1inch', ''],
    ['javascript:alert(1)', ''],
    ['', ''],
    [null, ''],
  ])('the logo %p is %p', (value, logo) => expect(toLogoUrl(value)).toBe(logo))

  test.each([
    ['https://arbiscan.io/', 'https://arbiscan.io'],
    ['https://explorer.example/main', 'https://explorer.example/main'],
    ['https://scan.li.fi', ''],
    ['https://axelarscan.io/', ''],
    ['http://arbiscan.io', ''],
    ['arbiscan.io', ''],
    [undefined, ''],
  ])('the explorer %p is %p', (value, explorer) => expect(toExplorerUrl(value)).toBe(explorer))
})

describe('dollars', () => {
  test.each([
    ['1', '1'],
    ['0.25', '0.25'],
    ['3166.21', '3166.21'],
    [1.5, '1.5'],
    ['0.1234567890123456789', '0.123456789012345678'],
    ['-1', null],
    ['1e3', null],
    ['01', null],
    ['LI.FI', null],
    ['9'.repeat(65), null],
    [Number.NaN, null],
    [undefined, null],
  ])('%p is %p', (value, usd) => expect(parseUsd(value)).toBe(usd))

  test('sums are exact, and what is not known counts as nothing', () => {
    expect(sumUsd([])).toBe('0')
    expect(sumUsd(['0.1', null, '0.2'])).toBe('0.3')
  })

  test('a worth is the amount at the price, with 18 decimals', () => {
    expect(tokenUsdValue(1_500_000n, { decimals: 6, priceUsd: '2' })).toBe(3n * 10n ** 18n)
    expect(tokenUsdValue(1n, { decimals: 6, priceUsd: null })).toBeNull()
    expect(tokenUsdText(1_504_999n, { decimals: 6, priceUsd: '2' })).toBe('3.01')
    expect(tokenUsdText(1n, { decimals: 6, priceUsd: null })).toBeNull()
  })
})

import { describe, expect, test } from 'bun:test'
import { HOSTS, NAMES, PHRASES, URL_PATH_BRANDS } from '../../../src/contract/scrub-lists.ts'
import { createNameTest } from '../../../src/gateway/scrub/venue-name.ts'

const isName = createNameTest([])

describe('a venue’s name', () => {
  test('is every entry of the lists', () => {
    for (const name of [...NAMES, ...PHRASES].filter((name) => name !== '0x')) {
      expect([name, isName(name), isName(name.toUpperCase())]).toEqual([name, true, true])
    }
    for (const host of HOSTS) {
      expect([host, isName(host), isName(`https://a.${host}/`)]).toEqual([host, true, true])
    }
    for (const brand of URL_PATH_BRANDS) {
      expect([brand, isName(`https://code.example/${brand}/x.svg`)]).toEqual([brand, true])
    }
  })

  test.each([
    'LI.FI',
    'Li-Fi',
    ' lifi ',
    'WOOFi Pro',
    'Powered by Orderly',
    'powered_by_orderly_network',
    '0x Protocol',
    '0X',
    '1inch',
    'li.fi',
    'li.fi.',
    'LI.FI:443',
    'app.li.fi/swap?x=1#y',
    'https://li.fi',
    'HTTPS://Explorer.Orderly.Network:8443/tx/0x1',
    'wss://user:word@ws.orderly.org/stream',
    '//li.quest/v1',
    ' https://jumper.exchange/ ',
    'https://raw.githubusercontent.com/lifinance/types/main/eth.svg',
    'http://localhost/LiFinance/x',
  ])('is %p', (value) => {
    expect(isName(value)).toBe(true)
  })

  test.each([
    '',
    ' ',
    '...',
    '—',
    '0x',
    '0xdeadBEEF',
    'Simplified fees',
    'swap via LI.FI',
    'lifis',
    'orderlies',
    'notli.fi',
    'li.fi.example.org',
    'https://example.org/li.fi',
    'https://example.org/?to=li.fi',
    'https://example.org/mylifinance/x',
    'https://example.org/x?lifinance',
    'see https://li.fi for more',
    'mail@li.fi',
    'BTC/USDC',
    '1.5',
    'PERP_WOO_USDC',
    'ed25519:8tm7dnKYkSc3FzgPuJaw1wztr79eeZpN35nHW5pL5XhX',
  ])('is not %p', (value) => {
    expect(isName(value)).toBe(false)
  })

  test.each(['Arbitrum', 'relay', 'Across', 'base', 'Polygon', 'hyperliquid', 'near', 'unit'])(
    'is not %p, which is also a chain, a token or a word',
    (value) => {
      expect(isName(value)).toBe(false)
    },
  )

  test('may be the operator’s own addition, as a name and as a host', () => {
    const own = createNameTest(['Acme Perps', 'Acme.Example', '', '—'])
    for (const value of ['acme-perps', 'acme.example', 'https://x.acme.example/y', 'LiFi']) {
      expect(own(value)).toBe(true)
    }
    for (const value of ['Acme', '', '—', 'https://notacme.example/']) {
      expect(own(value)).toBe(false)
    }
    expect(isName('acme-perps')).toBe(false)
  })

  test('is judged in linear time, however long and odd the text is', () => {
    const long = 100_000
    for (const part of ['a.', '-', 'l-', '//', '@', 'https:', 'w.o.o ']) {
      expect(isName(part.repeat(long))).toBe(false)
      expect(isName(`${part.repeat(long)}!x`)).toBe(false)
    }
  })
})

import { describe, expect, test } from 'bun:test'
import { parseQuery } from '../../../src/core/query.ts'
import { baseAsset, requiredSymbol } from '../../../src/upstream/wire/symbol.ts'

describe('a symbol', () => {
  test.each(['PERP_ETH_USDC', 'PERP_1000PEPE_USDC', 'PERP_A_USDC', `PERP_${'A'.repeat(20)}_USDC`])(
    '%s is one',
    (symbol) => {
      expect(requiredSymbol(parseQuery(`?symbol=${symbol}`))).toBe(symbol)
    },
  )

  test.each([
    '',
    '?symbol=',
    '?symbol=ETH',
    '?symbol=perp_eth_usdc',
    '?symbol=PERP__USDC',
    '?symbol=PERP_ETH_USDT',
    '?symbol=PERP_ETH_USDC_demo',
    '?symbol=PERP_ETH_USDC%0a',
    '?symbol=+PERP_ETH_USDC',
    '?symbol=PERP_ETH_USDC/..',
    `?symbol=PERP_${'A'.repeat(21)}_USDC`,
    '?symbol=PERP_ETH_USDC&symbol=PERP_ETH_USDC',
  ])('%j is none', (search) => {
    expect(() => requiredSymbol(parseQuery(search))).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        meta: {
          parameter: 'symbol',
          reason: expect.stringMatching(/^(?:missing|malformed|repeated)$/),
        },
      }),
    )
  })
})

test('a base stands between the first underscore and the last', () => {
  expect(['PERP_BTC_USDC', 'PERP_1000PEPE_USDC'].map(baseAsset)).toEqual(['BTC', '1000PEPE'])
})

import { describe, expect, test } from 'bun:test'
import { ROUTES, type Route } from '../../src/contract/routes.ts'

const rows: readonly (readonly [string, Route])[] = Object.entries(ROUTES)

// Written down a second time: an answer that the store holds is found again by the same key.
const CACHE_KEYS = {
  catalogue: 'route:catalogue',
  markets: 'route:markets',
  marketRules: 'route:market-rules',
  marketSessions: 'route:market-sessions',
  candles: 'route:candles',
  funding: 'route:funding',
  config: 'route:config',
  tokens: 'route:tokens',
  depositChains: 'route:deposit-chains',
  insuranceFund: 'route:insurance-fund',
  liquidations: 'route:liquidations',
  leaderboard: 'route:leaderboard',
  whales: 'route:leaderboard',
  referralVerify: 'route:referral-verify',
  swapQuote: 'route:swap-quote',
  swapTokens: 'route:swap-tokens',
  swapChains: 'route:swap-chains',
  swapStatus: 'route:swap-status',
}

describe('what is kept', () => {
  test('goes by the key it always had, and nothing else is kept', () => {
    const kept = rows.flatMap(([id, { cacheKey }]) => (cacheKey ? [[id, cacheKey]] : []))
    expect(Object.fromEntries(kept)).toEqual(CACHE_KEYS)
  })

  test('has a key wherever callers may keep it', () => {
    const keyless = rows.filter(([, { lifetime, cacheKey }]) => lifetime && !cacheKey)
    expect(keyless.map(([id]) => id)).toEqual([])
  })
})

describe('what needs no routing', () => {
  const hot = rows.filter(([, row]) => row.hot)

  test('is these eight reads', () => {
    expect(hot.map(([id]) => id)).toEqual([
      'catalogue',
      'markets',
      'marketRules',
      'marketSessions',
      'config',
      'tokens',
      'depositChains',
      'insuranceFund',
    ])
  })

  test('takes no parameters and is kept under a key of its own', () => {
    for (const [id, { method, parameters, lifetime, cacheKey }] of hot) {
      expect([id, method, parameters]).toEqual([id, 'GET', undefined])
      expect(lifetime?.freshSeconds).toBeGreaterThan(0)
      expect(rows.filter(([, other]) => other.cacheKey === cacheKey)).toHaveLength(1)
    }
  })
})

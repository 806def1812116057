import { describe, expect, test } from 'bun:test'
import { nearestSymbol } from '../../../src/agents/views/market.ts'

const SYMBOLS = ['PERP_BTC_USDC', 'PERP_ETH_USDC', 'PERP_SOL_USDC', 'PERP_1000PEPE_USDC']

describe('nearestSymbol', () => {
  test.each([
    'PERP_ETH_USDC',
    'eth',
    'ETH-PERP',
    'eth/usdc',
    'ETHUSDT',
    'perp_eth_usdc',
    'ETH-PERP/USDC',
    'Ethereum',
    ' ETH ',
  ])('%s is one market', (word) => {
    expect(nearestSymbol(word, SYMBOLS)).toEqual({
      exact: 'PERP_ETH_USDC',
      near: ['PERP_ETH_USDC'],
    })
  })

  test.each([
    ['ETHH', ['PERP_ETH_USDC']],
    ['PEPE', ['PERP_1000PEPE_USDC']],
    ['NOTHING', []],
    ['', []],
    ['PERP', []],
  ])('%s is none, and what is near is only suggested', (word, near) => {
    const found = nearestSymbol(word, SYMBOLS)
    expect(found.exact).toBeUndefined()
    expect(found.near).toEqual(near)
  })

  test('a market that is listed under a name is not another market that people call so', () => {
    const listed = ['PERP_ETH_USDC', 'PERP_ETHER_USDC']
    expect(nearestSymbol('ether', listed).exact).toBe('PERP_ETHER_USDC')
    expect(nearestSymbol('ethereum', listed).exact).toBe('PERP_ETH_USDC')
  })
})

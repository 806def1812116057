import { describe, expect, test } from 'bun:test'
import { ToolFailure } from '../../../src/agents/tool.ts'
import { limitsOfHeaders } from '../../../src/http/agent/headers.ts'

const reader = (given: Record<string, string>) => (name: string) => given[name] ?? null

describe('limits', () => {
  test('of headers are read as what they mean', () => {
    const headers = reader({
      'x-max-order-usdc': '250.5',
      'x-allowed-symbols': 'PERP_ETH_USDC,PERP_BTC_USDC',
      'x-read-only': 'on',
      'x-max-daily-usdc': '10',
      'x-max-position-usdc': '0.000007',
      'x-max-loss-usdc': '5',
      'x-max-leverage': '3',
      'x-max-orders-per-minute': '20',
      'x-reduce-only': 'on',
      'x-once-by-client-order-id': 'on',
      'x-expires-at': '2030-01-01T00:00:00Z',
    })
    const limits = {
      maxOrderUsdc: 250_500_000n,
      symbols: ['PERP_ETH_USDC', 'PERP_BTC_USDC'],
      readOnly: true,
      maxDailyUsdc: 10_000_000n,
      maxPositionUsdc: 7n,
      maxLossUsdc: 5_000_000n,
      maxLeverage: 3,
      maxOrdersPerMinute: 20,
      reduceOnly: true,
      onceByClientOrderId: true,
      expiresAtMs: Date.UTC(2030, 0, 1),
    }
    expect(limitsOfHeaders(headers)).toEqual(limits)
  })

  test('that nobody set are absent', () => {
    expect(limitsOfHeaders(reader({}))).toEqual({})
  })

  test('of no symbol and of no money are limits', () => {
    const headers = reader({ 'x-allowed-symbols': 'none', 'x-max-order-usdc': '0' })
    expect(limitsOfHeaders(headers)).toEqual({
      maxOrderUsdc: 0n,
      symbols: [],
    })
  })

  test.each([
    ['x-max-leverage', '0'],
    ['x-max-leverage', '2.5'],
    ['x-max-orders-per-minute', 'ten'],
    ['x-expires-at', '2030'],
    ['x-max-loss-usdc', ''],
    ['x-reduce-only', 'yes'],
  ])('that cannot be read are refused, not ignored: %s: %s', (name, value) => {
    const parse = () => limitsOfHeaders(reader({ [name]: value }))
    expect(parse).toThrow(ToolFailure)
    expect(parse).toThrow(new RegExp(name))
  })
})

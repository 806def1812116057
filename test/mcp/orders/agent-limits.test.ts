import { describe, expect, test } from 'bun:test'
import { limitsOf, limitsOfHeaders } from '../../../src/mcp/orders/agent-limits.ts'
import { createDailySpend } from '../../../src/mcp/orders/daily-spend.ts'
import { ToolFailure } from '../../../src/mcp/tool.ts'

const reader = (given: Record<string, string>) => (name: string) => given[name] ?? null

describe('limits', () => {
  test('of headers are those of the environment, by another name', () => {
    const headers = reader({
      'x-max-order-usdc': '250.5',
      'x-allowed-symbols': 'PERP_ETH_USDC,PERP_BTC_USDC',
      'x-read-only': 'on',
    })
    const limits = {
      maxOrderUsdc: 250_500_000n,
      allowedSymbols: ['PERP_ETH_USDC', 'PERP_BTC_USDC'],
      readOnly: true,
    }
    expect(limitsOfHeaders(headers)).toEqual(limits)
    expect(limitsOf({ limits: { ...limits, maxDailyUsdc: 7n } })).toEqual({
      ...limits,
      maxDailyUsdc: 7n,
    })
  })

  test('that nobody set are absent', () => {
    const none = { maxOrderUsdc: null, maxDailyUsdc: null, allowedSymbols: null, readOnly: false }
    expect(limitsOfHeaders(reader({}))).toEqual({ readOnly: false })
    expect(limitsOf({ limits: none })).toEqual({ readOnly: false })
  })

  test('of no symbol and of no money are limits', () => {
    const headers = reader({ 'x-allowed-symbols': 'none', 'x-max-order-usdc': '0' })
    expect(limitsOfHeaders(headers)).toEqual({
      maxOrderUsdc: 0n,
      allowedSymbols: [],
      readOnly: false,
    })
  })

  test('of a day need a process that lasts as long', () => {
    const parse = () => limitsOfHeaders(reader({ 'x-max-daily-usdc': '10' }))
    expect(parse).toThrow(ToolFailure)
    expect(parse).toThrow(/SERVICE_MAX_DAILY_USDC/)
  })
})

test('the day’s spending starts again at midnight UTC', () => {
  let nowMs = Date.UTC(2026, 0, 1, 23, 59, 59)
  const daily = createDailySpend({ nowMs: () => nowMs })
  expect(daily.spent()).toBe(0n)
  daily.add(5n)
  daily.add(7n)
  daily.add(-2n)
  expect(daily.spent()).toBe(10n)
  nowMs += 1000
  expect(daily.spent()).toBe(0n)
  daily.add(3n)
  expect(daily.spent()).toBe(3n)
})

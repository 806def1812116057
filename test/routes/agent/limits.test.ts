import { describe, expect, test } from 'bun:test'
import { ToolFailure } from '../../../src/mcp/tool.ts'
import { limitsOfHeaders } from '../../../src/routes/agent/headers.ts'

const reader = (given: Record<string, string>) => (name: string) => given[name] ?? null

describe('limits', () => {
  test('of headers are read as what they mean', () => {
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
  })

  test('that nobody set are absent', () => {
    expect(limitsOfHeaders(reader({}))).toEqual({ readOnly: false })
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

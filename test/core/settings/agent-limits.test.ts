import { afterAll, expect, test } from 'bun:test'
import { refusal, running, settingsFolder } from '../../settings-folder.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

const MCP = ['--mode', 'mcp']

test.each([
  ['SERVICE_MAX_ORDER_USDC', 'an amount with at most six decimals, or off'],
  ['SERVICE_MAX_DAILY_USDC', 'an amount with at most six decimals, or off'],
  ['SERVICE_ALLOWED_SYMBOLS', 'markets such as PERP_ETH_USDC, separated by commas, none, or off'],
  ['SERVICE_READ_ONLY', 'on or off'],
])('an empty %s is malformed, and off is no limit', (name, expected) => {
  const line = `prepd: ${name} must be ${expected}`
  expect(refusal(folder.invoke(MCP, { [name]: '' }))).toEqual([line])
  const limitsWith = (env: Record<string, string>) => {
    const invocation = running(folder.invoke(MCP, env))
    return invocation.mode === 'mcp' ? invocation.agent.limits : null
  }
  expect(limitsWith({ [name]: 'off' })).toEqual(limitsWith({}))
})

test('empty credentials are none: a client passes what its user left out', () => {
  const env = { SERVICE_ACCOUNT_ID: '', SERVICE_TRADING_KEY: '', SERVICE_API_URL: '' }
  expect(running(folder.invoke(MCP, env)).mode).toBe('mcp')
})

import { afterAll, expect, test } from 'bun:test'
import { refusal, running, settingsFolder } from '../../settings-folder.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

test.each([
  [{ SERVICE_READ_ONLY: 'true' }, 'SERVICE_READ_ONLY must be on or off'],
  [
    { SERVICE_MAX_ORDER_USDC: '1e3' },
    'SERVICE_MAX_ORDER_USDC must be an amount with at most six decimals, or off',
  ],
  [
    { SERVICE_ALLOWED_SYMBOLS: 'ETH' },
    'SERVICE_ALLOWED_SYMBOLS must be markets such as PERP_ETH_USDC, separated by commas, none, or off',
  ],
  [
    { SERVICE_MAX_ORDER_USD: '5' },
    'SERVICE_MAX_ORDER_USD is not a setting; did you mean SERVICE_MAX_ORDER_USDC?',
  ],
  [
    { SERVICE_READONLY: 'on' },
    'SERVICE_READONLY is not a setting; did you mean SERVICE_READ_ONLY?',
  ],
  [
    { service_max_order_usdc: '5' },
    'service_max_order_usdc is not a setting; did you mean SERVICE_MAX_ORDER_USDC?',
  ],
  [
    { service_max_order_usd: '5' },
    'service_max_order_usd is not a setting; did you mean SERVICE_MAX_ORDER_USDC?',
  ],
  [
    { MAX_ORDER_USDC: '5' },
    'MAX_ORDER_USDC is not a setting; did you mean SERVICE_MAX_ORDER_USDC?',
  ],
  [{ read_only: 'on' }, 'read_only is not a setting; did you mean SERVICE_READ_ONLY?'],
  [
    { 'x-max-order-usdc': '5' },
    'x-max-order-usdc is not a setting; did you mean SERVICE_MAX_ORDER_USDC?',
  ],
  [
    { SERVICE_MAX_ORDER_USDC_FILE: '/run/limit' },
    'SERVICE_MAX_ORDER_USDC_FILE is not a setting; did you mean SERVICE_MAX_ORDER_USDC?',
  ],
])('mcp does not start with a limit that would not hold: %o', (env, line) => {
  expect(refusal(folder.invoke(['--mode', 'mcp'], env))).toEqual([`prepd: ${line}`])
})

test('mcp leaves variables of other programs alone', () => {
  const env = { SERVICE_HOST: '10.0.0.1', SERVICE_NAME: 'web', service_host: 'a', LEVERAGE: '5' }
  expect(running(folder.invoke(['--mode', 'mcp'], env)).mode).toBe('mcp')
})

test.each([
  ['prepd_agent_max_order_usdc', 'PREPD_AGENT_MAX_ORDER_USDC'],
  ['AGENT_MAX_ORDER_USDC', 'PREPD_AGENT_MAX_ORDER_USDC'],
  ['agent_read_only', 'PREPD_AGENT_READ_ONLY'],
])('a server does not start with %s, which would limit no agent', (name, meant) => {
  const line = `prepd: ${name} is not a setting; did you mean ${meant}?`
  expect(refusal(folder.invoke([], { [name]: '10' }))).toEqual([line])
  expect(folder.invoke([], { [meant]: meant.endsWith('ONLY') ? 'on' : '10' }).kind).toBe('run')
  expect(folder.invoke([], { AGENT_NAME: 'a', MAX_ORDER_USDC: '10' }).kind).toBe('run')
})

test('mcp refuses limits of an operator beside a service elsewhere, and takes them without one', () => {
  const limit = { PREPD_AGENT_MAX_ORDER_USDC: '10' }
  const away = { SERVICE_API_URL: 'https://api.example.com' }
  const reason =
    'does not hold beside SERVICE_API_URL, because the operator of that service limits its agents: limit this agent with SERVICE_MAX_ORDER_USDC'
  expect(refusal(folder.invoke(['--mode', 'mcp'], { ...limit, ...away }))).toEqual([
    `prepd: PREPD_AGENT_MAX_ORDER_USDC ${reason}`,
  ])
  const flags = ['--mode', 'mcp', '--agent-max-order-usdc', '10']
  expect(refusal(folder.invoke(flags, away))).toEqual([`prepd: --agent-max-order-usdc ${reason}`])
  const off = { PREPD_AGENT_MAX_ORDER_USDC: 'off' }
  for (const env of [limit, { ...off, ...away }, away])
    expect(running(folder.invoke(['--mode', 'mcp'], env)).mode).toBe('mcp')
})

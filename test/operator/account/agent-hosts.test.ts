import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_HOSTS } from '../../../src/operator/account/hosts.ts'
import { rejection } from '../../rejection.ts'
import { practiceHost, written } from './practice-host.ts'

const host = practiceHost()
const { create, accountsOpened, holding } = host

const cursor = () => join(host.home(), '.cursor', 'mcp.json')

describe('codex', () => {
  const config = () => join(host.home(), '.codex', 'config.toml')
  const read = () => Object(Bun.TOML.parse(readFileSync(config(), 'utf8')))

  test('has its server as a table at the end of its TOML, whose other lines stay', async () => {
    const before = '# mine\nmodel = "x"\n[mcp_servers.other]\ncommand = "y"'
    written(config(), before)
    expect((await create(['--agent', 'codex'])).exitCode).toBe(0)
    expect(readFileSync(config(), 'utf8')).toStartWith(`${before}\n\n[mcp_servers.prepd]\n`)
    const { command, args, env } = read().mcp_servers.prepd
    expect([command, args]).toEqual(['/opt/prepd', ['--mode', 'mcp']])
    expect(await holding(env)).toBe(10_000)
  })

  test.each([
    ['model = ', 'not TOML'],
    ['[mcp_servers.prepd]\ncommand = "x"\n', 'has "prepd" already: --replace replaces it'],
    ['mcp_servers = { other = { command = "y" } }\n', 'cannot be written'],
  ])('is left as it is with %p', async (text, reason) => {
    const opened = await accountsOpened()
    written(config(), text)
    const { lines, exitCode } = await create(['--agent', 'codex'])
    expect([exitCode, lines]).toEqual([64, [expect.stringContaining(reason)]])
    expect(readFileSync(config(), 'utf8')).toBe(text)
    expect(await accountsOpened()).toBe(opened)
  })

  test('has its existing server replaced, with the tables in it, and nothing else', async () => {
    const existing = '[mcp_servers.prepd]\ncommand = "x"\n[mcp_servers."prepd".env]\nA = "b"\n'
    written(config(), `${existing}[mcp_servers.prepd2]\ncommand = "z"\n`)
    expect((await create(['--agent', 'codex', '--replace'])).exitCode).toBe(0)
    const { prepd, prepd2 } = read().mcp_servers
    expect(prepd2).toEqual({ command: 'z' })
    expect(prepd.command).toBe('/opt/prepd')
    expect(prepd.env).not.toHaveProperty('A')
  })
})

test('opencode has one command with its arguments, in the file that is there', async () => {
  const path = written(join(host.home(), '.config/opencode/opencode.jsonc'), '{ /* mine */ }')
  expect((await create(['--agent', 'opencode'])).exitCode).toBe(0)
  const { mcp } = JSON.parse(readFileSync(path, 'utf8').replace('/* mine */', ''))
  const { environment, ...server } = mcp.prepd
  expect(server).toEqual({ type: 'local', command: ['/opt/prepd', '--mode', 'mcp'], enabled: true })
  expect(await holding(environment)).toBe(10_000)
})

test('an entry is replaced where --replace says so, and the rest of the file stays', async () => {
  const path = written(
    cursor(),
    '{\n  "mcpServers": {\n    "prepd": { "command": "x" }, // old\n    "b": {}\n  }\n}\n',
  )
  expect((await create(['--agent', 'cursor', '--replace'])).exitCode).toBe(0)
  const text = readFileSync(path, 'utf8')
  expect(text).toContain('}, // old\n    "b": {}\n  }\n}\n')
  const { prepd } = JSON.parse(text.replace('// old', '')).mcpServers
  expect(prepd.command).toBe('/opt/prepd')
})

test('limits of the command line are in the configuration; without one the answer says so', async () => {
  const free = await create(['--agent', 'cursor'])
  expect(free.lines.join('\n')).toContain('No limit is set')
  const { lines } = await create([
    '--agent',
    'cursor',
    '--replace',
    '--max-order-usdc',
    '50',
    '--reduce-only',
  ])
  expect(lines.join('\n')).not.toContain('No limit is set')
  const { env } = JSON.parse(readFileSync(cursor(), 'utf8')).mcpServers.prepd
  expect(env).toMatchObject({ SERVICE_MAX_ORDER_USDC: '50', SERVICE_REDUCE_ONLY: 'on' })
  const wrong = await rejection(
    create(['--agent', 'cursor', '--replace', '--max-order-usdc', 'much']),
  )
  expect(`${wrong}`).toContain('--max-order-usdc must be an amount')
})

test('two places that Claude Desktop may read on Windows are named, and neither is written', async () => {
  const user = { platform: 'win32', home: host.home(), variables: {} }
  const [usual = '', packaged = ''] =
    AGENT_HOSTS.find(({ name }) => name === 'claude-desktop')?.paths(user) ?? []
  for (const path of [usual, packaged]) writeFileSync(path, '{}')
  const { lines, exitCode } = await create(['--agent', 'claude-desktop'], { user })
  expect(exitCode).toBe(64)
  expect(lines[0]).toContain(`${usual} or ${packaged}`)
  expect([usual, packaged].map((path) => readFileSync(path, 'utf8'))).toEqual(['{}', '{}'])
})

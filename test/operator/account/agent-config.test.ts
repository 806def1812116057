import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ServiceTransport } from '../../../src/agents/client/client.ts'
import { AGENT_HOSTS } from '../../../src/operator/account/hosts.ts'
import { practiceHost, written } from './practice-host.ts'

const host = practiceHost()
const { create, accountsOpened, holding, network } = host

const cursor = () => join(host.home(), '.cursor', 'mcp.json')

test('a practice account is written into the configuration, which keeps what it had; nothing secret is printed', async () => {
  const before = '{\n  // mine\n  "mcpServers": { "other": { "command": "x" } }\n}\n'
  const path = written(cursor(), before)
  const { lines, exitCode } = await create(['--agent', 'cursor'])
  expect(exitCode).toBe(0)
  const after = readFileSync(path, 'utf8')
  expect(after).toContain('// mine')
  const { mcpServers } = JSON.parse(after.replace('// mine', ''))
  expect(mcpServers.other).toEqual({ command: 'x' })
  const { command, args, env } = mcpServers.prepd
  expect([command, args]).toEqual(['/opt/prepd', ['--mode', 'mcp']])
  expect(Object.keys(env)).toEqual(['SERVICE_API_URL', 'SERVICE_ACCOUNT_ID', 'SERVICE_TRADING_KEY'])
  expect(await holding(env)).toBe(10_000)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const [backup = ''] = readdirSync(dirname(path)).filter((name) => name !== basename(path))
  expect(readFileSync(join(dirname(path), backup), 'utf8')).toBe(before)
  expect(statSync(join(dirname(path), backup)).mode & 0o777).toBe(0o600)
  const text = lines.join('\n')
  expect(text).toContain(`under "mcpServers" in ${path}`)
  expect(text).toContain(`To undo: mv "${join(dirname(path), backup)}" "${path}"`)
  expect(text).not.toContain(env.SERVICE_TRADING_KEY)
  expect(text).not.toMatch(/[^x]\b[0-9a-f]{64}\b/)
})

test.each<[string, string, string, object]>([
  ['claude-desktop', '.config/Claude/claude_desktop_config.json', 'mcpServers', {}],
  ['claude-code', '.claude.json', 'mcpServers', { type: 'stdio' }],
  ['cursor', '.cursor/mcp.json', 'mcpServers', {}],
  ['vscode', '.config/Code/User/mcp.json', 'servers', { type: 'stdio' }],
  ['antigravity', '.gemini/config/mcp_config.json', 'mcpServers', {}],
  ['gemini', '.gemini/settings.json', 'mcpServers', {}],
])(
  '%s has its file, made where there is none, in its own form',
  async (name, path, member, more) => {
    const { lines, exitCode } = await create(['--agent', name, '--json'])
    expect(exitCode).toBe(0)
    const whole = join(host.home(), path)
    const config = JSON.parse(readFileSync(whole, 'utf8'))
    expect(Object.keys(config)).toEqual([member])
    const { command, args, env, ...others } = config[member].prepd
    expect([command, args, others]).toEqual(['/opt/prepd', ['--mode', 'mcp'], more])
    expect(await holding(env)).toBe(10_000)
    expect(JSON.parse(lines.join(''))).toMatchObject({
      ...{
        agent: name,
        path: whole,
        member: `${member}.prepd`,
        backup: null,
        undo: `rm "${whole}"`,
      },
      server: { env: { SERVICE_TRADING_KEY: '(secret)' } },
    })
  },
)

test('each system has its own folder of applications', () => {
  const paths = (platform: string, home: string, variables = {}) =>
    AGENT_HOSTS.map(({ paths }) => paths({ platform, home, variables })[0])
  expect(paths('darwin', '/mac')).toEqual([
    '/mac/Library/Application Support/Claude/claude_desktop_config.json',
    '/mac/.claude.json',
    '/mac/.cursor/mcp.json',
    '/mac/Library/Application Support/Code/User/mcp.json',
    '/mac/.codex/config.toml',
    '/mac/.gemini/config/mcp_config.json',
    '/mac/.gemini/settings.json',
    '/mac/.config/opencode/opencode.json',
  ])
  expect(paths('win32', 'C:\\win', { APPDATA: 'D:\\Roaming' })).toEqual([
    'D:\\Roaming\\Claude\\claude_desktop_config.json',
    'C:\\win\\.claude.json',
    'C:\\win\\.cursor\\mcp.json',
    'D:\\Roaming\\Code\\User\\mcp.json',
    'C:\\win\\.codex\\config.toml',
    'C:\\win\\.gemini\\config\\mcp_config.json',
    'C:\\win\\.gemini\\settings.json',
    'C:\\win\\.config\\opencode\\opencode.json',
  ])
  const moved = { XDG_CONFIG_HOME: '/cfg', CLAUDE_CONFIG_DIR: '/claude' }
  expect(paths('linux', '/linux', moved).slice(0, 2)).toEqual([
    '/cfg/Claude/claude_desktop_config.json',
    '/claude/.claude.json',
  ])
})

test('a dry run shows what would be written, and writes and opens nothing', async () => {
  const path = written(cursor(), '{}')
  const opened = await accountsOpened()
  const { lines, exitCode } = await create(['--agent', 'cursor', '--dry-run'])
  expect(exitCode).toBe(0)
  expect(lines.join('\n')).toContain(`Would write "prepd" under "mcpServers" in ${path}`)
  expect(readFileSync(path, 'utf8')).toBe('{}')
  expect(readdirSync(dirname(path))).toEqual(['mcp.json'])
  expect(await accountsOpened()).toBe(opened)
})

test('a configuration behind a link is written where it is, and the key may be in a file of its own', async () => {
  const real = written(join(host.home(), 'dotfiles', 'mcp.json'), '{}')
  mkdirSync(dirname(cursor()))
  symlinkSync(real, cursor())
  const out = join(host.home(), 'key')
  expect((await create(['--agent', 'cursor', '--out', out])).exitCode).toBe(0)
  const { env } = JSON.parse(readFileSync(real, 'utf8')).mcpServers.prepd
  expect(env.SERVICE_TRADING_KEY_FILE).toBe(out)
  expect(env).not.toHaveProperty('SERVICE_TRADING_KEY')
  expect(readFileSync(cursor(), 'utf8')).toBe(readFileSync(real, 'utf8'))
})

describe('nothing is written and no account is opened', () => {
  test.each([
    ['a file that is no JSON', '{"mcpServers": ', 'not a JSON object'],
    ['a file with the server', '{"mcpServers": {"prepd": {}}}', 'has "prepd" already'],
    ['a file that is not UTF-8', '{"a": "\uFFFD"}', 'UTF-8'],
  ])('for %s', async (_, text, reason) => {
    const path = written(cursor(), text)
    const opened = await accountsOpened()
    const { lines, exitCode } = await create(['--agent', 'cursor'])
    expect(exitCode).toBe(64)
    expect(lines).toEqual([expect.stringContaining(reason)])
    expect(lines[0]).toContain(path)
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(readdirSync(dirname(path))).toEqual(['mcp.json'])
    expect(await accountsOpened()).toBe(opened)
  })

  test.each([
    [['--agent', 'curser'], 'did you mean cursor?'],
    [['--dry-run'], '--dry-run goes with --agent'],
  ])('for %p', async (argv, reason) => {
    const { lines, exitCode } = await create(argv)
    expect(exitCode).toBe(64)
    expect(lines.join('\n')).toContain(reason)
  })

  test('on a live venue', async () => {
    const live: ServiceTransport = async (request) => {
      const response = await network(request)
      response.headers.delete('x-prepd-venue')
      return response
    }
    const { lines, exitCode } = await create(['--agent', 'cursor'], { transport: live })
    expect(exitCode).toBe(64)
    expect(lines).toEqual([expect.stringContaining('give it to account bind')])
  })
})

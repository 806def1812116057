import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import type { ServiceTransport } from '../../../src/agents/client/client.ts'
import { toAgentSettings } from '../../../src/core/settings/settings.ts'
import { readAgentEntries } from '../../../src/core/settings/sources.ts'
import { UsageError } from '../../../src/core/settings/usage-error.ts'
import { withKey } from '../../../src/main/keychain.ts'
import type { CommandWorld } from '../../../src/operator/command/command.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { spawnPrepd } from '../../surface/spawned.ts'
import { WALLETS } from '../../surface/wallets.ts'
import { openTarget, type Target } from '../../target.ts'
import { REAL_WORLD } from '../real-world.ts'
import { runCommand } from '../run-command.ts'

let target: Target
let folder: ReturnType<typeof settingsFolder>
let entries: Map<string, string>

beforeAll(async () => {
  target = await openTarget('in process')
})
beforeEach(() => {
  folder = settingsFolder()
  entries = new Map()
})
afterEach(() => folder[Symbol.dispose]())
afterAll(() => target.stop())

/** The keychain of a desktop, which this machine need not have. */
const keychain: CommandWorld['keychain'] = {
  find: async (name) => entries.get(name) ?? null,
  put: async (name, value) => void entries.set(name, value),
  remove: async (name) => void entries.delete(name),
}

const network: ServiceTransport = async (request) => {
  const { pathname, search, port } = new URL(request.url)
  const { method, headers } = request
  const body = method === 'GET' ? null : await request.text()
  const ask = port === '8081' ? target.ops : target.fetch
  return ask(pathname + search, { method, headers, body })
}

const liveNetwork: ServiceTransport = async (request) => {
  const response = await network(request)
  response.headers.delete('x-prepd-venue')
  return response
}

function account(argv: readonly string[], changes: Partial<CommandWorld> = {}) {
  const world = { ...REAL_WORLD, transport: network, keychain, ...changes }
  return runCommand(folder, ['account', ...argv], {}, world)
}

const ACCOUNT_ID = /^SERVICE_ACCOUNT_ID=(0x[0-9a-f]{64})$/m

/** The settings of an agent that was started with these variables. */
const agentOf = (env: Record<string, string>) =>
  toAgentSettings(readAgentEntries(env, folder.files))

describe('account create --keychain', () => {
  test('keeps key and wallet in the keychain, prints neither, and an agent finds the key there', async () => {
    const { lines, exitCode } = await account(['create', '--keychain'])
    const text = lines.join('\n')
    const [, accountId = ''] = ACCOUNT_ID.exec(text) ?? []
    expect([exitCode, [...entries.keys()]]).toEqual([0, [accountId, `${accountId} wallet`]])
    expect(text).toContain('SERVICE_TRADING_KEY=keychain\n')
    expect(text).toContain(`secret in the keychain as ${accountId} wallet`)
    for (const secret of entries.values()) expect(text).not.toContain(secret)
    // What only a shell with the key could do is not offered.
    expect(text).not.toMatch(/x-trading-key|trade#account/)
    const agent = agentOf({ SERVICE_ACCOUNT_ID: accountId, SERVICE_TRADING_KEY: 'keychain' })
    const { secret } = await withKey(agent, keychain)
    expect(secret?.toHex()).toBe(entries.get(accountId) ?? '')
  })

  test('says where the wallet is to programs too', async () => {
    const { lines } = await account(['create', '--keychain', '--json'])
    const { accountId, variables, wallet, ...rest } = JSON.parse(lines.join('\n'))
    expect(variables.SERVICE_TRADING_KEY).toBe('keychain')
    expect(wallet).toMatchObject({ keychain: `${accountId} wallet` })
    expect([wallet.secret, rest.link, rest.linkCommand]).toEqual([undefined, undefined, undefined])
  })

  test.each([
    [
      'has none',
      { put: () => Promise.reject(new UsageError('there is no keychain')) },
      /^there is no keychain$/,
    ],
    ['does not keep anything', { find: async () => null }, /does not keep what it is given$/],
  ])('opens no account where the system %s', async (_, changes, line) => {
    const before = (await account(['list'])).lines
    const refused = await account(['create', '--keychain'], {
      keychain: { ...keychain, ...changes },
    })
    expect(refused.exitCode).toBe(64)
    expect(refused.lines.join()).toMatch(line)
    expect((await account(['list'])).lines).toEqual(before)
  })

  test('and --out exclude each other', async () => {
    for (const argv of [['create'], ['create', '--wallet', WALLETS.viem().address], ['bind']]) {
      const live = { transport: liveNetwork }
      const { lines, exitCode } = await account([...argv, '--keychain', '--out', 'x'], live)
      if (argv.length > 1 || argv[0] === 'bind')
        expect([exitCode, lines]).toEqual([64, ['--keychain and --out exclude each other']])
    }
    expect(await account(['create', '--keychain', '--out', 'x'])).toEqual({
      exitCode: 64,
      lines: ['--keychain and --out exclude each other'],
    })
    expect(existsSync('x')).toBe(false)
  })
})

test('on a live venue the key waits in the keychain until the wallet has signed, and stays there', async () => {
  const live = { transport: liveNetwork }
  const wallet = WALLETS.viem()
  const address = wallet.address.toLowerCase()
  const flags = ['--keychain', '--wallet', wallet.address]
  const none = await account(['bind', ...flags], live)
  expect(none.lines.join()).toStartWith(`nothing waits for a signature of ${address}`)
  const begun = await account(['create', ...flags], live)
  expect([begun.exitCode, [...entries.keys()]]).toEqual([0, [`${address} waiting`]])
  expect(begun.lines.at(-1)).toContain(`--keychain --wallet ${address} --signature 0x…`)
  const sign = async (lines: readonly string[]) => {
    const typedData = lines.find((line) => line.startsWith('{')) ?? ''
    return account(['bind', ...flags, '--signature', await wallet.sign(typedData)], live)
  }
  const bound = await sign((await sign(begun.lines)).lines)
  const [, accountId = ''] = ACCOUNT_ID.exec(bound.lines.join('\n')) ?? []
  expect([bound.exitCode, [...entries.keys()]]).toEqual([0, [accountId]])
  expect(bound.lines).toContain('SERVICE_TRADING_KEY=keychain')
})

test('bind --keychain needs the wallet', async () => {
  expect(await account(['bind', '--keychain'])).toEqual({
    exitCode: 64,
    lines: ['--keychain needs --wallet'],
  })
})

describe('an agent whose key is in the keychain', () => {
  const ID = `0x${'1'.repeat(64)}`

  test.each<[Record<string, string>, RegExp]>([
    [{}, /needs SERVICE_ACCOUNT_ID$/],
    [{ SERVICE_ACCOUNT_ID: ID }, /has no key of 0x1{64}:/],
  ])('%p does not start without one', async (env, line) => {
    const agent = agentOf({ ...env, SERVICE_TRADING_KEY: 'keychain' })
    await expect(withKey(agent, keychain)).rejects.toThrow(line)
  })

  test('says so where the system has no keychain', async () => {
    const agent = spawnPrepd({
      argv: ['--mode', 'mcp'],
      env: {
        SERVICE_ACCOUNT_ID: ID,
        SERVICE_TRADING_KEY: 'keychain',
        // No keyring of a desktop answers, whatever machine this is.
        DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder.path('none')}`,
      },
    })
    const { code, stdout, stderr } = await agent.ended()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^prepd: this system has no keychain that answers \(.+\): on Linux it needs libsecret/,
    )
  })
})

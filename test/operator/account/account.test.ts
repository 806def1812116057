import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createClient, type ServiceTransport } from '../../../src/agents/client/client.ts'
import { wirePublicKey } from '../../../src/core/crypto/signing.ts'
import { fromHex } from '../../../src/core/hex.ts'
import type { CommandWorld } from '../../../src/operator/command/command.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { WALLETS } from '../../surface/wallets.ts'
import { CHEAP_WORLD_VARIABLES, openTarget, type Target } from '../../target.ts'
import { REAL_WORLD } from '../real-world.ts'
import { runCommand } from '../run-command.ts'

const RANDOM = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }
const STRANGER = `0x${'0'.repeat(64)}`

let target: Target
let folder: ReturnType<typeof settingsFolder>

beforeAll(async () => {
  target = await openTarget('in process')
})
beforeEach(() => {
  folder = settingsFolder()
})
afterEach(() => folder[Symbol.dispose]())
afterAll(() => target.stop())

/** The network of a machine on which the target listens where a server does by default. */
const network: ServiceTransport = async (request) => {
  const { pathname, search, port } = new URL(request.url)
  const { method, headers } = request
  const body = method === 'GET' ? null : await request.text()
  const ask = port === '8081' ? target.ops : target.fetch
  return ask(pathname + search, { method, headers, body })
}

/** The same, of a server that does not speak of an embedded venue. */
const liveNetwork: ServiceTransport = async (request) => {
  const response = await network(request)
  response.headers.delete('x-prepd-venue')
  return response
}

function account(argv: readonly string[], changes: Partial<CommandWorld> = {}) {
  const world = { ...REAL_WORLD, transport: network, ...changes }
  return runCommand(folder, ['account', ...argv], CHEAP_WORLD_VARIABLES, world)
}

function shownValue(lines: readonly string[], name: string): string {
  return lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''
}

/** What the account holds, asked with the key that was printed for it. */
async function holding(accountId: string, keyText: string): Promise<unknown> {
  const secret = fromHex(keyText.trim()) ?? new Uint8Array()
  const client = createClient({ baseUrl: 'http://localhost', transport: network, nowMs: Date.now })
  const credentials = { accountId, secret, key: wirePublicKey(secret) }
  const answer = await client.relay(credentials, { method: 'GET', path: '/v1/client/holding' })
  return Object(answer).holding[0].holding
}

describe('on an embedded venue', () => {
  test('a file that is there is not written over, and no account is opened', async () => {
    const out = folder.write('key', 'mine')
    const { lines, exitCode } = await account(['create', '--out', out])
    expect({ lines, exitCode }).toEqual({
      lines: [`--out names a file that is there already: ${out}`],
      exitCode: 64,
    })
    expect(readFileSync(out, 'utf8')).toBe('mine')
    expect((await account(['list'])).lines).toEqual([
      'No account yet: prepd --mode admin account create opens one.',
    ])
  })

  test('programs are told the same as values', async () => {
    const report = async (...argv: string[]) =>
      JSON.parse((await account([...argv, '--json'])).lines.join('\n'))
    const { accountId, variables, wallet } = await report('create')
    expect(await holding(accountId, variables.SERVICE_TRADING_KEY)).toBe(10_000)
    expect(wallet.address).toMatch(/^0x[0-9a-f]{40}$/)
    expect(await report('list')).toMatchObject({
      rows: expect.arrayContaining([expect.objectContaining({ accountId, holdingUsdc: '10000' })]),
    })
    const funded = await report('fund', '--account', accountId, '--usdc', '5')
    expect(funded).toMatchObject({ accountId, holdingUsdc: '10005' })
  })

  test('an account is opened whose printed key signs, with a line for each client', async () => {
    const { lines, exitCode } = await account(['create', '--deposit', '12.5'])
    expect(exitCode).toBe(0)
    expect(lines[0]).toStartWith('# A practice account with 10012.5 USDC. Its key reads and trades')
    expect(shownValue(lines, 'SERVICE_API_URL')).toBe('http://127.0.0.1:8080')
    const [id, key] = ['SERVICE_ACCOUNT_ID', 'SERVICE_TRADING_KEY'].map((name) =>
      shownValue(lines, name),
    )
    expect(await holding(id ?? '', key ?? '')).toBe(10_012.5)
    const clients = lines.filter(
      (line) => line.includes(`SERVICE_ACCOUNT_ID`) && line.includes(' '),
    )
    expect(clients).toHaveLength(7)
    for (const line of clients) expect(line).toContain(key ?? '')
  })

  test('with --out the secrets stand in files of their owner alone, and nowhere else', async () => {
    const out = folder.path('key')
    const { lines, exitCode } = await account(['create', '--out', out])
    expect(exitCode).toBe(0)
    const secrets = [out, `${out}.wallet`].map((path) => {
      expect(statSync(path).mode & 0o777).toBe(0o600)
      return readFileSync(path, 'utf8').trim()
    })
    for (const secret of secrets) {
      expect(secret).toMatch(/^[0-9a-f]{64}$/)
      expect(lines.join('\n')).not.toContain(secret)
    }
    expect(shownValue(lines, 'SERVICE_TRADING_KEY_FILE')).toBe(out)
    expect(await holding(shownValue(lines, 'SERVICE_ACCOUNT_ID'), secrets[0] ?? '')).toBe(10_000)
  })

  test('accounts are listed, shown and funded', async () => {
    const before = (await account(['list'])).lines
    const created = await account(['create'])
    const id = shownValue(created.lines, 'SERVICE_ACCOUNT_ID')
    const funded = await account(['fund', '--account', id, '--usdc', '0.000001'])
    expect(funded.lines.join('\n')).toMatch(/^holdingUsdc +10000\.000001$/m)
    expect((await account(['show', '--account', id])).lines).toEqual(funded.lines)
    const ether = ['fund', '--account', id, '--token', 'ETH', '--amount', '0.5']
    expect((await account(ether)).lines.join('\n')).toMatch(/^ETH +0\.50*$/m)
    expect((await account(['show', '--account', id])).lines.join('\n')).not.toContain('object')
    const listed = (await account(['list'])).lines
    expect(listed).toHaveLength(before.length + 1)
    expect(listed[1]).toMatch(new RegExp(`^${id} +\\d{4}-\\S+ +10000\\.000001 +0 +0$`))
    expect(await holding(id, shownValue(created.lines, 'SERVICE_TRADING_KEY'))).toBe(10_000.000_001)
  })

  test.each([
    { argv: ['show'], line: /^--account must be given/, code: 64 },
    { argv: ['fund', '--account', STRANGER], line: /^--usdc must be given/, code: 64 },
    { argv: ['fund', '--account', STRANGER, '--token', 'ETH'], line: /^--usdc must be/, code: 64 },
    { argv: ['show', '--account', STRANGER], line: /^not_found: /, code: 1 },
    { argv: ['fund', '--account', STRANGER, '--usdc', '1'], line: /^not_found: /, code: 1 },
    { argv: ['fund', '--account', STRANGER, '--usdc', '0'], line: /^invalid_request: /, code: 1 },
    { argv: ['bind', '--out', 'nowhere'], line: /^nothing waits for a signature/, code: 64 },
    { argv: ['list', '--url', 'http://127.0.0.1:9000'], line: /^--ops-url must name/, code: 64 },
  ])('account $argv is answered with a reason', async ({ argv, line, code }) => {
    const { lines, exitCode } = await account(argv)
    expect({ exitCode, count: lines.length }).toEqual({ exitCode: code, count: 1 })
    expect(lines[0]).toMatch(line)
  })

  test('where no server answers, the way out is named', async () => {
    const { lines, exitCode } = await account(['create'], {
      transport: () => Promise.reject(new Error('refused')),
    })
    expect(exitCode).toBe(64)
    expect(lines).toEqual([
      "no prepd answers at http://127.0.0.1:8080: start one, name it with --url, or name an agent's data directory with --data-dir",
    ])
  })

  test('a data directory that no server uses has its accounts too', async () => {
    const directory = folder.path('agent')
    const before = (await account(['list'])).lines
    const created = await account(['create', '--data-dir', directory])
    expect(created.exitCode).toBe(0)
    expect(shownValue(created.lines, 'PREPD_DATA_DIR')).toBe(directory)
    expect(created.lines.join('\n')).not.toContain('SERVICE_API_URL')
    const listed = await account(['list', '--data-dir', directory])
    expect(listed.lines[1]).toContain(shownValue(created.lines, 'SERVICE_ACCOUNT_ID'))
    expect((await account(['list'])).lines).toEqual(before)
  })
})

describe('on a live venue', () => {
  const live = { transport: liveNetwork }

  /** What the command printed for the wallet to sign. */
  const shown = (lines: readonly string[]): string =>
    lines.find((line) => line.startsWith('{')) ?? ''

  test('the owner’s wallet signs twice, and nothing is opened before it does', async () => {
    const wallet = WALLETS.viem()
    const out = folder.path('key')
    const before = (await account(['list'])).lines
    const begun = await account(['create', '--wallet', wallet.address, '--out', out], live)
    expect(begun.exitCode).toBe(0)
    expect(begun.lines[0]).toStartWith('# To open the account')
    expect((await account(['list'])).lines).toEqual(before)

    const bind = async (typedData: string) =>
      account(['bind', '--out', out, '--signature', await wallet.sign(typedData)], live)
    const registered = await bind(shown(begun.lines))
    expect(registered.lines[0]).toStartWith('# To bind the trading key for a year')
    const again = await account(['bind', '--out', out], live)
    expect(shown(again.lines)).not.toBe('')
    const bound = await bind(shown(again.lines))
    expect(bound.exitCode).toBe(0)
    expect(shownValue(bound.lines, 'SERVICE_TRADING_KEY_FILE')).toBe(out)
    const secret = readFileSync(out, 'utf8')
    expect(await holding(shownValue(bound.lines, 'SERVICE_ACCOUNT_ID'), secret)).toBe(10_000)
    expect(existsSync(`${out}.pending`)).toBe(false)
    const all = [begun, registered, again, bound].flatMap(({ lines }) => lines).join('\n')
    expect(all).not.toContain(secret.trim())
  })

  test('another wallet’s signature is refused here, and sent nowhere', async () => {
    const out = folder.path('key')
    const begun = await account(
      ['create', '--wallet', WALLETS.ethers().address, '--out', out],
      live,
    )
    const signature = await WALLETS.ethers().sign(shown(begun.lines))
    const refused = await account(['bind', '--out', out, '--signature', signature], {
      transport: (request) => {
        if (request.method === 'POST') throw new Error('sent')
        return liveNetwork(request)
      },
    })
    expect(refused.exitCode).toBe(64)
    expect(refused.lines.join()).toStartWith('--signature is not the signature of 0x')
  })

  test.each([
    { argv: ['create'], line: /^this is a live venue: give --wallet ADDRESS/ },
    { argv: ['list'], line: /^this is a live venue: its accounts are listed/ },
  ])('account $argv says what it needs', async ({ argv, line }) => {
    const { lines, exitCode } = await account(argv, live)
    expect(exitCode).toBe(64)
    expect(lines.join()).toMatch(line)
  })
})

test('refused credentials say how an account of an embedded venue is opened', async () => {
  const secret = RANDOM.bytes(32)
  const credentials = { accountId: STRANGER, secret, key: wirePublicKey(secret) }
  // A busy machine may build a world for longer than a call waits.
  for (let status = 0; status !== 200; ) status = (await target.fetch('/api/prep/markets')).status
  const client = createClient({ baseUrl: 'http://localhost', transport: network, nowMs: Date.now })
  const refused = client.relay(credentials, { method: 'GET', path: '/v1/client/holding' })
  await expect(refused).rejects.toMatchObject({
    code: 'unauthorized',
    meta: { next: expect.stringContaining('account create') },
  })
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createClient, type ServiceTransport } from '../../src/agents/client/client.ts'
import { wirePublicKey } from '../../src/core/crypto/signing.ts'
import { running, settingsFolder } from '../settings-folder.ts'
import { openTarget, type Target } from '../target.ts'
import { NO_NETWORK, runCommand } from './run-command.ts'

const KEY = 'operator-key-of-thirty-two-letters'
const STRANGER = `0x${'0'.repeat(64)}`

let target: Target
let folder: ReturnType<typeof settingsFolder>

beforeAll(async () => {
  folder = settingsFolder()
  target = await openTarget('in process', { OPERATOR_KEY: KEY, LIMIT_ADMIN: 'off' })
})
afterAll(async () => {
  folder[Symbol.dispose]()
  await target.stop()
})

type Env = Readonly<Record<string, string>>

/** Runs a command with the running server as its network. */
function run(words: readonly string[], env: Env = {}, reach: ServiceTransport = transport) {
  const world = { ...NO_NETWORK, clock: { nowMs: Date.now }, random: { bytes }, transport: reach }
  return runCommand(folder, [...words, '--url', 'http://localhost'], env, world)
}

const OPERATOR = ['venue', 'operator']
const promote = (account?: string) => [
  ...['venue', 'promote'],
  ...(account === undefined ? [] : ['--account', account]),
]

function bytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length))
}

async function transport(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const { method, headers } = request
  const body = method === 'GET' ? null : await request.text()
  return target.fetch(pathname + search, { method, headers, body })
}

/** Opens an account and answers its id, as the command prints it. */
async function openedAccount(): Promise<string> {
  const { lines } = await run(OPERATOR)
  return lines.join('\n').match(/ACCOUNT_ID=(0x\w{64})/)?.[1] ?? ''
}

test('an operator account is opened, with a key for a year that signs for it', async () => {
  const { lines, exitCode } = await run(OPERATOR)
  expect(exitCode).toBe(0)
  const [note = '', account = '', key = '', ...others] = lines
  expect(others).toEqual([])
  const ends = new Date(Date.now() + 364 * 86_400_000).toISOString().slice(0, 10)
  expect(note).toBe(`# Set both and restart. The key ends on ${ends}.`)
  const { affiliate } = running(
    folder.invoke([], Object.fromEntries([account, key].map((line) => line.split('=')))),
  ).settings
  if (!affiliate) throw new Error('the printed settings name no operator')
  const client = createClient({ baseUrl: 'http://localhost', transport, nowMs: Date.now })
  const credentials = { ...affiliate, key: wirePublicKey(affiliate.secret) }
  const answer = await client.relay(credentials, { method: 'GET', path: '/v1/client/key_info' })
  expect(answer).toMatchObject({ rows: [{ trading_key: credentials.key, scope: 'read,trading' }] })
})

test('an account is promoted once', async () => {
  const accountId = await openedAccount()
  const once = () => run(promote(accountId), { PREPD_OPERATOR_KEY: KEY })
  const lines = [`${accountId} is now a first-level affiliate`]
  expect(await once()).toEqual({ exitCode: 0, lines })
  const again = [`${accountId} is already a first-level affiliate`]
  expect(await once()).toEqual({ exitCode: 0, lines: again })
})

test.each([
  {
    name: 'another operator key',
    env: { PREPD_OPERATOR_KEY: 'wrong'.repeat(8) },
    line: /^unauthorized: /,
  },
  { name: 'no such account', env: { PREPD_OPERATOR_KEY: KEY }, line: /^not_found: / },
])('with $name nobody is promoted', async ({ env, line }) => {
  const accountId = await openedAccount()
  const named = env.PREPD_OPERATOR_KEY === KEY ? STRANGER : accountId
  const refused = await run(promote(named), env)
  expect(refused).toEqual({ exitCode: 1, lines: [expect.stringMatching(line)] })
  const { lines } = await run(promote(accountId), { PREPD_OPERATOR_KEY: KEY })
  expect(lines).toEqual([`${accountId} is now a first-level affiliate`])
})

test.each([
  { name: 'the operator key', env: {}, account: STRANGER, line: /PREPD_OPERATOR_KEY must be set/ },
  { name: 'an account', env: { PREPD_OPERATOR_KEY: KEY }, account: undefined, line: /--account/ },
  {
    name: 'an embedded venue',
    env: { PREPD_OPERATOR_KEY: KEY, PREPD_VENUE: 'https://venue.example' },
    account: STRANGER,
    line: /live venue/,
  },
])('without $name nothing is asked of the server', async ({ env, account, line }) => {
  const refused = await run(promote(account), env, NO_NETWORK.transport)
  expect(refused).toEqual({ exitCode: 64, lines: [expect.stringMatching(line)] })
})

test('a live venue has its operator account elsewhere', async () => {
  const { lines, exitCode } = await run(OPERATOR, { PREPD_VENUE: 'https://venue.example' })
  expect(exitCode).toBe(64)
  expect(lines.join()).not.toContain('AFFILIATE')
})

test('a server that is not there is said to be unreachable', async () => {
  const lines = ['upstream_unavailable: The service cannot be reached.']
  for (const words of [promote(STRANGER), OPERATOR]) {
    const refused = await run(words, { PREPD_OPERATOR_KEY: KEY }, NO_NETWORK.transport)
    expect(refused).toEqual({ exitCode: 1, lines })
  }
})

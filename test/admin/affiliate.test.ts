import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { venueOperator, venuePromote } from '../../src/admin/venue.ts'
import { createClient } from '../../src/client/client.ts'
import { publicKeyOf } from '../../src/crypto/signing.ts'
import { running, settingsFolder } from '../settings-folder.ts'
import { openTarget, type Target } from '../target.ts'
import { NO_NETWORK } from './run-command.ts'

const KEY = 'operator-key-of-thirty-two-letters'
const STRANGER = `0x${'0'.repeat(64)}`

let target: Target
let folder: ReturnType<typeof settingsFolder>
let lines: string[] = []

beforeAll(async () => {
  folder = settingsFolder()
  target = await openTarget('in process', { OPERATOR_KEY: KEY, LIMIT_ADMIN: 'off' })
})
beforeEach(() => {
  lines = []
})
afterAll(async () => {
  folder[Symbol.dispose]()
  await target.stop()
})

/** What a command gets, with the running server as its network. */
function depsOf(env: Readonly<Record<string, string>> = {}) {
  const { settings } = running(folder.invoke([], env))
  const world = { ...NO_NETWORK, clock: { nowMs: Date.now }, random: { bytes }, transport }
  return { print, settings, world, baseUrl: 'http://localhost' }
}

function print(line: string): void {
  lines.push(line)
}

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
  await venueOperator(depsOf())
  return (
    lines
      .splice(0)
      .join('\n')
      .match(/ACCOUNT_ID=(0x\w{64})/)?.[1] ?? ''
  )
}

test('an operator account is opened, with a key for a year that signs for it', async () => {
  expect(await venueOperator(depsOf())).toBe(0)
  const [note = '', account = '', key = '', ...others] = lines
  expect(others).toEqual([])
  const ends = new Date(Date.now() + 364 * 86_400_000).toISOString().slice(0, 10)
  expect(note).toBe(`# Set both and restart. The key ends on ${ends}.`)
  const { affiliate } = running(
    folder.invoke([], Object.fromEntries([account, key].map((line) => line.split('=')))),
  ).settings
  if (!affiliate) throw new Error('the printed settings name no operator')
  const client = createClient({ baseUrl: 'http://localhost', transport, nowMs: Date.now })
  const credentials = { ...affiliate, key: publicKeyOf(affiliate.secret) }
  const answer = await client.relay(credentials, { method: 'GET', path: '/v1/client/key_info' })
  expect(answer).toMatchObject({ rows: [{ trading_key: credentials.key, scope: 'read,trading' }] })
})

test('an account is promoted once', async () => {
  const accountId = await openedAccount()
  const deps = depsOf({ PREPD_OPERATOR_KEY: KEY })
  expect(await venuePromote(deps, accountId)).toBe(0)
  expect(await venuePromote(deps, accountId)).toBe(0)
  expect(lines).toEqual([
    `${accountId} is now a first-level affiliate`,
    `${accountId} is already a first-level affiliate`,
  ])
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
  expect(await venuePromote(depsOf(env), named)).toBe(1)
  expect(lines.join()).toMatch(line)
  lines = []
  await venuePromote(depsOf({ PREPD_OPERATOR_KEY: KEY }), accountId)
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
  const deps = depsOf(env)
  const world = { ...deps.world, transport: NO_NETWORK.transport }
  expect(await venuePromote({ ...deps, world }, account)).toBe(64)
  expect(lines).toHaveLength(1)
  expect(lines.join()).toMatch(line)
})

test('a live venue has its operator account elsewhere', async () => {
  expect(await venueOperator(depsOf({ PREPD_VENUE: 'https://venue.example' }))).toBe(64)
  expect(lines.join()).not.toContain('AFFILIATE')
})

test('a server that is not there is said to be unreachable', async () => {
  const deps = depsOf({ PREPD_OPERATOR_KEY: KEY })
  const world = { ...deps.world, transport: NO_NETWORK.transport }
  expect(await venuePromote({ ...deps, world }, STRANGER)).toBe(1)
  expect(await venueOperator({ ...deps, world })).toBe(1)
  expect(lines).toEqual([
    'upstream_unavailable: The service cannot be reached.',
    'upstream_unavailable: The service cannot be reached.',
  ])
})

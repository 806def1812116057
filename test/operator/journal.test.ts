import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createClient, type ServiceTransport } from '../../src/agents/client/client.ts'
import { type Opened, openTemporaryAccount } from '../../src/operator/account/open.ts'
import { post, request, toolText } from '../agents/rpc.ts'
import { settingsFolder } from '../settings-folder.ts'
import { openTarget, type Target } from '../target.ts'
import { REAL_WORLD } from './real-world.ts'
import { runCommand } from './run-command.ts'

const KEY = 'the-operator-key-of-the-journal-of-agents'
const ETH = 'PERP_ETH_USDC'
const folder = settingsFolder()
const dataDir = folder.path('data')
let target: Target
let account: Opened

/** A machine on which the target's operator listener is at the default address. */
const network: ServiceTransport = async (asked) => {
  const { pathname, search } = new URL(asked.url)
  return target.ops(pathname + search, { method: asked.method, headers: asked.headers })
}
const WORLD = {
  ...REAL_WORLD,
  transport: network,
}
const run = (...argv: readonly string[]) =>
  runCommand(folder, argv, { PREPD_OPERATOR_KEY: KEY, PREPD_DATA_DIR: dataDir }, WORLD)
const json = async (...argv: readonly string[]) =>
  JSON.parse((await run(...argv, '--json')).lines.join(''))

async function call(name: string, args: object, headers: Record<string, string> = {}) {
  const { json: reply } = await post(target, request('tools/call', { name, arguments: args }), {
    'x-account-id': account.accountId,
    'x-trading-key': Buffer.from(account.secret).toString('hex'),
    ...headers,
  })
  return toolText(reply)
}

beforeAll(async () => {
  const settings = { DATA_DIR: dataDir, OPERATOR_KEY: KEY, LIMIT_ADMIN: 'off', LIMIT_MCP: 'off' }
  target = await openTarget('in process', settings)
  const transport: ServiceTransport = async (asked) => {
    const { method, headers } = asked
    const body = method === 'GET' ? null : await asked.text()
    return target.fetch(new URL(asked.url).pathname, { method, headers, body })
  }
  const client = createClient({ baseUrl: 'http://localhost', nowMs: Date.now, transport })
  account = await openTemporaryAccount(client, REAL_WORLD)
  await call('get_account', {})
  const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.02 }
  await call('place_order', order, { 'x-max-order-usdc': '500' })
  await call('place_order', order, { 'x-max-order-usdc': '1' })
  await call(
    'place_order',
    { ...order, client_order_id: 'x' },
    { 'x-trading-key': 'ab'.repeat(32) },
  )
})
afterAll(async () => {
  await target.stop()
  folder[Symbol.dispose]()
})

describe('the journal of agents', () => {
  test('is listed by audit agents, and nothing is in it of a key that the venue never accepted', async () => {
    const { rows } = await json('audit', 'agents')
    expect(rows).toMatchObject([
      { tool: 'place_order', limits: { maxOrderUsdc: '1' }, outcome: 'mandate_exceeded' },
      { tool: 'place_order', limits: { maxOrderUsdc: '500' }, outcome: 'ok' },
    ])
    expect((await json('audit', 'agents', '--rows', '1')).rows).toEqual(rows.slice(0, 1))
    const { lines, exitCode } = await run('audit', 'agents')
    expect(exitCode).toBe(0)
    expect(lines[1]).toMatch(/^SEQUENCE +AT +ACCOUNT +TOOL +LIMITS +DIGEST +OUTCOME$/)
  })

  test('is on the console without accounts', async () => {
    const figures = Object(await (await target.ops('/console/figures')).json())
    expect(figures.agentWrites).toMatchObject([
      { outcome: 'mandate_exceeded' },
      { tool: 'place_order', outcome: 'ok' },
    ])
    expect(JSON.stringify(figures.agentWrites)).not.toContain(account.accountId.slice(2, 6))
  })

  test('is verified on the server and in a backup; a place that was noted must be there', async () => {
    const verdict = await json('audit', 'verify')
    const { newest } = verdict
    expect(verdict).toMatchObject({ sound: true, entries: 4, newest: expect.stringMatching(/^4:/) })
    const { findings } = await json('doctor')
    expect(findings).toContainEqual({
      ...{ id: 'agent_journal', state: 'ok' },
      seen: '4 entries of agents, chained without a gap',
    })
    const backup = folder.path('backup.sqlite')
    await run('backup', backup)
    expect(await json('audit', 'verify', '--file', backup)).toMatchObject({
      sound: true,
      newest,
      file: backup,
    })
    expect((await json('audit', 'agents', '--file', backup)).rows).toHaveLength(2)
    const witness = ['audit', 'verify', '--witness']
    expect((await run(...witness, newest)).exitCode).toBe(0)
    expect((await run(...witness, newest.replace(/^4/, '5'))).exitCode).toBe(1)
    expect((await run(...witness, 'nonsense')).exitCode).toBe(64)
    expect((await run('audit', 'verify', '--file', folder.path('none'))).exitCode).toBe(1)
  })

  test('that was changed by hand fails audit verify, which names the first entry', async () => {
    using database = new Database(`${dataDir}/prepd.sqlite`)
    database.run('DROP TRIGGER agent_journal_keeps_text')
    database.run(`UPDATE agent_journal SET text = replace(text, '500', '900') WHERE sequence = 1`)
    const { lines, exitCode } = await run('audit', 'verify')
    expect(exitCode).toBe(1)
    expect(lines.slice(1)).toEqual(['sound     false', 'fault     changed', 'sequence  1'])
    const file = ['audit', 'verify', '--file', `${dataDir}/prepd.sqlite`]
    expect((await run(...file)).exitCode).toBe(1)
    const { findings } = await json('doctor')
    expect(findings).toContainEqual(
      expect.objectContaining({
        id: 'agent_journal',
        state: 'fail',
        seen: expect.stringContaining('entry 1 '),
      }),
    )
  })
})

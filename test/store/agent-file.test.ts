import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAgentFile } from '../../src/store/agent-file.ts'
import { runs } from '../runs.ts'
import { claimedUseContract } from './claimed-use-contract.ts'
import { spendingContract } from './spending-contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'prepd-agent-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

const SOURCE = new URL('../../src/store/agent-file.ts', import.meta.url).pathname

function claim(identity: string, nowMs = 0) {
  return [{ identity, sinceMs: nowMs, expiresAtMs: nowMs + 1000 }, nowMs] as const
}

test('one of several that share the file wins, until the claim is given back or over', async () => {
  const path = join(folder, 'shared', 'orders.db')
  const several = Array.from({ length: 4 }, () => openAgentFile(path).sentOrders)
  const won = await Promise.all(several.map((each) => each.claim(...claim('a'))))
  expect(won.filter((each) => each)).toHaveLength(1)
  const [one, another] = several
  expect(await another?.find('a')).toEqual({ expiresAtMs: 1000, record: null })
  await another?.settle('a', 'accepted')
  expect(await one?.find('a')).toEqual({ expiresAtMs: 1000, record: 'accepted' })
  await one?.release('a')
  expect(await another?.claim(...claim('a'))).toBe(true)
  expect(await one?.claim(...claim('a', 999))).toBe(false)
  expect(await one?.claim(...claim('a', 1000))).toBe(true)
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0)
})

test('the spending in an earlier file stays, whoever of several processes opens it first', async () => {
  const path = join(folder, 'earlier.db')
  const schema = await Bun.file(join(SOURCE, '../claims/spending-of-writes.sql')).text()
  {
    using database = new Database(path, { create: true })
    database.run(schema)
    database.run("INSERT INTO spending VALUES ('a', 5, 'write', 'PERP_ETH_USDC', 700, 1, NULL)")
  }
  const files = [openAgentFile(path), openAgentFile(path)]
  const won = await Promise.all(files.map((each) => each.sentOrders.claim(...claim('b'))))
  expect(won.toSorted()).toEqual([false, true])
  using database = new Database(path)
  expect(database.query('SELECT * FROM spending').all()).toMatchObject([
    { scope: 'a', at_ms: 5, identity: 'write', ordinal: 0, micros: 700, order_id: null },
  ])
})

test('what a key has used goes ninety days after its last write, and what another has used stays', async () => {
  const path = join(folder, 'idle.db')
  const DAY_MS = 86_400_000
  const write = async (scope: string, identity: string, wallMs: number) => {
    const uses = [{ symbol: 'PERP_ETH_USDC', micros: 7n, orders: 1 }]
    const { spending } = openAgentFile(path)
    await spending.reserve({ scope, identity, atMs: 0, uses }, () => null, 0)
    await spending.settle({ scope, identity }, wallMs)
  }
  const scopes = () => {
    using file = new Database(path, { readonly: true })
    return file.query('SELECT scope, identity FROM spending ORDER BY scope, identity').values()
  }
  await write('idle', 'a', 0)
  await write('used', 'b', 0)
  await write('used', 'c', DAY_MS)
  await write('new', 'd', 90 * DAY_MS - 1)
  expect(scopes().map(([scope]) => scope)).toEqual(['idle', 'new', 'used', 'used'])
  await write('new', 'e', 90 * DAY_MS)
  // The venue's clock stands here: nothing of a day that is still used is forgotten.
  expect(scopes().map(([scope]) => scope)).toEqual(['new', 'new', 'used', 'used'])
})

test('a claim outlives the process that made it and was killed', async () => {
  const path = join(folder, 'killed.db')
  const script = `
    const { openAgentFile } = await import(${JSON.stringify(SOURCE)})
    await openAgentFile(${JSON.stringify(path)}).sentOrders.claim({ identity: 'a', sinceMs: 0, expiresAtMs: 1000 }, 0)
    process.kill(process.pid, 'SIGKILL')`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'inherit' })
  expect(await child.exited).not.toBe(0)
  expect(await openAgentFile(path).sentOrders.claim(...claim('a'))).toBe(false)
})

test('one of several processes that make the file at once wins', async () => {
  const path = join(folder, 'new', 'orders.db')
  const script = `
    const { openAgentFile } = await import(${JSON.stringify(SOURCE)})
    const claim = { identity: 'a', sinceMs: 0, expiresAtMs: 1000 }
    console.log(await openAgentFile(${JSON.stringify(path)}).sentOrders.claim(claim, 0))`
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => {
      const options = { stdout: 'pipe', stderr: 'inherit' } as const
      return new Response(Bun.spawn([process.execPath, '-e', script], options).stdout).text()
    }),
  )
  expect(answers.toSorted()).toEqual(['false\n', 'false\n', 'false\n', 'true\n'])
})

test('a file that cannot be made is said, and nothing is claimed', async () => {
  const claims = openAgentFile('/dev/null/orders.db').sentOrders
  const code = await claims.claim(...claim('a')).then(String, (error) => error.code)
  expect(code).toBe('store_unavailable')
})

spendingContract('the file of agents', () => ({
  ...openAgentFile(':memory:'),
  close: () => undefined,
}))

claimedUseContract('the file of agents', () => {
  const { sentOrders: once, spending } = openAgentFile(':memory:')
  return { once, spending, close: () => undefined }
})

// Slow: three processes start.
test('of processes that race and are killed, none takes a day above its cap, nor leaves a claim apart from its use', async () => {
  const path = join(folder, 'spending.db')
  const script = (orders: number, kill: boolean) => `
    const { openAgentFile } = await import(${JSON.stringify(SOURCE)})
    const { sentOrders } = openAgentFile(${JSON.stringify(path)})
    const refusal = ({ dayMicros }) => (dayMicros + 7n > 100n ? new RangeError('over') : null)
    for (let at = 0; at < ${orders}; at += 1) {
      const uses = [{ symbol: 'PERP_ETH_USDC', micros: 7n, orders: 1 }]
      const identity = process.pid + '/' + at
      const reservation = { scope: 'mine', identity, atMs: 0, uses }
      const claim = { identity, sinceMs: 0, expiresAtMs: 1000 }
      const use = { reservation, ids: [], refusal, unseenSinceMs: 0 }
      if (await sentOrders.claim(claim, 0, use).catch(() => false)) console.log('sent')
      ${kill ? 'if (Math.random() < 0.2) process.kill(process.pid, "SIGKILL")' : ''}
    }`
  const outputs = await Promise.all(
    Array.from({ length: 3 }, (_, at) => {
      const options = { stdout: 'pipe', stderr: 'inherit' } as const
      const source = script(runs(20), at > 0)
      return new Response(Bun.spawn([process.execPath, '-e', source], options).stdout).text()
    }),
  )
  const sent = outputs.join('').split('sent').length - 1
  expect((await openAgentFile(path).spending.used('mine', 0)).dayMicros).toBe(98n)
  expect(sent * 7).toBeWithin(1, 99)
  using file = new Database(path, { readonly: true })
  const identities = (table: string) =>
    file.query(`SELECT identity FROM ${table} ORDER BY identity`).values().flat()
  expect(identities('sent_orders')).toEqual(identities('spending'))
  expect(identities('spending')).toHaveLength(14)
})

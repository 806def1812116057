import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AGENT_JOURNAL } from '../../src/contract/agent-journal.ts'
import { begunText, newestWrites } from '../../src/core/agent-journal.ts'
import { verifyJournal } from '../../src/core/journal-verdict.ts'
import { openAgentFile } from '../../src/store/agent-file.ts'
import { openStoreFile } from '../../src/store/file.ts'

const folder = mkdtempSync(join(tmpdir(), 'prepd-agent-journal-'))
afterAll(() => rmSync(folder, { recursive: true }))

const SOURCE = new URL('../../src/store/agent-file.ts', import.meta.url).pathname
const WRITE = { atMs: 1_700_000_000_000, account: '', tool: 'place_order', limits: {}, digest: '' }

/** Another process that runs a script on the journal at a path; answers when it has ended. */
function otherProcess(path: string, script: string): Promise<number> {
  const code = `
    const { openAgentFile } = await import(${JSON.stringify(SOURCE)})
    const journal = openAgentFile(${JSON.stringify(path)}).agentJournal
    ${script}`
  return Bun.spawn([process.execPath, '-e', code], { stdout: 'ignore', stderr: 'inherit' }).exited
}

// Slow: three processes start.
test('processes that make the file and write to it at once write one chain, which shares the file of their orders', async () => {
  const path = join(folder, 'shared', 'agent-orders.db')
  const script = `for (let n = 0; n < 20; n += 1) await journal.append('{}')`
  await Promise.all(Array.from({ length: 3 }, () => otherProcess(path, script)))
  const claim = { identity: 'a', sinceMs: 0, expiresAtMs: 1000 }
  expect(await openAgentFile(path).sentOrders.claim(claim, 0)).toBe(true)
  expect(await verifyJournal(openAgentFile(path).agentJournal, null)).toMatchObject({
    sound: true,
    entries: 60,
  })
})

test('a write whose process was killed before its outcome shows as unknown', async () => {
  const path = join(folder, 'killed.db')
  const text = JSON.stringify(begunText(WRITE))
  const script = `await journal.append(${text}); process.kill(process.pid, 'SIGKILL')`
  expect(await otherProcess(path, script)).not.toBe(0)
  const [write] = await openStoreFile(path).readJournal((journal) => newestWrites(journal, 9))
  expect(write).toMatchObject({ tool: 'place_order', outcome: 'unknown' })
})

test('an entry is neither changed nor removed by a statement that does not take the rules away first', () => {
  const path = join(folder, 'rules.db')
  const journal = openAgentFile(path).agentJournal
  return journal.append('{}').then(() => {
    using database = new Database(path)
    expect(() => database.run(`UPDATE agent_journal SET text = 'x'`)).toThrow('only ever added to')
    expect(() => database.run('DELETE FROM agent_journal')).toThrow('only ever added to')
  })
})

test('a long-running process prunes its file as it writes', async () => {
  const journal = openAgentFile(':memory:').agentJournal
  await journal.append(begunText(WRITE))
  await journal.append(begunText({ ...WRITE, atMs: WRITE.atMs + AGENT_JOURNAL.keptMs }))
  expect(await newestWrites(journal, 9)).toMatchObject([{ sequence: 2 }])
  expect(await verifyJournal(journal, null)).toMatchObject({ sound: true, entries: 1 })
})

test('a file that cannot be made, or holds no journal, is said', async () => {
  const journal = openAgentFile('/dev/null/orders.db').agentJournal
  const code = await journal.append('{}').then(String, (error) => error.code)
  expect(code).toBe('store_unavailable')
  const path = join(folder, 'other.db')
  new Database(path).run('CREATE TABLE other (one TEXT)')
  await expect(
    openStoreFile(path).readJournal((journal) => verifyJournal(journal, null)),
  ).rejects.toThrow('has no journal')
})

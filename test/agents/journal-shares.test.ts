import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createJournalShares } from '../../src/agents/journal-shares.ts'
import { AGENT_JOURNAL } from '../../src/contract/agent-journal.ts'
import { newestWrites } from '../../src/core/agent-journal.ts'
import { verifyJournal } from '../../src/core/journal-verdict.ts'
import { openSqlite } from '../../src/store/sqlite.ts'

const START_MS = 1_800_000_000_000
const WRITE = {
  atMs: START_MS,
  account: '0x1212…1212',
  tool: 'place_order',
  limits: {},
  digest: '',
}

let store: ReturnType<typeof openSqlite>
let nowMs: number
beforeEach(() => {
  store = openSqlite(':memory:', START_MS)
  nowMs = START_MS
})
afterEach(() => store.close())

/** Shares of the journal, of which some owners have used all. */
function sharesWith(...full: readonly string[]) {
  const { agentJournal } = store
  const journal: Parameters<typeof createJournalShares>[0] = {
    append: agentJournal.append,
    held: async (owner, atMs) =>
      (await agentJournal.held(owner, atMs)) + (full.includes(owner) ? AGENT_JOURNAL.shareMax : 0),
  }
  return createJournalShares(journal, { nowMs: () => nowMs })
}

async function entries(): Promise<number> {
  return (await store.agentJournal.bounds()).newest.sequence
}

test('an account beyond its share adds two entries per ten minutes however much it writes, and others one for each', async () => {
  const record = sharesWith('loud')
  for (let at = 0; at < 50; at += 1) {
    const settle = await record('loud')({ ...WRITE, atMs: nowMs })
    await settle(at % 5 === 0 ? 'insufficient_margin' : 'ok')
  }
  expect(await entries()).toBe(1)
  await (await record('quiet')(WRITE))('ok')
  expect(await entries()).toBe(3)
  nowMs += AGENT_JOURNAL.groupMs - 1
  await (await record('loud')({ ...WRITE, atMs: nowMs }))('ok')
  expect(await entries()).toBe(3)
  nowMs += 1
  await (await record('loud')({ ...WRITE, atMs: nowMs }))('ok')
  expect(await newestWrites(store.agentJournal, 9)).toMatchObject([
    { tool: 'several', outcome: 'unknown' },
    { tool: 'place_order', outcome: 'ok' },
    { tool: 'several', outcome: 'insufficient_margin 10, ok 41' },
  ])
  expect(await verifyJournal(store.agentJournal, null)).toMatchObject({ sound: true, entries: 5 })
})

test('writes at once of an account beyond its share share one entry, which is there before any of them is sent', async () => {
  const record = sharesWith('loud')
  await Promise.all(Array.from({ length: 20 }, () => record('loud')(WRITE)))
  expect(await entries()).toBe(1)
})

test('an account within its share has both entries of each write, which count for it alone', async () => {
  const record = sharesWith()
  for (let at = 0; at < 3; at += 1) await (await record('one')(WRITE))('ok')
  expect(await entries()).toBe(6)
  expect(await store.agentJournal.held('one', nowMs)).toBe(6)
  expect(await store.agentJournal.held('other', nowMs)).toBe(0)
})

test('where the entry of a group cannot be written nothing is sent, and the next write tries again', async () => {
  const { agentJournal } = store
  let fails = true
  const append: typeof agentJournal.append = (...given) =>
    fails ? Promise.reject(new Error('full')) : agentJournal.append(...given)
  const held = async () => AGENT_JOURNAL.shareMax
  const record = createJournalShares({ append, held }, { nowMs: () => nowMs })
  await expect(record('loud')(WRITE)).rejects.toThrow('full')
  fails = false
  await record('loud')(WRITE)
  expect(await entries()).toBe(1)
})

test('a group ends with the first write after it, also of an account that is below its share again', async () => {
  const { append } = store.agentJournal
  let held: number = AGENT_JOURNAL.shareMax
  const journal = { append, held: async () => held }
  const record = createJournalShares(journal, { nowMs: () => nowMs })('once loud')
  await (await record(WRITE))('ok')
  held = 0
  nowMs += AGENT_JOURNAL.groupMs - 1
  await (await record({ ...WRITE, atMs: nowMs }))('ok')
  expect(await entries()).toBe(3)
  nowMs += 1
  for (let at = 0; at < 2; at += 1) await (await record({ ...WRITE, atMs: nowMs }))('ok')
  expect(await entries()).toBe(3 + 1 + 4)
  const [, , , first] = await newestWrites(store.agentJournal, 9)
  expect(first).toMatchObject({ tool: 'several', outcome: 'ok 1' })
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { AGENT_JOURNAL } from '../../src/contract/agent-journal.ts'
import { DAY_MS } from '../../src/contract/durations.ts'
import {
  begunText,
  endedText,
  JOURNAL_START,
  type JournalEntry,
  newestWrites,
} from '../../src/core/agent-journal.ts'
import { verifyJournal } from '../../src/core/journal-verdict.ts'
import type { Store } from '../../src/core/ports.ts'

type Kept = Pick<Store, 'agentJournal' | 'sweep' | 'close'>

const WRITE = {
  atMs: 1_700_000_000_000,
  account: '0x1212…1212',
  tool: 'place_order',
  limits: { maxOrderUsdc: 50, allowedSymbols: ['PERP_ETH_USDC'] },
  digest: 'ab'.repeat(32),
}

/** The hash of an entry, computed another way than the journal does. */
async function hashOf({ previous, sequence, text }: JournalEntry): Promise<string> {
  const bytes = new TextEncoder().encode([previous, sequence, text].join('\n'))
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
}

/** What every store must do with the journal of agents. `open` gives a fresh, empty one each time. */
export function journalContract(name: string, open: () => Kept | Promise<Kept>): void {
  describe(`the journal of agents in ${name}`, () => {
    let store: Kept
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    test('each entry is chained to the one before, in the order they were added, many at once too', async () => {
      const { agentJournal } = store
      expect(await agentJournal.bounds()).toEqual({ pruned: JOURNAL_START, newest: JOURNAL_START })
      const texts = Array.from(
        { length: 40 },
        (_, n) => `{"atMs":${n},"é":"${'\\n'.repeat(n % 3)}"}`,
      )
      const numbers = await Promise.all(texts.map((text) => agentJournal.append(text)))
      expect(numbers).toEqual(texts.map((_, n) => n + 1))
      const entries = await agentJournal.after(0, 99)
      expect(entries.map(({ text }) => text)).toEqual(texts)
      let previous = JOURNAL_START.hash
      for (const entry of entries) {
        expect(entry.previous).toBe(previous)
        expect(entry.hash).toBe(await hashOf(entry))
        previous = entry.hash
      }
      expect((await agentJournal.bounds()).newest).toEqual({ sequence: 40, hash: previous })
      expect(await verifyJournal(agentJournal, null)).toMatchObject({ sound: true, entries: 40 })
      expect(await agentJournal.after(38, 1)).toEqual(entries.slice(38, 39))
      const before = await agentJournal.before(3, 9)
      expect(before.map(({ sequence }) => sequence)).toEqual([2, 1])
    })

    test('entries are counted for their owner and no other, until they are past their time', async () => {
      const { agentJournal } = store
      const nowMs = Date.now()
      const text = begunText({ ...WRITE, atMs: nowMs })
      await Promise.all(Array.from({ length: 5 }, () => agentJournal.append(text, 'one')))
      await agentJournal.append(begunText({ ...WRITE, atMs: nowMs - DAY_MS }), 'one')
      await agentJournal.append(text, 'other')
      await agentJournal.append(text)
      const held = (owner: string, atMs = nowMs) => agentJournal.held(owner, atMs)
      expect([await held('one'), await held('other'), await held('none')]).toEqual([6, 1, 0])
      const laterMs = nowMs + AGENT_JOURNAL.keptMs
      await store.sweep(laterMs, 99)
      expect([await held('one', laterMs), await held('other', laterMs)]).toEqual([5, 1])
      expect(await held('one', laterMs + DAY_MS)).toBe(0)
      expect(await verifyJournal(agentJournal, null)).toMatchObject({ sound: true })
    })

    test('a write shows with its outcome, and one without an outcome as unknown', async () => {
      const { agentJournal } = store
      const first = await agentJournal.append(begunText(WRITE))
      await agentJournal.append(begunText({ ...WRITE, tool: 'cancel_order' }))
      await agentJournal.append(endedText(first, WRITE.atMs + 1, 'insufficient_margin'))
      const writes = await newestWrites(agentJournal, 9)
      expect(writes).toEqual([
        { ...WRITE, sequence: 2, tool: 'cancel_order', outcome: 'unknown' },
        { ...WRITE, sequence: 1, outcome: 'insufficient_margin' },
      ])
      expect(await newestWrites(agentJournal, 1)).toEqual(writes.slice(0, 1))
    })

    test('the oldest entries go after ninety days and not before, and the rest stays verifiable', async () => {
      const { agentJournal } = store
      const nowMs = Date.now()
      const agesMs = [AGENT_JOURNAL.keptMs + 2, AGENT_JOURNAL.keptMs + 1, 60_000]
      // An entry of a clock that ran behind waits for those before it.
      for (const ageMs of [...agesMs, AGENT_JOURNAL.keptMs + 9])
        await agentJournal.append(begunText({ ...WRITE, atMs: nowMs - ageMs }))
      const [, second] = await agentJournal.after(0, 2)
      expect(await store.sweep(nowMs - 2, 9)).toBe(1)
      expect(await store.sweep(nowMs, 9)).toBe(1)
      expect(await store.sweep(nowMs, 9)).toBe(0)
      expect((await agentJournal.after(0, 9)).map(({ sequence }) => sequence)).toEqual([3, 4])
      expect((await agentJournal.bounds()).pruned).toMatchObject({
        sequence: 2,
        hash: second?.hash,
      })
      expect(await agentJournal.append('{}')).toBe(5)
      expect(await verifyJournal(agentJournal, null)).toMatchObject({ sound: true, entries: 3 })
    })

    test('an entry whose time cannot be read is never pruned', async () => {
      const { agentJournal } = store
      await agentJournal.append('no JSON')
      await agentJournal.append(begunText({ ...WRITE, atMs: 0 }))
      expect(await store.sweep(Date.now(), 9)).toBe(0)
      expect(await verifyJournal(agentJournal, null)).toMatchObject({ sound: true, entries: 2 })
    })
  })
}

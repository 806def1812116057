import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AGENT_JOURNAL } from '../../src/contract/agent-journal.ts'
import {
  type AgentJournal,
  entryAfter,
  JOURNAL_START,
  type JournalEntry,
  type JournalPosition,
  lastPast,
} from '../../src/core/agent-journal.ts'
import { parseJournalPosition, verifyJournal } from '../../src/core/journal-verdict.ts'

/** A journal as its rows lie in a database, which whoever can write to it may change. */
type Rows = {
  readonly entries: readonly JournalEntry[]
  readonly pruned: JournalPosition
  readonly newest: JournalPosition
}

function written(count: number, prunedCount = 0): Rows {
  const entries: JournalEntry[] = []
  let last = JOURNAL_START
  for (let n = 0; n < count; n += 1) {
    const entry = entryAfter(last, JSON.stringify({ atMs: n, tool: 'place_order' }))
    entries.push(entry)
    last = entry
  }
  const pruned = entries[prunedCount - 1] ?? JOURNAL_START
  return { entries: entries.slice(prunedCount), pruned: placeIn(pruned), newest: placeIn(last) }
}

function placeIn({ sequence, hash }: JournalPosition): JournalPosition {
  return { sequence, hash }
}

/** Reads rows as a database does: by number, in pages. */
function journalOf({ entries, pruned, newest }: Rows): Pick<AgentJournal, 'after' | 'bounds'> {
  const sorted = entries.toSorted((a, b) => a.sequence - b.sequence)
  return {
    after: async (sequence, rowsMax) =>
      sorted.filter((entry) => entry.sequence > sequence).slice(0, Math.min(rowsMax, 3)),
    bounds: async () => ({ pruned, newest }),
  }
}

function entryOf({ entries }: Rows, at: number): JournalEntry {
  const entry = entries[at]
  if (!entry) throw new RangeError(`no entry ${at}`)
  return entry
}

function replaced(rows: Rows, at: number, change: Partial<JournalEntry>): Rows {
  return { ...rows, entries: rows.entries.with(at, { ...entryOf(rows, at), ...change }) }
}

type Tampering = {
  /** Answers the changed rows, and the number of the first entry that is not as it was. */
  readonly plant: (rows: Rows, at: number) => readonly [Rows, number]
  readonly fault: 'changed' | 'missing' | 'unexpected'
}

/** What whoever can write to the database can do to the entry at a place, short of writing everything after it anew. */
const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'a text is changed': {
    plant: (rows, at) => [
      replaced(rows, at, { text: '{"tool":"other"}' }),
      entryOf(rows, at).sequence,
    ],
    fault: 'changed',
  },
  'a text is changed, and its hash computed anew': {
    plant: (rows, at) => {
      const { sequence, previous } = entryOf(rows, at)
      const forged = entryAfter({ sequence: sequence - 1, hash: previous }, '{"tool":"other"}')
      return [replaced(rows, at, forged), sequence]
    },
    fault: 'changed',
  },
  'a hash is changed': {
    plant: (rows, at) => [replaced(rows, at, { hash: 'f'.repeat(64) }), entryOf(rows, at).sequence],
    fault: 'changed',
  },
  'a link to the entry before is changed': {
    plant: (rows, at) => [
      replaced(rows, at, { previous: 'f'.repeat(64) }),
      entryOf(rows, at).sequence,
    ],
    fault: 'changed',
  },
  'an entry is removed, the first and the last too': {
    plant: (rows, at) => [
      { ...rows, entries: rows.entries.toSpliced(at, 1) },
      entryOf(rows, at).sequence,
    ],
    fault: 'missing',
  },
  'everything from an entry on is removed': {
    plant: (rows, at) => [
      { ...rows, entries: rows.entries.slice(0, at) },
      entryOf(rows, at).sequence,
    ],
    fault: 'missing',
  },
  'an entry is removed, and those after it get its number and theirs': {
    plant: (rows, given) => {
      const at = Math.min(given, rows.entries.length - 2)
      const left = rows.entries.toSpliced(at, 1)
      const entries = left.map((entry, n) =>
        n < at ? entry : { ...entry, sequence: entry.sequence - 1 },
      )
      return [{ ...rows, entries }, entryOf(rows, at).sequence]
    },
    fault: 'changed',
  },
  'two entries change places': {
    plant: (rows, at) => {
      const other = at === rows.entries.length - 1 ? at - 1 : at + 1
      const [one, two] = [entryOf(rows, at), entryOf(rows, other)]
      const entries = rows.entries
        .with(at, { ...two, sequence: one.sequence })
        .with(other, { ...one, sequence: two.sequence })
      return [{ ...rows, entries }, Math.min(one.sequence, two.sequence)]
    },
    fault: 'changed',
  },
  'an entry is put between, and those after it get later numbers': {
    plant: (rows, at) => {
      const { sequence, previous } = entryOf(rows, at)
      const forged = entryAfter({ sequence: sequence - 1, hash: previous }, '{"tool":"other"}')
      const later = rows.entries.slice(at).map((row) => ({ ...row, sequence: row.sequence + 1 }))
      return [{ ...rows, entries: [...rows.entries.slice(0, at), forged, ...later] }, sequence + 1]
    },
    fault: 'changed',
  },
  'an entry is put after the end': {
    plant: (rows) => {
      const forged = entryAfter(rows.newest, '{"tool":"other"}')
      return [{ ...rows, entries: [...rows.entries, forged] }, rows.newest.sequence + 1]
    },
    fault: 'unexpected',
  },
}

const JOURNALS = fc
  .record({ kept: fc.integer({ min: 2, max: 12 }), pruned: fc.integer({ min: 0, max: 4 }) })
  .chain(({ kept, pruned }) =>
    fc.record({
      rows: fc.constant(written(kept + pruned, pruned)),
      at: fc.integer({ min: 0, max: kept - 1 }),
    }),
  )

describe('a journal', () => {
  test.each(Object.entries(TAMPERINGS))(
    'is not sound when %s, and the entry is named',
    async (_, { plant, fault }) => {
      await fc.assert(
        fc.asyncProperty(JOURNALS, async ({ rows, at }) => {
          expect(await verifyJournal(journalOf(rows), null)).toMatchObject({ sound: true })
          const [tampered, sequence] = plant(rows, at)
          const verdict = await verifyJournal(journalOf(tampered), null)
          expect(verdict).toEqual({ sound: false, fault, sequence })
        }),
        { numRuns: 60 },
      )
    },
  )

  test('whose end was cut off with its bound is sound, unless a place of it was noted elsewhere', async () => {
    const whole = written(6)
    const witness = parseJournalPosition(`${whole.newest.sequence}:${whole.newest.hash}`)
    const cut = { ...written(4) }
    expect(await verifyJournal(journalOf(cut), null)).toMatchObject({ sound: true, entries: 4 })
    expect(await verifyJournal(journalOf(cut), witness)).toEqual({
      sound: false,
      fault: 'missing',
      sequence: 5,
    })
    expect(await verifyJournal(journalOf(whole), witness)).toMatchObject({ sound: true })
    const other = { ...witness, hash: 'f'.repeat(64) }
    expect(await verifyJournal(journalOf(whole), other)).toMatchObject({
      fault: 'changed',
      sequence: 6,
    })
    expect(await verifyJournal(journalOf(written(9, 7)), witness)).toMatchObject({ sound: true })
  })

  test('that grows or is pruned while it is read is sound', async () => {
    const [before, after] = [written(9, 1), written(12, 5)]
    let reads = 0
    const journal = {
      after: (sequence: number, rowsMax: number) => {
        reads += 1
        return journalOf(reads < 2 ? before : after).after(sequence, rowsMax)
      },
      bounds: async () => (reads < 1 ? before : after),
    }
    expect(await verifyJournal(journal, null)).toMatchObject({
      sound: true,
      newest: expect.stringMatching(/^12:/),
    })
    const pruned = {
      ...journal,
      after: journalOf(after).after,
      bounds: async () => (reads++ === 2 ? before : after),
    }
    reads = 2
    expect(await verifyJournal(pruned, null)).toMatchObject({ sound: true, entries: 7 })
  })

  test('keeps so many entries at most, whatever their age', () => {
    const { entries } = written(3)
    const newest = { sequence: AGENT_JOURNAL.entriesMax + 2, hash: '' }
    expect(lastPast(entries, newest, 0)?.sequence).toBe(2)
    expect(lastPast(entries, { ...newest, sequence: 3 }, 0)).toBeNull()
    expect(lastPast(entries, { ...newest, sequence: 3 }, AGENT_JOURNAL.keptMs + 1)?.sequence).toBe(
      2,
    )
  })
})

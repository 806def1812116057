import {
  type AgentJournal,
  dayNumber,
  entryTimeMs,
  JOURNAL_START,
  type JournalPosition,
  lastPast,
  lastPastDay,
} from '../../core/agent-journal.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { journalStatements } from '../../store/agent-journal.ts'
import { statement } from '../../store/connection/statement.ts'
import type { Queries } from './primary-queries.ts'

const SHARED = journalStatements('prepd_agent_journal')

/** The texts of all new entries. `owners` and `days` have one item per entry that counts towards an owner's share. */
type Added = Record<'texts' | 'owners' | 'days', readonly string[]>
const ADD = statement<{ last: number }, Added>(
  `WITH counted AS (
      INSERT INTO prepd_agent_journal_owners AS held (owner, day, entries)
      SELECT owner, day::bigint, count(*) FROM unnest($owners::text[], $days::text[]) AS added(owner, day)
      GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (owner, day) DO UPDATE SET entries = held.entries + excluded.entries)
    SELECT prepd_agent_journal_add($texts::text[]) AS last`,
)
const FORGET_OWNERS = statement<object, { day: number }>(
  'DELETE FROM prepd_agent_journal_owners WHERE day < $day',
)
const BOUNDS = statement<JournalPosition & { name: string }>(
  'SELECT name, sequence, hash FROM prepd_agent_journal_bounds',
)
const MOVE_PRUNED_BOUND = statement<object, JournalPosition>(
  `UPDATE prepd_agent_journal_bounds SET sequence = $sequence, hash = $hash
    WHERE name = 'pruned' AND sequence < $sequence`,
)

type JournalTable = AgentJournal & {
  /** Deletes entries that are past the retention time by this instance's clock. Returns their number. */
  readonly sweep: (nowMs: number, rowsMax: number) => Promise<number>
}

/** The agents' journal of all instances: one hash chain, which an instance extends in one statement. */
export function postgresJournal({ rows, row, change, transact }: Queries): JournalTable {
  const after: AgentJournal['after'] = (sequence, rowsMax) =>
    rows(SHARED.after, { sequence, rowsMax })

  async function bounds() {
    const found = await rows(BOUNDS, {})
    const place = (name: string): JournalPosition => {
      const { sequence, hash } = found.find((each) => each.name === name) ?? JOURNAL_START
      return { sequence, hash }
    }
    return { pruned: place('pruned'), newest: place('newest') }
  }

  async function sweep(nowMs: number, rowsMax: number): Promise<number> {
    await change(FORGET_OWNERS, { day: lastPastDay(nowMs) })
    const { pruned, newest } = await bounds()
    const oldest = await after(pruned.sequence, 1)
    if (lastPast(oldest, newest, nowMs) === null) return 0
    const last = lastPast(await after(pruned.sequence, rowsMax), newest, nowMs)
    if (last === null) return 0
    const { sequence, hash } = last
    return transact(async ({ ask }) => {
      await ask(MOVE_PRUNED_BOUND, { sequence, hash })
      return (await ask(SHARED.drop, { sequence })).count
    })
  }

  return {
    append: createGroupedAppend(async (group) => (await row(ADD, addedBy(group)))?.last ?? 0),
    held: async (owner, nowMs) =>
      (await row(SHARED.held, { owner, day: lastPastDay(nowMs) }))?.held ?? 0,
    after,
    before: (sequence, rowsMax) =>
      rows(SHARED.before, { sequence: sequence ?? Number.MAX_SAFE_INTEGER, rowsMax }),
    bounds,
    sweep,
  }
}

type Entry = { readonly text: string; readonly owner?: string | undefined }

function addedBy(group: readonly Entry[]): Added {
  const counted = group.flatMap(({ text, owner }) =>
    owner === undefined ? [] : [{ owner, day: String(dayNumber(entryTimeMs(text))) }],
  )
  return {
    texts: group.map(({ text }) => text),
    owners: counted.map(({ owner }) => owner),
    days: counted.map(({ day }) => day),
  }
}

type Waiting = Entry & {
  readonly resolve: (sequence: number) => void
  readonly reject: (error: unknown) => void
}

/**
 * Adds one group of entries at a time: the entries that arrived while the previous group was written. An instance thus
 * waits for other instances on at most one connection. `send` resolves to the number of the last entry.
 */
function createGroupedAppend(
  send: (entries: readonly Entry[]) => Promise<number>,
): AgentJournal['append'] {
  let waiting: Waiting[] = []
  let isSending = false

  async function sendAll(): Promise<void> {
    isSending = true
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      try {
        const last = await send(group)
        for (const [at, { resolve }] of group.entries()) resolve(last - group.length + 1 + at)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    isSending = false
  }

  return (text, owner) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    waiting.push({ text, owner, resolve, reject })
    if (!isSending) sendAll().catch(defaultOnFailure('store', undefined))
    return promise
  }
}

import {
  type AgentJournal,
  dayNumber,
  entryAfter,
  entryTimeMs,
  JOURNAL_START,
  type JournalEntry,
  type JournalPosition,
  lastPast,
  lastPastDay,
} from '../core/agent-journal.ts'
import type { StoreTrouble } from './connection/errors.ts'
import { statement } from './connection/statement.ts'
import type { Statements, TableAccess } from './connection/statements.ts'

type JournalTable = AgentJournal & {
  /** Prunes at most `rowsMax` entries that are past the retention time. Returns their number. */
  readonly sweep: (nowMs: number, rowsMax: number) => number
}

/** The agents' journal in a store's file. */
export function journalTable({ database, synced, durably, guard }: TableAccess): JournalTable {
  const { append } = createJournalWriter(synced)
  const owners = ownerStatements(synced)
  const { prune } = createJournalWriter(database)
  return {
    append: (text, owner) =>
      durably(() => {
        if (owner !== undefined) owners.count.run({ owner, day: dayNumber(entryTimeMs(text)) })
        return append(text)
      }),
    ...reading(database, guard),
    held: createHeldCount(database, guard),
    sweep: (nowMs, rowsMax) => {
      owners.drop.run({ day: lastPastDay(nowMs) })
      return prune(nowMs, rowsMax)
    },
  }
}

function ownerStatements(database: Statements) {
  return {
    count: database.prepare<null, [{ owner: string; day: number }]>(
      `INSERT INTO agent_journal_owners (owner, day, entries) VALUES ($owner, $day, 1)
       ON CONFLICT (owner, day) DO UPDATE SET entries = entries + 1`,
    ),
    drop: database.prepare<null, [{ day: number }]>(
      'DELETE FROM agent_journal_owners WHERE day < $day',
    ),
  }
}

function createHeldCount(database: Statements, guard: StoreTrouble['guard']): AgentJournal['held'] {
  const { held } = journalStatements('agent_journal')
  const sum = database.shared(held)
  return async (owner, nowMs) => guard(() => sum.get({ owner, day: lastPastDay(nowMs) })?.held ?? 0)
}

const PRUNED_AT_ONCE = 100

/**
 * The journal in a file that several processes write, one transaction per entry. All processes extend one hash chain.
 * Each append also deletes entries that are past the retention time.
 */
export function sharedJournal(database: Statements, guard: StoreTrouble['guard']): AgentJournal {
  const { append, prune } = createJournalWriter(database)
  const add = database.transaction((text: string) => {
    prune(entryTimeMs(text), PRUNED_AT_ONCE)
    return append(text)
  })
  return {
    append: async (text) => guard(() => add.immediate(text)),
    ...reading(database, guard),
    // No limit per owner is needed: all processes belong to one user, who owns the disk.
    held: async () => 0,
  }
}

/** Read access to a journal. */
export type JournalReader = Pick<AgentJournal, 'after' | 'before' | 'bounds'>

/** The journal in a file that other processes may have open. Throws SQLiteError. */
export function journalReader(database: Statements): JournalReader {
  return reading(database, (read) => read())
}

const COLUMNS = 'sequence, previous, text, hash'

type Page = { readonly sequence: number; readonly rowsMax: number }

/** The statements shared by SQLite and PostgreSQL. */
export function journalStatements(table: 'agent_journal' | 'prepd_agent_journal') {
  return {
    after: statement<JournalEntry, Page>(
      `SELECT ${COLUMNS} FROM ${table} WHERE sequence > $sequence
       ORDER BY sequence LIMIT $rowsMax`,
    ),
    before: statement<Pick<JournalEntry, 'sequence' | 'text'>, Page>(
      `SELECT sequence, text FROM ${table} WHERE sequence < $sequence
       ORDER BY sequence DESC LIMIT $rowsMax`,
    ),
    held: statement<{ held: number }, { owner: string; day: number }>(
      `SELECT CAST(coalesce(sum(entries), 0) AS bigint) AS held FROM ${table}_owners
       WHERE owner = $owner AND day >= $day`,
    ),
    drop: statement<object, { sequence: number }>(
      `DELETE FROM ${table} WHERE sequence <= $sequence`,
    ),
  }
}

const OWN = journalStatements('agent_journal')

function reading(database: Statements, guard: StoreTrouble['guard']): JournalReader {
  const after = database.shared(OWN.after)
  const before = database.shared(OWN.before)
  const placeOf = bounds(database)
  return {
    after: async (sequence, rowsMax) => guard(() => after.all({ sequence, rowsMax })),
    before: async (sequence, rowsMax) =>
      guard(() => before.all({ sequence: sequence ?? Number.MAX_SAFE_INTEGER, rowsMax })),
    bounds: async () => guard(() => ({ pruned: placeOf('pruned'), newest: placeOf('newest') })),
  }
}

type Bound = 'pruned' | 'newest'

function bounds(database: Statements): (name: Bound) => JournalPosition {
  const find = database.prepare<JournalPosition, [{ name: Bound }]>(
    'SELECT sequence, hash FROM agent_journal_bounds WHERE name = $name',
  )
  return (name) => find.get({ name }) ?? JOURNAL_START
}

function createJournalWriter(database: Statements) {
  const placeOf = bounds(database)
  const oldest = database.shared(OWN.after)
  const put = database.prepare<null, [JournalEntry]>(
    `INSERT INTO agent_journal (${COLUMNS}) VALUES ($sequence, $previous, $text, $hash)`,
  )
  const move = database.prepare<null, [JournalPosition & { readonly name: Bound }]>(
    'UPDATE agent_journal_bounds SET sequence = $sequence, hash = $hash WHERE name = $name',
  )
  const drop = database.shared(OWN.drop)

  /** Moves the journal's lower bound first, because a trigger rejects the deletion of entries above the bound. */
  const forget = database.transaction(({ sequence, hash }: JournalPosition) => {
    move.run({ name: 'pruned', sequence, hash })
    return drop.run({ sequence }).changes
  })

  /** Adds an entry within a transaction. Returns its number. */
  function append(text: string): number {
    const entry = entryAfter(placeOf('newest'), text)
    put.run(entry)
    move.run({ name: 'newest', sequence: entry.sequence, hash: entry.hash })
    return entry.sequence
  }

  function prune(nowMs: number, rowsMax: number): number {
    const [newest, rows] = [placeOf('newest'), { sequence: placeOf('pruned').sequence, rowsMax: 1 }]
    // Fast path: usually the oldest entry is still within the retention time.
    if (lastPast(oldest.all(rows), newest, nowMs) === null) return 0
    const last = lastPast(oldest.all({ ...rows, rowsMax }), newest, nowMs)
    return last === null ? 0 : forget(last)
  }

  return { append, prune }
}

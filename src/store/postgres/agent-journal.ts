import {
  type AgentJournal,
  JOURNAL_START,
  type JournalEntry,
  type JournalPlace,
  lastPast,
} from '../../core/agent-journal.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const ADD: Statement = {
  name: 'add agent entries',
  text: 'SELECT prepd_agent_journal_add($1::text[])::float8 AS last',
}
const AFTER: Statement = {
  name: 'agent entries after',
  text: `SELECT sequence::float8 AS sequence, previous, text, hash FROM prepd_agent_journal
    WHERE sequence > $1 ORDER BY sequence LIMIT $2`,
}
const BEFORE: Statement = {
  name: 'agent entries before',
  text: `SELECT sequence::float8 AS sequence, text FROM prepd_agent_journal
    WHERE sequence < $1 ORDER BY sequence DESC LIMIT $2`,
}
const BOUNDS: Statement = {
  name: 'bounds of agent entries',
  text: 'SELECT name, sequence::float8 AS sequence, hash FROM prepd_agent_journal_bounds',
}
const MOVE: Statement = {
  name: 'move bound of agent entries',
  text: `UPDATE prepd_agent_journal_bounds SET sequence = $1, hash = $2
    WHERE name = 'pruned' AND sequence < $1`,
}
const DROP: Statement = {
  name: 'prune agent entries',
  text: 'DELETE FROM prepd_agent_journal WHERE sequence <= $1',
}

type JournalTable = AgentJournal & {
  /** Prunes what is past its time by this instance's clock; answers how many entries went. */
  readonly sweep: (nowMs: number, rowsMax: number) => Promise<number>
}

/** The journal of the agents of all instances: one chain, to which each adds in one statement. */
export function journalTable({ ask, transact }: Pick<Link, 'ask' | 'transact'>): JournalTable {
  const after: AgentJournal['after'] = async (sequence, rowsMax) =>
    (await guarded(ask<JournalEntry>(AFTER, [sequence, rowsMax]))).rows

  async function bounds() {
    const { rows } = await guarded(ask<JournalPlace & { readonly name: string }>(BOUNDS))
    const place = (name: string): JournalPlace => {
      const { sequence, hash } = rows.find((row) => row.name === name) ?? JOURNAL_START
      return { sequence, hash }
    }
    return { pruned: place('pruned'), newest: place('newest') }
  }

  async function sweep(nowMs: number, rowsMax: number): Promise<number> {
    const { pruned, newest } = await bounds()
    const oldest = await after(pruned.sequence, 1)
    if (lastPast(oldest, newest, nowMs) === null) return 0
    const last = lastPast(await after(pruned.sequence, rowsMax), newest, nowMs)
    if (last === null) return 0
    const { sequence, hash } = last
    return transact(async (session) => {
      await session.ask(MOVE, [sequence, hash])
      return (await session.ask(DROP, [sequence])).count
    })
  }

  return {
    append: adding(async (texts) => {
      const { rows } = await guarded(ask<{ readonly last: number }>(ADD, [texts]))
      return rows[0]?.last ?? 0
    }),
    after,
    before: async (sequence, rowsMax) => {
      const values = [sequence ?? Number.MAX_SAFE_INTEGER, rowsMax]
      return (await guarded(ask<Pick<JournalEntry, 'sequence' | 'text'>>(BEFORE, values))).rows
    },
    bounds,
    sweep,
  }
}

type Waiting = {
  readonly text: string
  readonly resolve: (sequence: number) => void
  readonly reject: (error: unknown) => void
}

/**
 * Adds one group of entries at a time, each of those that came while the one before was under way, so that an instance
 * holds at most one connection on which it waits for other instances. `send` answers the number of the last entry.
 */
function adding(send: (texts: readonly string[]) => Promise<number>): AgentJournal['append'] {
  let waiting: Waiting[] = []
  let isSending = false

  async function sendAll(): Promise<void> {
    isSending = true
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      try {
        const last = await send(group.map(({ text }) => text))
        for (const [at, { resolve }] of group.entries()) resolve(last - group.length + 1 + at)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    isSending = false
  }

  return (text) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    waiting.push({ text, resolve, reject })
    if (!isSending) sendAll().catch(orElse('store', undefined))
    return promise
  }
}

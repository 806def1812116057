import { AGENT_JOURNAL } from '../contract/agent-journal.ts'
import { DAY_MS } from '../contract/durations.ts'
import { sha256Hex } from './digest.ts'
import { isObject, parsedJson } from './json.ts'

/** One entry of a journal. `previous` is the hash of the preceding entry; `hash` covers `previous`, `sequence` and `text`. */
export type JournalEntry = {
  readonly sequence: number
  readonly previous: string
  readonly text: string
  readonly hash: string
}

/** A position in a journal: the number and the hash of an entry. */
export type JournalPosition = Pick<JournalEntry, 'sequence' | 'hash'>

/** The position before the first entry. */
export const JOURNAL_START: JournalPosition = { sequence: 0, hash: '0'.repeat(64) }

/** An append-only journal, chained by hashes. Throws Failure `store_unavailable` like `Store`. */
export type AgentJournal = {
  /** Adds an entry and counts it for its owner. Returns its number. Durable when the promise resolves. */
  readonly append: (text: string, owner?: string) => Promise<number>
  /** The number of an owner's entries within the retention time, which counts whole days. */
  readonly held: (owner: string, nowMs: number) => Promise<number>
  /** Entries after a sequence number, oldest first. */
  readonly after: (sequence: number, rowsMax: number) => Promise<readonly JournalEntry[]>
  /** Entries before a sequence number, newest first; null reads from the end of the journal. */
  readonly before: (
    sequence: number | null,
    rowsMax: number,
  ) => Promise<readonly Pick<JournalEntry, 'sequence' | 'text'>[]>
  /** The last pruned entry and the newest entry. */
  readonly bounds: () => Promise<{
    readonly pruned: JournalPosition
    readonly newest: JournalPosition
  }>
}

/** The entry that follows a position. */
export function entryAfter(
  { sequence, hash: previous }: JournalPosition,
  text: string,
): JournalEntry {
  const link = { sequence: sequence + 1, previous, text }
  return { ...link, hash: entryHash(link) }
}

/** SHA-256 of the previous hash, the number and the text, one per line. */
export function entryHash({ previous, sequence, text }: Omit<JournalEntry, 'hash'>): string {
  return sha256Hex(`${previous}\n${sequence}\n${text}`)
}

/** A write of an agent, before it is sent. */
export type BegunWrite = {
  readonly atMs: number
  /** The shortened account id: it identifies the account without revealing a secret. */
  readonly account: string
  readonly tool: string
  /** The limits at the time of the write, as JSON values. */
  readonly limits: Readonly<Record<string, unknown>>
  /** SHA-256 of method, path and body. */
  readonly digest: string
}

/** A write of an agent with its outcome: `ok`, a failure code, or `unknown` without a recorded outcome. */
export type AgentWrite = BegunWrite & { readonly sequence: number; readonly outcome: string }

/** The text of a write's first entry. */
export function begunText({ atMs, account, tool, limits, digest }: BegunWrite): string {
  return JSON.stringify({ atMs, account, tool, limits, digest })
}

/** The text of a write's second entry; `of` is the sequence number of the first. */
export function endedText(of: number, atMs: number, outcome: string): string {
  return JSON.stringify({ atMs, of, outcome })
}

/** The day of a time, counted from 1970 (UTC). */
export function dayNumber(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS)
}

/** The last day whose entries are older than the retention time. */
export function lastPastDay(nowMs: number): number {
  return dayNumber(nowMs - AGENT_JOURNAL.keptMs)
}

/** The time of an entry; NaN if it cannot be read. */
export function entryTimeMs(text: string): number {
  const entry = parsedJson(text)
  return isObject(entry) ? Number(entry['atMs']) : Number.NaN
}

/**
 * The last entry to prune; null without such an entry. The oldest entries are pruned if they are past the retention
 * time or above the maximum number. An entry with an unreadable time is kept.
 */
export function lastPast(
  oldest: readonly JournalEntry[],
  newest: JournalPosition,
  nowMs: number,
): JournalPosition | null {
  const { keptMs, entriesMax } = AGENT_JOURNAL
  const young = oldest.findIndex(({ sequence, text }) => {
    return !(entryTimeMs(text) <= nowMs - keptMs) && sequence > newest.sequence - entriesMax
  })
  const past = young === -1 ? oldest : oldest.slice(0, young)
  return past.at(-1) ?? null
}

/** Number of entries per read. */
export const JOURNAL_PAGE_ROWS = 500

type Shown = Pick<JournalEntry, 'sequence' | 'text'>

/** The newest writes, newest first. */
export async function newestWrites(
  journal: Pick<AgentJournal, 'before'>,
  rowsMax: number,
): Promise<readonly AgentWrite[]> {
  const outcomes = new Map<number, string>()
  const writes: AgentWrite[] = []
  for await (const { sequence, text } of newestEntries(journal)) {
    const entry = parsedJson(text)
    if (!isObject(entry)) continue
    const { of, outcome } = entry
    // The entry with a write's outcome is newer, so this loop meets it first.
    if (of !== undefined) outcomes.set(Number(of), String(outcome))
    else writes.push(toAgentWrite(sequence, entry, outcomes.get(sequence) ?? 'unknown'))
    if (writes.length === rowsMax) break
  }
  return writes
}

async function* newestEntries({ before }: Pick<AgentJournal, 'before'>): AsyncGenerator<Shown> {
  let page = await before(null, JOURNAL_PAGE_ROWS)
  while (page.length > 0) {
    yield* page
    page = await before(page.at(-1)?.sequence ?? 0, JOURNAL_PAGE_ROWS)
  }
}

function toAgentWrite(
  sequence: number,
  entry: Readonly<Record<string, unknown>>,
  outcome: string,
): AgentWrite {
  const { atMs, account, tool, limits, digest } = entry
  return {
    sequence,
    atMs: Number(atMs),
    account: String(account),
    tool: String(tool),
    limits: isObject(limits) ? limits : {},
    digest: String(digest),
    outcome,
  }
}

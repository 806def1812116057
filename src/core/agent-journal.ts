import { AGENT_JOURNAL } from '../contract/agent-journal.ts'
import { DAY_MS } from '../contract/durations.ts'
import { sha256Hex } from './digest.ts'
import { isObject, parsedJson } from './json.ts'

/** One entry of a journal: `hash` covers `previous`, which is the hash of the entry before, `sequence` and `text`. */
export type JournalEntry = {
  readonly sequence: number
  readonly previous: string
  readonly text: string
  readonly hash: string
}

/** A place in a journal: the entry of a number, by its hash. */
export type JournalPlace = Pick<JournalEntry, 'sequence' | 'hash'>

/** The place before the first entry. */
export const JOURNAL_START: JournalPlace = { sequence: 0, hash: '0'.repeat(64) }

/** An append-only journal whose entries are chained. Throws Failure `store_unavailable`: nothing was added then. */
export type AgentJournal = {
  /** Adds an entry, and counts it for its owner; answers its number. On the disk when its promise is kept. */
  readonly append: (text: string, owner?: string) => Promise<number>
  /** How many entries of an owner were added within the time for which entries are kept, in whole days. */
  readonly held: (owner: string, nowMs: number) => Promise<number>
  /** Entries after a number, the oldest first. */
  readonly after: (sequence: number, rowsMax: number) => Promise<readonly JournalEntry[]>
  /** Entries before a number, the newest first; of all for null. */
  readonly before: (
    sequence: number | null,
    rowsMax: number,
  ) => Promise<readonly Pick<JournalEntry, 'sequence' | 'text'>[]>
  /** The last entry that was pruned, and the newest entry. */
  readonly bounds: () => Promise<{ readonly pruned: JournalPlace; readonly newest: JournalPlace }>
}

/** The entry that continues a journal at a place. */
export function entryAfter({ sequence, hash: previous }: JournalPlace, text: string): JournalEntry {
  const link = { sequence: sequence + 1, previous, text }
  return { ...link, hash: hashOf(link) }
}

/** SHA-256 of the hash before, the number and the text, a line each. */
export function hashOf({ previous, sequence, text }: Omit<JournalEntry, 'hash'>): string {
  return sha256Hex(`${previous}\n${sequence}\n${text}`)
}

/** A write of an agent, before it is sent. */
export type BegunWrite = {
  readonly atMs: number
  /** Shortened: it identifies an account and reveals nothing of a secret. */
  readonly account: string
  readonly tool: string
  /** The limits under which it was made, as JSON has them. */
  readonly limits: Readonly<Record<string, unknown>>
  /** SHA-256 of method, path and body. */
  readonly digest: string
}

/** A write of an agent with its outcome: `ok`, a code of the closed list, or `unknown` where nothing more is recorded. */
export type AgentWrite = BegunWrite & { readonly sequence: number; readonly outcome: string }

/** The text of a write's first entry. */
export function begunText({ atMs, account, tool, limits, digest }: BegunWrite): string {
  return JSON.stringify({ atMs, account, tool, limits, digest })
}

/** The text of a write's second entry; `of` is the number of the first. */
export function endedText(of: number, atMs: number, outcome: string): string {
  return JSON.stringify({ atMs, of, outcome })
}

/** The day of a time, counted from 1970 (UTC). */
export function dayNumber(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS)
}

/** The last day whose entries are past their time. */
export function lastPastDay(nowMs: number): number {
  return dayNumber(nowMs - AGENT_JOURNAL.keptMs)
}

/** When an entry was made; NaN where that cannot be read. */
export function timeOf(text: string): number {
  const entry = parsedJson(text)
  return isObject(entry) ? Number(entry['atMs']) : Number.NaN
}

/**
 * The last of the oldest entries that are past their time, or beyond the most that are kept; null where none is. An
 * entry whose time cannot be read is not past.
 */
export function lastPast(
  oldest: readonly JournalEntry[],
  newest: JournalPlace,
  nowMs: number,
): JournalPlace | null {
  const { keptMs, entriesMax } = AGENT_JOURNAL
  const young = oldest.findIndex(({ sequence, text }) => {
    return !(timeOf(text) <= nowMs - keptMs) && sequence > newest.sequence - entriesMax
  })
  const past = young === -1 ? oldest : oldest.slice(0, young)
  return past.at(-1) ?? null
}

/** How many entries are read at once. */
export const JOURNAL_PAGE_ROWS = 500

type Shown = Pick<JournalEntry, 'sequence' | 'text'>

/** The newest writes, the newest first. */
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
    // The outcome of a write is a later entry, and so met first.
    if (of !== undefined) outcomes.set(Number(of), String(outcome))
    else writes.push(writeOf(sequence, entry, outcomes.get(sequence) ?? 'unknown'))
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

function writeOf(
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

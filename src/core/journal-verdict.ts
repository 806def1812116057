import {
  type AgentJournal,
  hashOf,
  JOURNAL_PAGE_ROWS,
  type JournalEntry,
  type JournalPlace,
} from './agent-journal.ts'

/** What is wrong with a journal, at the first entry where it is. `unexpected` is an entry beyond the end. */
type Fault = {
  readonly fault: 'changed' | 'missing' | 'unexpected'
  readonly sequence: number
}

/** Whether a journal is as it was written. */
export type JournalVerdict =
  | {
      readonly sound: true
      readonly entries: number
      /** The last entry that was pruned; number 0 where none was. */
      readonly pruned: string
      readonly newest: string
    }
  | ({ readonly sound: false } & Fault)

type Journal = Pick<AgentJournal, 'after' | 'bounds'>

/**
 * Follows the chain from the last pruned entry to the end. `witness` is a place that was noted elsewhere: its entry
 * must be there, or be pruned.
 */
export async function verifyJournal(
  journal: Journal,
  witness: JournalPlace | null = null,
): Promise<JournalVerdict> {
  const { pruned } = await journal.bounds()
  const { last, fault } = await follow(journal, pruned, witness)
  if (fault === null) {
    const [entries, newest] = [last.sequence - pruned.sequence, placeText(last)]
    return { sound: true, entries, pruned: placeText(pruned), newest }
  }
  // The oldest entries may go while they are read.
  const { pruned: since } = await journal.bounds()
  if (since.sequence > pruned.sequence) return verifyJournal(journal, witness)
  return { sound: false, ...fault }
}

type Followed = { readonly last: JournalPlace; readonly fault: Fault | null }

/** How far the chain holds after a place, and what ends it before its end. */
async function follow(
  journal: Journal,
  start: JournalPlace,
  witness: JournalPlace | null,
): Promise<Followed> {
  let last = start
  for await (const entry of entriesAfter(journal, start)) {
    const fault = faultOf(last, entry, witness)
    if (fault) return { last, fault }
    last = { sequence: entry.sequence, hash: entry.hash }
  }
  const { newest } = await journal.bounds()
  // What was added since the last entry was read is there now.
  const grown =
    newest.sequence > last.sequence && (await journal.after(last.sequence, 1)).length > 0
  return grown ? follow(journal, last, witness) : { last, fault: endFault(last, newest, witness) }
}

async function* entriesAfter(
  { after }: Pick<Journal, 'after'>,
  { sequence }: JournalPlace,
): AsyncGenerator<JournalEntry> {
  let page = await after(sequence, JOURNAL_PAGE_ROWS)
  while (page.length > 0) {
    yield* page
    page = await after(page.at(-1)?.sequence ?? sequence, JOURNAL_PAGE_ROWS)
  }
}

function faultOf(
  last: JournalPlace,
  entry: JournalEntry,
  witness: JournalPlace | null,
): Fault | null {
  const { sequence, previous, hash } = entry
  if (sequence !== last.sequence + 1) return { fault: 'missing', sequence: last.sequence + 1 }
  if (hash !== hashOf(entry)) return { fault: 'changed', sequence }
  // A sound entry that follows another than the one that is there: that one was changed.
  if (previous !== last.hash) return { fault: 'changed', sequence: Math.max(1, last.sequence) }
  if (witness?.sequence === sequence && witness.hash !== hash) return { fault: 'changed', sequence }
  return null
}

function endFault(
  last: JournalPlace,
  newest: JournalPlace,
  witness: JournalPlace | null,
): Fault | null {
  const next = last.sequence + 1
  if (newest.sequence < last.sequence) return { fault: 'unexpected', sequence: newest.sequence + 1 }
  if (newest.sequence > last.sequence) return { fault: 'missing', sequence: next }
  if (newest.hash !== last.hash) return { fault: 'changed', sequence: Math.max(1, last.sequence) }
  return witness && witness.sequence > last.sequence ? { fault: 'missing', sequence: next } : null
}

function placeText({ sequence, hash }: JournalPlace): string {
  return `${sequence}:${hash}`
}

/** The place of a text such as a verdict holds: a number and a hash. */
export function placeOf(text: string): JournalPlace {
  const [sequence = '', hash = ''] = text.split(':')
  return { sequence: Number(sequence), hash }
}

import {
  type AgentJournal,
  entryHash,
  JOURNAL_PAGE_ROWS,
  type JournalEntry,
  type JournalPosition,
} from './agent-journal.ts'

/** The first fault of a journal. `unexpected`: an entry beyond the end. */
type Fault = {
  readonly fault: 'changed' | 'missing' | 'unexpected'
  readonly sequence: number
}

/** The result of verifying a journal. */
export type JournalVerdict =
  | {
      readonly sound: true
      readonly entries: number
      /** The position of the last pruned entry; its number is 0 if nothing was pruned. */
      readonly pruned: string
      readonly newest: string
    }
  | ({ readonly sound: false } & Fault)

type Journal = Pick<AgentJournal, 'after' | 'bounds'>

/**
 * Verifies the chain from the last pruned entry to the end. `witness` is a position noted outside the journal; its
 * entry must exist or be pruned.
 */
export async function verifyJournal(
  journal: Journal,
  witness: JournalPosition | null,
): Promise<JournalVerdict> {
  const { pruned } = await journal.bounds()
  const { last, fault } = await follow(journal, pruned, witness)
  if (fault === null) {
    const [entries, newest] = [last.sequence - pruned.sequence, placeText(last)]
    return { sound: true, entries, pruned: placeText(pruned), newest }
  }
  // The oldest entries may be pruned during the read.
  const { pruned: since } = await journal.bounds()
  if (since.sequence > pruned.sequence) return verifyJournal(journal, witness)
  return { sound: false, ...fault }
}

/** Follows the chain from a position. Returns the last valid entry, and the fault that ends the chain early, if any. */
async function follow(
  journal: Journal,
  start: JournalPosition,
  witness: JournalPosition | null,
): Promise<{ readonly last: JournalPosition; readonly fault: Fault | null }> {
  let last = start
  for await (const entry of entriesAfter(journal, start)) {
    const fault = entryFault(last, entry, witness)
    if (fault) return { last, fault }
    last = { sequence: entry.sequence, hash: entry.hash }
  }
  const { newest } = await journal.bounds()
  // Entries that were added since the last read are checked too.
  const grown =
    newest.sequence > last.sequence && (await journal.after(last.sequence, 1)).length > 0
  return grown ? follow(journal, last, witness) : { last, fault: endFault(last, newest, witness) }
}

async function* entriesAfter(
  { after }: Pick<Journal, 'after'>,
  { sequence }: JournalPosition,
): AsyncGenerator<JournalEntry> {
  let page = await after(sequence, JOURNAL_PAGE_ROWS)
  while (page.length > 0) {
    yield* page
    page = await after(page.at(-1)?.sequence ?? sequence, JOURNAL_PAGE_ROWS)
  }
}

function entryFault(
  last: JournalPosition,
  entry: JournalEntry,
  witness: JournalPosition | null,
): Fault | null {
  const { sequence, previous, hash } = entry
  if (sequence !== last.sequence + 1) return { fault: 'missing', sequence: last.sequence + 1 }
  if (hash !== entryHash(entry)) return { fault: 'changed', sequence }
  // This entry is valid but refers to a different predecessor, so the stored predecessor was changed.
  if (previous !== last.hash) return { fault: 'changed', sequence: Math.max(1, last.sequence) }
  if (witness?.sequence === sequence && witness.hash !== hash) return { fault: 'changed', sequence }
  return null
}

function endFault(
  last: JournalPosition,
  newest: JournalPosition,
  witness: JournalPosition | null,
): Fault | null {
  const next = last.sequence + 1
  if (newest.sequence < last.sequence) return { fault: 'unexpected', sequence: newest.sequence + 1 }
  if (newest.sequence > last.sequence) return { fault: 'missing', sequence: next }
  if (newest.hash !== last.hash) return { fault: 'changed', sequence: Math.max(1, last.sequence) }
  return witness && witness.sequence > last.sequence ? { fault: 'missing', sequence: next } : null
}

function placeText({ sequence, hash }: JournalPosition): string {
  return `${sequence}:${hash}`
}

/** Parses the position in a verdict's text: a number and a hash. */
export function parseJournalPosition(text: string): JournalPosition {
  const [sequence = '', hash = ''] = text.split(':')
  return { sequence: Number(sequence), hash }
}

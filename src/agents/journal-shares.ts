import { AGENT_JOURNAL } from '../contract/agent-journal.ts'
import { type AgentJournal, type BegunWrite, begunText, endedText } from '../core/agent-journal.ts'
import type { Clock } from '../core/ports.ts'

/** Records a write before it is sent, and returns a function that records its outcome. Throws Failure `store_unavailable`. */
export type RecordWrite = (write: BegunWrite) => Promise<(outcome: string) => Promise<void>>

/** Records two entries per write: one before it, one with its outcome. */
export function recordEach(
  journal: Pick<AgentJournal, 'append'>,
  clock: Clock,
  owner?: string,
): RecordWrite {
  return async (write) => {
    const begun = await journal.append(begunText(write), owner)
    return async (outcome) => {
      await journal.append(endedText(begun, clock.nowMs(), outcome), owner)
    }
  }
}

/** The writes of one owner within ten minutes, which share two journal entries. */
type Group = {
  readonly untilMs: number
  readonly begun: Promise<number>
  readonly counts: Map<string, number>
}

/**
 * Records the writes of owners who share a journal. Each write gets two entries until the owner has used up its share.
 * After that, all writes within ten minutes share two entries: the tool is `several`, and the outcome counts each code.
 * Afterwards the owner's next write ends the group. Until then, the outcome of the group shows as unknown.
 */
export function createJournalShares(
  journal: Pick<AgentJournal, 'append' | 'held'>,
  clock: Clock,
): (owner: string) => RecordWrite {
  const groups = new Map<string, Group>()

  function open(owner: string, write: BegunWrite): Group {
    const text = begunText({ ...write, tool: 'several', digest: '' })
    const untilMs = clock.nowMs() + AGENT_JOURNAL.groupMs
    const group = { untilMs, begun: journal.append(text, owner), counts: new Map() }
    groups.set(owner, group)
    return group
  }

  async function close(owner: string, { begun, counts }: Group): Promise<void> {
    const outcome = [...counts].map(([code, count]) => `${code} ${count}`).join(', ')
    await journal.append(endedText(await begun, clock.nowMs(), outcome), owner)
  }

  /** Ends an owner's last group after its ten minutes. Called once the owner is below its share again. */
  async function endGroup(owner: string): Promise<void> {
    const last = groups.get(owner)
    if (!last || clock.nowMs() < last.untilMs) return
    groups.delete(owner)
    await close(owner, last)
  }

  async function grouped(owner: string, write: BegunWrite) {
    const last = groups.get(owner)
    const isOver = last === undefined || clock.nowMs() >= last.untilMs
    const group = isOver ? open(owner, write) : last
    try {
      await group.begun
    } catch (error) {
      // Without its first entry the group cannot be used, so the next write opens a new one.
      if (groups.get(owner) === group) groups.delete(owner)
      throw error
    }
    if (isOver && last) await close(owner, last)
    return async (outcome: string) => {
      group.counts.set(outcome, (group.counts.get(outcome) ?? 0) + 1)
    }
  }

  return (owner) => async (write) => {
    const held = await journal.held(owner, clock.nowMs())
    if (held >= AGENT_JOURNAL.shareMax) return grouped(owner, write)
    await endGroup(owner)
    return recordEach(journal, clock, owner)(write)
  }
}

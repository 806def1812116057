import { ACT_LIMITS, ACTS } from '../contract/operator/acts.ts'
import { newestWrites } from '../core/agent-journal.ts'
import { parseJournalPosition, verifyJournal } from '../core/journal-verdict.ts'
import { printable } from '../core/settings/usage-error.ts'
import { actCommand, parseActFlags } from './act.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { JOURNAL_FLAG } from './command/flags.ts'
import { answerLines } from './command/tables.ts'

/** The actions that read the agents' journal. */
export type JournalAct = 'listAgentWrites' | 'verifyAgentWrites'

/**
 * Reads the journal of the running server, or with `--file` that of a file, which may be in use. Returns the exit code:
 * 0, 1 for a changed entry or without a journal, 64 for a malformed flag.
 */
export async function journalCommand(
  name: JournalAct,
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0 | 1> {
  const path = args.get(JOURNAL_FLAG.flag)
  if (path === undefined) return actCommand(name, deps, args)
  const { complain, report, world } = deps
  const { rows = String(ACT_LIMITS.rowsDefault), witness } = parseActFlags(ACTS[name], args)
  try {
    const { readJournal } = world.openStoreFile(path)
    const answer = await readJournal<object>(async (journal) =>
      name === 'listAgentWrites'
        ? { rows: await newestWrites(journal, Number(rows)) }
        : await verifyJournal(
            journal,
            witness === undefined ? null : parseJournalPosition(witness),
          ),
    )
    report({ ...answer, file: path }, [
      printable(`in ${path}`),
      ...answerLines(answer, world.clock.nowMs()),
    ])
    return 'sound' in answer && !answer.sound ? 1 : 0
  } catch (error) {
    complain(printable(error instanceof Error ? error.message : 'unknown'))
    return 1
  }
}

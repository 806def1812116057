import { UsageError } from '../../settings/usage-error.ts'
import { type Command, type CommandArguments, type CommandDeps, printMisuse } from '../command.ts'
import { completionLines } from './scripts.ts'
import { shellWords } from './words.ts'

/** Prints a completion script for a shell. Answers the exit code: 0, or 64 for a shell that is not known. */
export async function completionCommand(
  commands: readonly Command[],
  { print, tell }: Pick<CommandDeps, 'print' | 'tell'>,
  args: CommandArguments,
): Promise<0 | 64> {
  try {
    const lines = completionLines(args.get('SHELL') ?? '', shellWords(commands))
    tell({ lines }, lines)
    return 0
  } catch (error) {
    if (error instanceof UsageError) return printMisuse(print, ...error.lines)
    throw error
  }
}

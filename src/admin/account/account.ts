import { ClientFailure } from '../../client/client.ts'
import { UsageError } from '../../settings/usage-error.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from '../command.ts'
import { bindCommand } from './bind.ts'
import { createCommand } from './create.ts'
import { fundCommand, listCommand, showCommand } from './desk.ts'
import { openPlace } from './place.ts'

/** What each command does at the place it was sent to: it answers what to tell. */
export const ACCOUNT_COMMANDS = {
  create: createCommand,
  bind: bindCommand,
  list: listCommand,
  show: showCommand,
  fund: fundCommand,
} as const

/**
 * Runs an account command. Answers the exit code: 0, 1 when the service did not do it, 64 when a flag is missing or off,
 * or no service is there.
 */
export async function accountCommand(
  word: keyof typeof ACCOUNT_COMMANDS,
  deps: CommandDeps,
  args: CommandArguments,
): Promise<0 | 1 | 64> {
  try {
    const place = await openPlace(deps, args)
    try {
      const { value, lines } = await ACCOUNT_COMMANDS[word](deps, args, place)
      deps.tell(value, lines)
      return 0
    } finally {
      await place.close()
    }
  } catch (error) {
    if (error instanceof UsageError) return printMisuse(deps.print, ...error.lines)
    if (!(error instanceof ClientFailure)) throw error
    deps.print(`${error.code}: ${error.message}`)
    return 1
  }
}

import { recordsLocation } from '../../core/settings/engines.ts'
import { printable } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from './command.ts'
import { answerLines } from './tables.ts'

/** A command on a data directory. Returns the exit code. */
export type StoreCommand = (deps: CommandEnvironment, args: CommandArguments) => Promise<0 | 1>

/** Throws an Error if the records are in shared engines, which have tools of their own. */
export function assertOwnFile(settings: CommandEnvironment['settings']): void {
  if (settings.engines)
    throw new Error(
      `records are in ${recordsLocation(settings)}: keep and check them with its own tools, such as pg_basebackup`,
    )
}

/** Reports the result of a call and returns 0. If the call throws, prints the error and returns 1. */
export async function reported(
  deps: CommandEnvironment,
  call: () => Promise<object>,
): Promise<0 | 1> {
  try {
    const answer = await call()
    deps.report(answer, answerLines(answer, deps.world.clock.nowMs()))
    return 0
  } catch (error) {
    deps.complain(printable(error instanceof Error ? error.message : 'unknown'))
    return 1
  }
}

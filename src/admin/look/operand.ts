import { textOf } from '../../settings/files.ts'
import { LIMITS } from '../../spec/limits.ts'
import type { CommandArguments, CommandDeps } from '../command.ts'

/** The text that the operand FILE names; `-` is what is piped in. Null when it cannot be read. */
export async function readOperand(
  { files, world }: Pick<CommandDeps, 'files' | 'world'>,
  args: CommandArguments,
): Promise<string | null> {
  const path = args.get('FILE') ?? ''
  return path === '-' ? world.disk.readInput() : textOf(files, path, LIMITS.upstreamBodyMaxBytes)
}

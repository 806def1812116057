import type { Command } from './command/command.ts'

/** The operator's commands, loaded by whoever first asks: the other modes start without their code. */
export function operatorCommands(): readonly Command[] {
  const commands: typeof import('./commands.ts') = require('./commands.ts')
  return commands.operatorCommands()
}

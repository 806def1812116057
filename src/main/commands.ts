import type { Command } from '../operator/command/command.ts'

let made: readonly Command[] | null = null

/** All operator commands. Their code is loaded at first use, so that other modes start without it. */
export function operatorCommands(): readonly Command[] {
  made ??= loadCommands()
  return made
}

function loadCommands(): readonly Command[] {
  const {
    commandRows,
  }: typeof import('../operator/commands.ts') = require('../operator/commands.ts')
  const { EVAL_COMMANDS, TAPE_COMMANDS }: typeof import('../lab/commands.ts') =
    require('../lab/commands.ts')
  return commandRows([...TAPE_COMMANDS, ...EVAL_COMMANDS])
}

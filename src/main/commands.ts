import type { Command } from '../operator/command/command.ts'

let made: readonly Command[] | null = null

/** All admin commands. Loaded at first use, so that the other modes start without their code. */
export function operatorCommands(): readonly Command[] {
  made ??= loadCommands()
  return made
}

function loadCommands(): readonly Command[] {
  const {
    commandRows,
  }: typeof import('../operator/commands.ts') = require('../operator/commands.ts')
  const { EVAL_COMMANDS }: typeof import('../lab/eval/commands.ts') =
    require('../lab/eval/commands.ts')
  const { TAPE_COMMANDS }: typeof import('../lab/tape/rows.ts') = require('../lab/tape/rows.ts')
  return commandRows([...TAPE_COMMANDS, ...EVAL_COMMANDS])
}

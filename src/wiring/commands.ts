import type { Command } from '../admin/command/command.ts'

let made: readonly Command[] | null = null

/** Every admin command. Loaded when first asked for: the other modes start without their code. */
export function operatorCommands(): readonly Command[] {
  made ??= loadCommands()
  return made
}

function loadCommands(): readonly Command[] {
  const { commandRows }: typeof import('../admin/commands.ts') = require('../admin/commands.ts')
  const { EVAL_COMMANDS }: typeof import('../admin/eval/commands.ts') =
    require('../admin/eval/commands.ts')
  const { TAPE_COMMANDS }: typeof import('../admin/tape/rows.ts') = require('../admin/tape/rows.ts')
  return commandRows([...TAPE_COMMANDS, ...EVAL_COMMANDS])
}

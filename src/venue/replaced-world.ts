import type { CommandName } from '../spec/venue/commands.ts'

/** The command that starts a new world in place of one that cannot be used. */
export const NEW_WORLD = '`prepd --mode admin venue reset` starts a new one, without its accounts'

const REPLACES_WORLD: ReadonlySet<string> = new Set<CommandName>(['reset', 'restore'])

/** Whether a command puts another world in the place of the present one, and so needs none that can be used. */
export function replacesWorld(command: string): boolean {
  return REPLACES_WORLD.has(command)
}

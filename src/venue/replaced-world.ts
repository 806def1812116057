import type { CommandName } from '../spec/venue/commands.ts'

/** The command that replaces an unusable world with a new one. */
export const NEW_WORLD = '`prepd --mode admin venue reset` starts a new one, without its accounts'

const REPLACES_WORLD: ReadonlySet<string> = new Set<CommandName>(['reset', 'restore'])

/** Whether a command replaces the world, so that it also runs on an unusable one. */
export function replacesWorld(command: string): boolean {
  return REPLACES_WORLD.has(command)
}

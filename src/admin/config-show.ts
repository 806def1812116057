import type { Entry } from '../settings/sources.ts'
import { SETTING_ROWS, type Setting } from '../spec/settings.ts'
import type { CommandArguments, CommandDeps } from './command.ts'
import { aligned } from './help.ts'

/** Prints each setting with its value in force; `--origin` adds where it came from. Secrets are `set` or `not set`. */
export async function configShow(
  { print, entries }: CommandDeps,
  args: CommandArguments,
): Promise<number> {
  const rows = new Map<string, Setting>(SETTING_ROWS.map((row) => [row.name, row]))
  const cells = entries.map((entry) => [
    entry.name,
    ...(args.has('--origin') ? [entry.origin] : []),
    shown(entry, rows.get(entry.name)?.secret === true),
  ])
  for (const line of aligned(cells)) print(line)
  return 0
}

function shown({ text }: Entry, secret: boolean): string {
  if (text === null) return 'not set'
  return secret ? 'set' : text
}

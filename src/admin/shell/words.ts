import { flagOf, givenNames } from '../../settings/sources.ts'
import { FLAGS, MODES, SETTING_ROWS } from '../../spec/settings.ts'
import type { Command } from '../command.ts'

/** What a shell can complete: flags, the words of a flag, and commands with flags of their own. */
export type ShellWords = {
  readonly flags: readonly ShellFlag[]
  readonly modes: readonly string[]
  readonly commands: readonly ShellCommand[]
}

export type ShellFlag = {
  readonly flag: string
  readonly meaning: string
  readonly takesValue: boolean
}

export type ShellCommand = {
  readonly words: readonly string[]
  readonly summary: string
  readonly flags: readonly ShellFlag[]
  readonly takesFile: boolean
}

/** The words of this prepd, from its tables. */
export function shellWords(commands: readonly Command[]): ShellWords {
  return {
    modes: MODES,
    flags: [
      ...Object.entries(FLAGS).map(([flag, { meaning, value }]) => ({
        flag,
        meaning: plain(meaning),
        takesValue: value !== undefined,
      })),
      ...SETTING_ROWS.flatMap((row) =>
        givenNames(row)
          .slice(row.secret ? 1 : 0)
          .map((name) => ({ flag: flagOf(name), meaning: plain(row.meaning), takesValue: true })),
      ),
    ],
    commands: commands.map(({ path, summary, operand, arguments: flags }) => ({
      words: path.split(' '),
      summary,
      takesFile: operand?.shown === 'FILE',
      flags: flags.map(({ flag, meaning, value }) => ({
        flag,
        meaning,
        takesValue: value !== undefined,
      })),
    })),
  }
}

/** The tables are written in Markdown; a terminal needs no backticks. */
function plain(meaning: string): string {
  return meaning.replaceAll('`', '')
}

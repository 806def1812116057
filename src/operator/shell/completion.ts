import { FLAGS, MODES, SETTING_ROWS } from '../../contract/settings.ts'
import { givenNames, settingFlag } from '../../core/settings/sources.ts'
import type { Command } from '../command/command.ts'
import { plain } from '../command/help.ts'
import template from './completion.bash' with { type: 'text' }

/** The script that completes these commands in a shell; null for an unknown shell. */
export function completionLines(
  shell: string,
  commands: readonly Command[],
): readonly string[] | null {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
  return script ? script(shellWords(commands)) : null
}

const SCRIPTS: Readonly<Record<string, (words: ShellWords) => readonly string[]>> = {
  bash,
  zsh,
  fish,
}

type ShellWords = ReturnType<typeof shellWords>
type ShellFlag = ShellWords['flags'][number]
type ShellCommand = ShellWords['commands'][number]

/** The completions from this build's tables: flags, values of each flag, and commands with their flags. */
function shellWords(commands: readonly Command[]) {
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
          .map((name) => ({
            flag: settingFlag(name),
            meaning: plain(row.meaning),
            takesValue: true,
          })),
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

/** The words that may follow each prefix of a command's words. */
function followers(commands: readonly ShellCommand[]): ReadonlyMap<string, ReadonlySet<string>> {
  const next = new Map<string, Set<string>>()
  for (const { words } of commands) {
    words.forEach((word, at) => {
      const before = words.slice(0, at).join(' ')
      next.set(before, (next.get(before) ?? new Set()).add(word))
    })
  }
  return next
}

function flagNames(flags: readonly ShellFlag[]): string {
  return flags.map(({ flag }) => flag).join(' ')
}

function bash(words: ShellWords): string[] {
  return ['# bash: eval "$(prepd --mode admin completion bash)"', ...bashLines(words)]
}

function bashLines({ flags, modes, commands }: ShellWords): string[] {
  const takers = [...flags, ...commands.flatMap((command) => command.flags)]
  const filled: Readonly<Record<string, string>> = {
    VALUED: flagNames(takers.filter(({ takesValue }) => takesValue)),
    FLAGS: flagNames(flags),
    MODES: modes.join(' '),
    FOLLOWERS: cases(
      [...followers(commands)].map(([before, next]) => [before, `next="${[...next].join(' ')}"`]),
    ),
    COMMAND_FLAGS: cases(
      commands.map(({ words, flags: own }) => [words.join(' '), `own="$own ${flagNames(own)}"`]),
    ),
  }
  return template
    .trimEnd()
    .replace(/@([A-Z_]+)@/g, (_, name) => filled[name] ?? '')
    .split('\n')
}

function cases(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([path, does]) => `    ${quoted(path)}) ${does} ;;`).join('\n')
}

function zsh(words: ShellWords): string[] {
  return [
    '#compdef prepd',
    '# zsh: eval "$(prepd --mode admin completion zsh)"',
    'autoload -Uz bashcompinit && bashcompinit',
    ...bashLines(words),
  ]
}

function fish({ flags, modes, commands }: ShellWords): string[] {
  return [
    '# fish: prepd --mode admin completion fish | source',
    'function __prepd_path',
    '  set -l path; set -l skip 0',
    '  for word in (commandline -opc)[2..]',
    '    if test $skip = 1; set skip 0; continue; end',
    `    if contains -- $word ${flagNames(flags.filter(({ takesValue }) => takesValue))}; set skip 1; continue; end`,
    '    string match -q -- "-*" $word; and continue',
    '    set path $path $word',
    '  end',
    '  string join " " $path',
    'end',
    // fish drops an empty expansion, so `test` would lose an argument. A quoted variable stays an argument.
    'function __prepd_at',
    '  set -l path (__prepd_path)',
    '  test "$path" = "$argv[1]"',
    'end',
    'complete -c prepd -f',
    `complete -c prepd -l mode -x -a ${quoted(modes.join(' '))}`,
    ...flags.filter(({ flag }) => flag !== '--mode').map((flag) => fishFlag(flag, '')),
    ...fishBeginnings(commands),
    ...commands.flatMap(fishCommand),
  ]
}

/** Prefixes that several commands share and that are not commands themselves. */
function fishBeginnings(commands: readonly ShellCommand[]): string[] {
  const whole = new Set(commands.map(({ words }) => words.join(' ')))
  return [...followers(commands)].flatMap(([before, next]) =>
    [...next]
      .filter((word) => !whole.has(`${before} ${word}`.trimStart()))
      .map((word) => `complete -c prepd -n "__prepd_at ${quoted(before)}" -a ${word}`),
  )
}

function fishCommand({ words, summary, flags, takesFile }: ShellCommand): string[] {
  const before = quoted(words.slice(0, -1).join(' '))
  const path = quoted(words.join(' '))
  const [last = ''] = words.slice(-1)
  return [
    `complete -c prepd -n "__prepd_at ${before}" -a ${last} -d ${quoted(summary)}`,
    ...flags.map((flag) => fishFlag(flag, `-n "__prepd_at ${path}" `)),
    ...(takesFile ? [`complete -c prepd -n "__prepd_at ${path}" -F`] : []),
  ]
}

function fishFlag({ flag, meaning, takesValue }: ShellFlag, when: string): string {
  return `complete -c prepd ${when}-l ${flag.slice(2)}${takesValue ? ' -r' : ''} -d ${quoted(meaning)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

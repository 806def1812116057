import {
  AGENT_SETTINGS,
  FLAGS,
  SETTING_ROWS,
  type Setting,
  type SettingRow,
} from '../../contract/settings.ts'
import { fileSettingName, settingFlag } from '../../core/settings/sources.ts'
import type { Command } from './command.ts'
import { aligned } from './tables.ts'

/** The text of `--help`: usage, flags, settings, variables of mcp mode, and commands. */
export function helpText(commands: readonly Command[]): string {
  return [
    'prepd [--mode http]                 the HTTP server (default)',
    'prepd --mode mcp                    MCP over stdio',
    'prepd --mode admin COMMAND [ARGS]   operator commands',
    'prepd --help | --version [--json] | --licenses   need no settings',
    'prepd --mode admin help COMMAND, or COMMAND --help, is about one command',
    '',
    'Flags',
    ...indented(
      Object.entries(FLAGS).map(([flag, row]) => [withValue(flag, row.value), plain(row.meaning)]),
    ),
    '',
    'Settings: --data-dir is also PREPD_DATA_DIR, and data_dir in the file of --config.',
    'A flag beats the environment, the environment beats the file. Secrets are never flags: set',
    'PREPD_OPERATOR_KEY, or name a file that only you can read with --operator-key-file.',
    ...indented(SETTING_ROWS.map(settingCells)),
    '',
    'Environment of mcp mode',
    ...indented(
      Object.entries<Setting>(AGENT_SETTINGS).map(([name, row]) => [name, plain(row.meaning)]),
    ),
    '',
    'Commands of admin mode',
    ...commandLines(commands).map((line) => `  ${line}`),
  ].join('\n')
}

/** The text of `COMMAND --help`. A single command also gets its usage, the values of its flags and an example. */
export function commandHelp(commands: readonly Command[]): string {
  const [command, ...others] = commands
  return [
    'prepd --mode admin COMMAND [ARGS]; settings are flags too, see prepd --help',
    '',
    ...commandLines(commands),
    ...(command && others.length === 0 ? singleLines(command) : []),
  ].join('\n')
}

function singleLines({
  path,
  operand,
  arguments: flags,
  required = [],
  example,
}: Command): string[] {
  const named = flags.filter(({ flag }) => required.includes(flag))
  const usage = [
    ...(operand ? [operand.shown] : []),
    ...named.map(({ flag, value }) => withValue(flag, value?.shown)),
    ...(flags.length > named.length ? ['[OPTIONS]'] : []),
  ]
  return [
    '',
    `Usage:    ${[`prepd --mode admin ${path}`, ...usage].join(' ')}`,
    `Example:  ${[`prepd --mode admin ${path}`, ...(example ? [example] : [])].join(' ')}`,
    ...flags.flatMap(({ value, values = {} }) => valueLines(value?.shown ?? '', values)),
  ]
}

function valueLines(shown: string, values: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(values).map(([name, meaning]) => [name, plain(meaning)])
  return rows.length === 0 ? [] : ['', shown, ...indented(rows)]
}

/** The commands as lines: one line per command and one per flag. */
export function commandLines(commands: readonly Command[]): string[] {
  return aligned(
    commands.flatMap(({ path, summary, operand, arguments: flags }) => [
      [operand ? `${path} ${operand.shown}` : path, summary],
      ...(operand ? [[`  ${operand.shown}`, operand.meaning]] : []),
      ...flags.map(({ flag, value, meaning }) => [`  ${withValue(flag, value?.shown)}`, meaning]),
    ]),
  )
}

function indented(rows: readonly (readonly string[])[]): string[] {
  return aligned(rows).map((line) => `  ${line}`)
}

function settingCells({ name, default: fallback, meaning, secret }: SettingRow): string[] {
  const value = typeof fallback === 'string' ? fallback : fallback.absent
  return [settingFlag(secret ? fileSettingName(name) : name), `${plain(meaning)} [${value}]`]
}

function withValue(flag: string, value: string | undefined): string {
  return value === undefined ? flag : `${flag} ${value}`
}

/** A Markdown text from a table, without backticks, for a terminal. */
export function plain(meaning: string): string {
  return meaning.replaceAll('`', '')
}

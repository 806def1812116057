import { FLAGS, MODES, type Mode, SETTING_ROWS } from './contract/settings.ts'
import { diskFiles, type Files } from './core/settings/files.ts'
import { SETTING_KINDS } from './core/settings/kinds.ts'
import { refuseOperatorLimits } from './core/settings/limit-variables.ts'
import {
  type AgentSettings,
  type Configured,
  toAgentSettings,
  toSettings,
} from './core/settings/settings.ts'
import {
  type Environment,
  fileSettingName,
  givenNames,
  readAgentEntries,
  readEntries,
  settingFlag,
  settingVariable,
} from './core/settings/sources.ts'
import { commandHint, didYouMean } from './core/settings/suggest.ts'
import { readUnit, type Unit } from './core/settings/unit.ts'
import { printable, UsageError } from './core/settings/usage-error.ts'
import { withDerived } from './core/settings/values.ts'
import { chosenVenueKind } from './core/settings/venue-settings.ts'
import { operatorCommands } from './main/commands.ts'
import type { Command, CommandArguments } from './operator/command/command.ts'

// The command line, environment and disk of this process, which only this file and main.ts read.

/** A parsed and validated command line. Nothing has been opened yet. */
export type Invocation =
  /** Help with these commands; an empty list means the whole text. */
  | { readonly kind: 'help'; readonly commands: readonly Command[] }
  | { readonly kind: 'licenses' }
  | {
      readonly kind: 'version'
      readonly json: boolean
      readonly venue: ReturnType<typeof shownVenue>
    }
  | ({ readonly kind: 'run'; readonly mode: 'http' } & Configured)
  | ({ readonly kind: 'run'; readonly mode: 'mcp'; readonly agent: AgentSettings } & Configured)
  | ({
      readonly kind: 'run'
      readonly mode: 'admin'
      readonly command: Command
      readonly args: CommandArguments
      readonly json: boolean
      /** The systemd unit from which the settings were read; null: from this process's own sources. */
      readonly unit: Unit | null
    } & Configured)
  | { readonly kind: 'refusal'; readonly exitCode: 64; readonly lines: readonly string[] }

/** The command line, the environment and the disk of this process. */
export function processInputs(): { argv: readonly string[]; env: Environment; files: Files } {
  return { argv: process.argv.slice(2), env: process.env, files: diskFiles(process.platform) }
}

/**
 * Parses the command line: the mode, then the settings by flag, environment, file, default. For an unknown or malformed
 * item it returns a refusal, whose lines name the item, suggest a correction and never repeat a value. Reads only the
 * files of `--config` and of the `_FILE` variables.
 */
export function readInvocation(
  argv: readonly string[],
  env: Environment,
  files: Files,
): Invocation {
  try {
    return parseInvocation(readArgv(argv, takesValue), env, files)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { kind: 'refusal', exitCode: 64, lines: error.lines.map((line) => `prepd: ${line}`) }
  }
}

function parseInvocation(line: Argv, env: Environment, files: Files): Invocation {
  const { flags, words } = line
  if (flags.has('--help')) return { kind: 'help', commands: commandsUnder(words) }
  if (flags.has('--licenses')) return { kind: 'licenses' }
  if (flags.has('--version')) {
    return { kind: 'version', json: flags.has('--json'), venue: shownVenue(flags, env, files) }
  }
  const mode = parseMode(flags.get('--mode') ?? 'http')
  if (words[0] === 'help' && (mode !== 'admin' || words.length > 1))
    return { kind: 'help', commands: commandsUnder(words.slice(1)) }
  if (mode === 'admin') return adminInvocation(line, env, files)
  if (words[0] !== undefined) throw new UsageError(unexpectedArgument(words[0]))
  refuseForeignFlags(flags)
  if (flags.has('--json')) throw new UsageError('--json goes with --version, or with a command')
  if (flags.has('--unit')) throw new UsageError('--unit goes with a command')
  if (mode === 'mcp') return agentInvocation(flags, env, files)
  return { kind: 'run', mode, ...readConfigured(flags, env, files) }
}

function agentInvocation(flags: Flags, env: Environment, files: Files): Invocation {
  const configured = readConfigured(flags, withoutTraceVariables(env), files)
  if (configured.settings.engines) throw new UsageError(NO_ENGINES_FOR_AGENT)
  const agent = toAgentSettings(readAgentEntries(env, files))
  if (agent.apiUrl) refuseOperatorLimits(configured.entries)
  return { kind: 'run', mode: 'mcp', ...configured, agent }
}

type Flags = Argv['flags']

let valued: readonly string[] | null = null
/** Every flag of the program itself that takes a value. Computed only if flags are given. */
function ownValueFlags(): readonly string[] {
  valued ??= [
    ...SETTING_ROWS.flatMap((row) => givenNames(row).slice(row.secret ? 1 : 0)).map(settingFlag),
    ...Object.keys(FLAGS).filter((flag) => FLAGS[flag]?.value !== undefined),
  ]
  return valued
}

/** Whether a flag belongs to the program itself, not to a command. */
function isOwn(flag: string): boolean {
  return ownValueFlags().includes(flag) || Object.hasOwn(FLAGS, flag)
}

/** The names of all flags with a value, and of all switches. Flags of commands are included. */
function flagKinds() {
  const own = operatorCommands().flatMap((command) => command.arguments)
  const theirs = own.filter(({ value }) => value !== undefined).map(({ flag }) => flag)
  const values = new Set([...ownValueFlags(), ...theirs])
  const all = [...Object.keys(FLAGS), ...own.map(({ flag }) => flag)]
  return { values, switches: new Set(all.filter((flag) => !values.has(flag))) }
}

function takesValue(flag: string): boolean {
  if (ownValueFlags().includes(flag)) return true
  const { values, switches } = flagKinds()
  if (values.has(flag)) return true
  if (switches.has(flag)) return false
  const secret = SETTING_ROWS.find((row) => row.secret && settingFlag(row.name) === flag)
  if (secret) {
    throw new UsageError(
      `${flag} is a secret and never a flag: set ${settingVariable(secret.name)}, or ${settingFlag(fileSettingName(secret.name))}`,
    )
  }
  const hint = didYouMean(flag, [...values, ...switches], 'prepd --help lists them')
  throw new UsageError(`unknown flag ${printable(flag)}; ${hint}`)
}

/** The refusal of shared engines in an agent's process, which is not an instance of a service. */
const NO_ENGINES_FOR_AGENT = `${settingVariable('POSTGRES')} and ${settingVariable('VALKEY')} are not for --mode mcp: SERVICE_API_URL names a service that uses them`

function parseMode(text: string): Mode {
  const mode = MODES.find((known) => known === text)
  if (mode) return mode
  throw new UsageError(
    `unknown mode ${printable(text)}; ${didYouMean(text, MODES, 'http, mcp and admin exist')}`,
  )
}

function adminInvocation({ flags, words }: Argv, env: Environment, files: Files): Invocation {
  const command = findCommand(words)
  refuseForeignFlags(flags, command)
  const own = command.arguments.map(({ flag }) => flag)
  const args = new Map([...flags].filter(([flag]) => own.includes(flag)))
  if (command.operand) args.set(command.operand.shown, words.at(-1) ?? '')
  refuseMalformed(command, args)
  const name = command.onDefaults ? undefined : flags.get('--unit')
  const unit = name === undefined ? null : readUnit(files, name)
  const configured = command.onDefaults
    ? readConfigured(new Map(), {}, files)
    : readUnitSettings(unit, flags, env, files)
  const json = flags.has('--json')
  return { kind: 'run', mode: 'admin', command, args, json, unit, ...configured }
}

/** With a unit: its settings, overridden by flags of this command line. Without one: the settings of this process. */
function readUnitSettings(
  unit: Unit | null,
  flags: Flags,
  env: Environment,
  files: Files,
): Configured {
  if (unit === null) return readConfigured(flags, env, files)
  const own = readArgv(unit.argv, takesValue).flags
  return readConfigured(new Map([...own, ...flags]), unit.env, unit.files)
}

function refuseMalformed(command: Command, args: CommandArguments): void {
  for (const { flag, value } of command.arguments) {
    const text = args.get(flag)
    if (text === undefined || value?.kind === undefined) continue
    const { parse, expects } = SETTING_KINDS[value.kind]
    if (parse(text) === undefined) throw new UsageError(`${flag} must be ${expects}`)
  }
}

/** Finds the command of these words. If the command takes an operand, it is the last word. Throws UsageError. */
function findCommand(words: readonly string[]): Command {
  const path = words.join(' ')
  const command = operatorCommands().find(({ path: known, operand }) =>
    operand ? words.length > 1 && words.slice(0, -1).join(' ') === known : known === path,
  )
  if (command) return command
  const bare = operatorCommands().find((known) => known.path === path)
  if (bare?.operand)
    throw new UsageError(`${path} needs ${bare.operand.shown}: ${bare.operand.meaning}`)
  const otherwise = 'prepd --mode admin help lists them'
  if (path === '') throw new UsageError(`admin needs a command; ${otherwise}`)
  const paths = operatorCommands().map((known) => known.path)
  throw new UsageError(`unknown command ${printable(path)}; ${commandHint(path, paths, otherwise)}`)
}

/** All commands whose names begin with these words; empty without words. Throws UsageError if there is no such command. */
function commandsUnder(words: readonly string[]): readonly Command[] {
  if (words.length === 0) return []
  const path = words.join(' ')
  const found = operatorCommands().filter((known) => `${known.path} `.startsWith(`${path} `))
  return found.length > 0 ? found : [findCommand(words)]
}

/** Refuses flags of other commands, and flags of commands in a mode without commands. */
function refuseForeignFlags(flags: Flags, command?: Command): void {
  if ([...flags.keys()].every(isOwn)) return
  const owner = operatorCommands().find(
    (other) => other !== command && other.arguments.some(({ flag }) => flags.has(flag)),
  )
  const stray = owner?.arguments.find(({ flag }) => flags.has(flag))
  const shared = command?.arguments.some(({ flag }) => flag === stray?.flag)
  if (owner && stray && !shared)
    throw new UsageError(`${stray.flag} belongs to the command ${owner.path}`)
}

/** The refusal of an unexpected word, with a hint if it is a mode or a command. */
function unexpectedArgument(word: string): string {
  const refused = `unexpected argument ${printable(word)}`
  if (MODES.some((mode) => mode === word)) return `${refused}; did you mean --mode ${word}?`
  const isCommand = operatorCommands().some(({ path }) => path.split(' ')[0] === word)
  return isCommand ? `${refused}; did you mean --mode admin ${word}?` : refused
}

function readConfigured(flags: Flags, env: Environment, files: Files): Configured {
  const entries = withDerived(readEntries({ flags, env, config: flags.get('--config'), files }))
  return { settings: toSettings(entries), entries }
}

/**
 * The environment without OTEL_ variables. An agent's client passes on its own OTEL_ variables, which are not meant for
 * this program.
 */
function withoutTraceVariables(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('OTEL_')))
}

/** The venue for `--version`; unknown if the settings are invalid. */
function shownVenue(flags: Flags, env: Environment, files: Files) {
  try {
    return chosenVenueKind(readConfigured(flags, env, files).settings.venue)
  } catch (error) {
    if (error instanceof UsageError) return 'unknown'
    throw error
  }
}

type Argv = {
  /** The value of each flag, by its name with dashes; '' for a switch without value. */
  readonly flags: ReadonlyMap<string, string>
  readonly words: readonly string[]
}

/**
 * Splits a command line into flags and words. `--flag value` and `--flag=value` are equivalent. `takesValue` returns
 * whether a flag has a value, and throws for an unknown flag. Throws UsageError for a repeated flag, a missing value
 * and a value on a switch.
 */
function readArgv(argv: readonly string[], takesValue: (flag: string) => boolean): Argv {
  const flags = new Map<string, string>()
  const words: string[] = []
  const rest = argv.values()
  for (const word of rest) {
    if (isFlag(word)) addFlag(flags, word, rest, takesValue)
    else words.push(word)
  }
  return { flags, words }
}

/** Short spellings of flags. */
const SHORT: ReadonlyMap<string, string> = new Map([['-h', '--help']])

function isFlag(word: string): boolean {
  return word.startsWith('-') && word !== '-'
}

function addFlag(
  flags: Map<string, string>,
  word: string,
  rest: Iterator<string>,
  takesValue: (flag: string) => boolean,
): void {
  const [given, inline] = splitAtEquals(word)
  const flag = SHORT.get(given) ?? given
  const takes = takesValue(flag)
  if (flags.has(flag)) throw new UsageError(`${flag} is given twice`)
  if (!takes && inline !== undefined) throw new UsageError(`${flag} takes no value`)
  flags.set(flag, takes ? (inline ?? nextValue(flag, rest)) : '')
}

function splitAtEquals(word: string): [flag: string, inline: string | undefined] {
  const equals = word.indexOf('=')
  return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)]
}

/** The value after a flag. It cannot start with two dashes: in `--data-dir --mode` the value is missing. */
function nextValue(flag: string, rest: Iterator<string>): string {
  const { done, value } = rest.next()
  if (done || value.startsWith('--')) throw new UsageError(`${flag} needs a value`)
  return value
}

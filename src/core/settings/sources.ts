import type { ShownSetting } from '../../contract/console/figures.ts'
import {
  AGENT_SETTINGS,
  SETTING_ROWS,
  type Setting,
  type SettingRow,
} from '../../contract/settings.ts'
import { type Files, readTextFile, settingText, UNREADABLE } from './files.ts'
import { refuseMisspeltLimits, refuseMisspeltOperatorLimits } from './limit-variables.ts'
import { didYouMean } from './suggest.ts'
import { readToml } from './toml.ts'
import { printable, UsageError } from './usage-error.ts'

type Origin = 'flag' | 'environment' | 'file' | 'default'

/** A given setting: its text, its origin, and its name in the origin's spelling. */
export type Entry = {
  readonly name: string
  /** Null for an absent setting without a constant default. */
  readonly text: string | null
  readonly origin: Origin
  readonly spelling: string
}

export type Environment = Readonly<Record<string, string | undefined>>

export type Sources = {
  readonly flags: ReadonlyMap<string, string>
  readonly env: Environment
  /** Path of the TOML file, if given. */
  readonly config: string | undefined
  readonly files: Files
}

/** The flag of a setting: `--data-dir` for `DATA_DIR`. */
export function settingFlag(name: string): string {
  return `--${name.toLowerCase().replaceAll('_', '-')}`
}

/** The TOML key of a setting: `data_dir` for `DATA_DIR`. */
function settingKey(name: string): string {
  return name.toLowerCase()
}

/** The variable of a setting: `PREPD_DATA_DIR` for `DATA_DIR`. A standard variable such as OTEL_… keeps its name. */
export function settingVariable(name: string): string {
  return isOpenTelemetryName(name) ? name : `${PREFIX}${name}`
}

/** Whether the name is a standard variable of OpenTelemetry. */
function isOpenTelemetryName(name: string): boolean {
  return name.startsWith('OTEL_')
}

/**
 * Reads one entry per setting. A flag takes precedence over the environment, then the TOML file, then the default. A
 * secret comes from the environment, the file of its `_FILE` variable, or systemd's credential. Throws UsageError for
 * an unknown variable or key, a misplaced secret or an unusable file.
 */
export function readEntries({ flags, env, config, files }: Sources): Entry[] {
  refuseUnknownVariables(env)
  const table = config === undefined ? null : { path: config, values: readTable(files, config) }
  const given = (name: string): Entry | null =>
    fromFlag(flags, name) ?? fromEnvironment(env, name) ?? (table && fromTable(table, name))
  return SETTING_ROWS.map((row) => {
    if (!row.secret) return given(row.name) ?? defaultEntry(row)
    return secretEntry(row, given, files) ?? credentialEntry(row, env, files) ?? defaultEntry(row)
  })
}

/**
 * Reads the settings of mcp mode from environment variables without prefix, their only source. Throws UsageError like
 * readEntries.
 */
export function readAgentEntries(env: Environment, files: Files): Entry[] {
  refuseMisspeltLimits(env)
  // MCP clients pass an empty value for a setting that their user left out. Only an empty limit is malformed.
  const given = (name: string, mayBeEmpty = true): Entry | null => {
    const text = mayBeEmpty ? env[name] || undefined : env[name]
    return text === undefined ? null : { name, text, origin: 'environment', spelling: name }
  }
  return Object.entries<Setting>(AGENT_SETTINGS).map(([name, setting]) => {
    const row = { name, ...setting }
    const entry = row.secret
      ? secretEntry(row, given, files)
      : given(name, typeof row.default !== 'string')
    return entry ?? { ...defaultEntry(row), spelling: name }
  })
}

/** The names that give a setting: a secret also has its `_FILE` variable. */
export function givenNames({ name, secret }: SettingRow): readonly string[] {
  return secret ? [name, fileSettingName(name)] : [name]
}

export function fileSettingName(name: string): string {
  return `${name}_FILE`
}

const PREFIX = 'PREPD_'
const FLAG_NAMES = ['MODE', 'CONFIG']
const READABLE_BY_OTHERS = 0o077
const SETTINGS_LIST_HINT = 'prepd --help lists them'

type Table = { readonly path: string; readonly values: Readonly<Record<string, unknown>> }

function fromFlag(flags: ReadonlyMap<string, string>, name: string): Entry | null {
  // Fast path: most starts have no flags.
  const text = flags.size === 0 ? undefined : flags.get(settingFlag(name))
  return text === undefined ? null : { name, text, origin: 'flag', spelling: settingFlag(name) }
}

function fromEnvironment(env: Environment, name: string): Entry | null {
  // OpenTelemetry defines an empty variable as unset.
  const text = isOpenTelemetryName(name) ? env[name] || undefined : env[settingVariable(name)]
  return text === undefined
    ? null
    : { name, text, origin: 'environment', spelling: settingVariable(name) }
}

function fromTable({ path, values }: Table, name: string): Entry | null {
  if (!Object.hasOwn(values, settingKey(name))) return null
  const spelling = `${settingKey(name)} in ${printable(path)}`
  return { name, text: tomlText(values[settingKey(name)], spelling), origin: 'file', spelling }
}

function defaultEntry(row: SettingRow): Entry {
  const text = typeof row.default === 'string' ? row.default : null
  return { name: row.name, text, origin: 'default', spelling: settingVariable(row.name) }
}

/** The text of a TOML value. Numbers may be unquoted and lists may be arrays; everything else must be quoted text. */
function tomlText(value: unknown, spelling: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (
    Array.isArray(value) &&
    value.every((item) => typeof item === 'string' && !item.includes(','))
  ) {
    return value.length === 0 ? 'none' : value.join(',')
  }
  throw new UsageError(`${spelling} must be text in quotes, a number or an array of texts`)
}

function secretEntry(
  { name }: SettingRow,
  given: (name: string) => Entry | null,
  files: Files,
): Entry | null {
  const direct = given(name)
  const twin = given(fileSettingName(name))
  if (!direct || !twin) return twin ? { ...twin, name, text: readSecret(files, twin) } : direct
  throw new UsageError(`${direct.spelling} and ${twin.spelling} are both given: keep one`)
}

/** The text of a secret's file without the newline that editors put at its end. */
function readSecret(files: Files, { text, spelling }: Entry): string {
  const path = text ?? ''
  const facts = files.stat(path)
  if (facts !== null && (facts.mode & READABLE_BY_OTHERS) !== 0) {
    throw new UsageError(`${spelling} names a file that others may use: chmod 600 it`)
  }
  const secret = readTextFile(files, path)
  if (secret === null) throw new UsageError(`${spelling} ${UNREADABLE}`)
  return secret.replace(/\r?\n$/, '')
}

/** The name of a secret among systemd's credentials (systemd.exec, LoadCredential). */
function credentialName(name: string): string {
  return `prepd.${settingKey(name)}`
}

/** A secret passed by systemd. Only this process can read it, regardless of the file's mode bits. */
function credentialEntry({ name }: SettingRow, env: Environment, files: Files): Entry | null {
  const directory = env['CREDENTIALS_DIRECTORY']
  if (directory === undefined) return null
  const spelling = `the credential ${credentialName(name)}`
  const path = `${directory}/${credentialName(name)}`
  if (files.stat(path) === null) return null
  const secret = readTextFile(files, path)
  if (secret === null) throw new UsageError(`${spelling} cannot be read`)
  return { name, text: secret.replace(/\r?\n$/, ''), origin: 'file', spelling }
}

function refuseUnknownVariables(env: Environment): void {
  const known = SETTING_ROWS.flatMap(givenNames)
  refuseMisspeltOperatorLimits(env)
  const unknown = Object.keys(env)
    .filter((variable) => variable.startsWith(PREFIX))
    .map((variable) => variable.slice(PREFIX.length))
    .filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const hint = (name: string): string =>
    didYouMean(name, [...known, ...FLAG_NAMES], SETTINGS_LIST_HINT, shownSettingName)
  throw new UsageError(
    ...unknown
      .sort()
      .map((name) => `${printable(settingVariable(name))} is not a setting; ${hint(name)}`),
  )
}

/** A setting's name for messages: the mode and the settings file have only a flag. */
function shownSettingName(name: string): string {
  return FLAG_NAMES.includes(name) ? settingFlag(name) : settingVariable(name)
}

function readTable(files: Files, path: string): Readonly<Record<string, unknown>> {
  const values = parseTable(settingText(files, '--config', path), path)
  const secrets = SETTING_ROWS.filter(({ secret }) => secret)
  for (const { name } of secrets) {
    if (!Object.hasOwn(values, settingKey(name))) continue
    throw new UsageError(
      `${settingKey(name)} is a secret and must not stand in ${printable(path)}: set ${settingVariable(name)}, or ${settingKey(fileSettingName(name))} here`,
    )
  }
  refuseUnknownKeys(Object.keys(values), path)
  return values
}

function parseTable(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    return readToml(text)
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${printable(path)}: ${error.message}`)
    throw error
  }
}

function refuseUnknownKeys(keys: readonly string[], path: string): void {
  const known = SETTING_ROWS.flatMap((row) => givenNames(row).slice(row.secret ? 1 : 0)).map(
    settingKey,
  )
  const unknown = keys.filter((key) => !known.includes(key))
  if (unknown.length === 0) return
  const hint = (key: string): string => didYouMean(key, known, SETTINGS_LIST_HINT)
  throw new UsageError(
    ...unknown.map(
      (key) => `${printable(key)} in ${printable(path)} is not a setting; ${hint(key)}`,
    ),
  )
}

/** Settings for display, without secrets. */
export function shownSettings(entries: readonly Entry[]): readonly ShownSetting[] {
  const rows = new Map<string, Setting>(SETTING_ROWS.map((row) => [row.name, row]))
  return entries.map(({ name, origin, text }) => {
    const isSecret = rows.get(name)?.secret === true
    return { name, origin, value: text === null ? 'not set' : isSecret ? 'set' : text }
  })
}

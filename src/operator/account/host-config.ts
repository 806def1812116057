import { isObject } from '../../core/json.ts'
import { readTextFile } from '../../core/settings/files.ts'
import { didYouMean } from '../../core/settings/suggest.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import type { CommandReport } from './agent-variables.ts'
import { type Access, serverEntry } from './clients.ts'
import { AGENT_HOSTS, folderOfPath, type Host, type StdioServer } from './hosts.ts'
import { EntryError, withMember } from './jsonc.ts'

/** The server's name in a host's configuration. */
const SERVER = 'prepd'
const CONFIG_MAX_BYTES = 16 * 1024 * 1024

/** The configuration file of a host with the server's new entry. `text` is null if the file does not exist. */
type HostConfig = {
  readonly host: Host
  readonly path: string
  readonly text: string | null
  /** Whether the write replaces an entry of the same name. */
  readonly replaces: boolean
}

/**
 * The configuration that `--agent` names; null without the flag. Throws UsageError for an unknown host and for an
 * unreadable, non-UTF-8 or malformed file. Without `--replace`, also throws UsageError for an entry that exists.
 */
export function hostConfig(deps: CommandEnvironment, args: CommandArguments): HostConfig | null {
  const name = args.get(ACCOUNT_FLAGS.agent.flag)
  const replaces = args.has(ACCOUNT_FLAGS.replace.flag)
  if (name === undefined) {
    const needing = [ACCOUNT_FLAGS.dryRun, ACCOUNT_FLAGS.replace].find(({ flag }) => args.has(flag))
    if (!needing) return null
    throw new UsageError(`${needing.flag} goes with ${ACCOUNT_FLAGS.agent.flag}`)
  }
  const host = hostNamed(name)
  const path = deps.world.disk.resolved(configPath(deps, host))
  const config = { host, path, text: textAt(deps, path), replaces }
  mergedText(config, EMPTY_SERVER)
  return config
}

const EMPTY_SERVER: StdioServer = { command: '', args: [], env: {} }

function hostNamed(name: string): Host {
  const host = AGENT_HOSTS.find((row) => row.name === name)
  if (host) return host
  const names = AGENT_HOSTS.map((row) => row.name)
  const { flag } = ACCOUNT_FLAGS.agent
  throw new UsageError(`unknown ${flag}: ${didYouMean(name, names, `one of ${names.join(', ')}`)}`)
}

/**
 * The only candidate path whose file exists. If no file exists, the only candidate whose folder exists, else the
 * default. Throws UsageError if two candidates exist.
 */
function configPath({ files, world }: CommandEnvironment, { client, paths }: Host): string {
  const all = paths(world.user)
  const [usual = ''] = all
  const withFile = all.filter((path) => files.stat(path) !== null)
  const withFolder = all.filter((path) => files.stat(folderOfPath(world.user, path)) !== null)
  const found = withFile.length > 0 ? withFile : withFolder
  const folders = new Set(found.map((path) => folderOfPath(world.user, path)))
  if (found.length < 2 || (withFile.length === 0 && folders.size < 2)) return found[0] ?? usual
  throw new UsageError(
    `nothing was done: ${client} may read ${found.join(' or ')}: remove the one that it does not read`,
  )
}

function textAt({ files }: CommandEnvironment, path: string): string | null {
  if (files.stat(path) === null) return null
  const text = readTextFile(files, path, CONFIG_MAX_BYTES)
  // Decoding turns bytes that are not UTF-8 into U+FFFD, so a rewritten file would lose these bytes.
  if (text !== null && !text.includes('\uFFFD')) return text
  throw new UsageError(`nothing was done: ${path} is no file of UTF-8 text that can be read`)
}

function mergedText({ host, path, text, replaces }: HostConfig, server: StdioServer): string {
  const merge = host.format === 'toml' ? withTomlTable : withMember
  try {
    return merge(text ?? '', host.servers, SERVER, host.entry(server), replaces)
  } catch (error) {
    if (!(error instanceof EntryError)) throw error
    const next = error.isThere ? `: ${ACCOUNT_FLAGS.replace.flag} replaces it` : ''
    throw new UsageError(`nothing was done: in ${path} ${error.message}${next}`)
  }
}

/**
 * Adds the server to a configuration that has not changed since it was read, and keeps a backup copy. With `isDry` it
 * writes nothing. Returns the new text without secrets, and how to undo the change.
 */
export function writeServer(
  deps: CommandEnvironment,
  config: HostConfig,
  variables: Access['variables'],
  isDry: boolean,
): CommandReport {
  const { host, path, text } = config
  const { clock, disk, executable, user } = deps.world
  const server = (shown: Access['variables']) => serverEntry({ executable, variables: shown })
  const backup = text === null ? null : `${path}.${compactTime(clock.nowMs())}.bak`
  if (!isDry) {
    assertUnchanged(deps, config)
    const merged = mergedText(config, server(variables))
    if (backup !== null && text !== null) disk.writeSecret(backup, text, 'new')
    disk.replaceSecret(path, merged)
  }
  const shown = host.entry(server(variables.map(masked)))
  const undo = undoCommand(user.platform, path, backup)
  return {
    value: {
      agent: host.name,
      path,
      member: `${host.servers}.${SERVER}`,
      backup,
      server: shown,
      undo,
    },
    lines: [
      `${isDry ? 'Would write' : 'Wrote'} "${SERVER}" under "${host.servers}" in ${path}, mode 0600:`,
      ...JSON.stringify(shown, null, 2).split('\n'),
      ...(backup === null ? [] : [`The file as it was ${isDry ? 'would be' : 'is'} in ${backup}`]),
      `To undo: ${undo}`,
      ...(isDry ? [] : [`Restart ${host.client}.`]),
    ],
  }
}

/** Throws UsageError if the configuration has changed since it was read. */
function assertUnchanged(deps: CommandEnvironment, { path, text }: HostConfig): void {
  if (textAt(deps, path) === text) return
  throw new UsageError(`${path} has changed meanwhile and was left as it is: run the command again`)
}

const SECRET = 'SERVICE_TRADING_KEY'

function masked([name, value]: readonly [string, string]): readonly [string, string] {
  return [name, name === SECRET ? '(secret)' : value]
}

function compactTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/[-:]|\.\d+/g, '')
}

function undoCommand(platform: string, path: string, backup: string | null): string {
  const [remove, move] = platform === 'win32' ? ['del', 'move /Y'] : ['rm', 'mv']
  return backup === null ? `${remove} "${path}"` : `${move} "${backup}" "${path}"`
}

/**
 * Appends the table `[group.name]` to a TOML text; other lines stay unchanged. With `replaces`, an existing table of
 * that name is removed first. `value` has texts, lists of texts and one level of tables of texts. Throws EntryError for
 * invalid TOML, an existing table, or a form that cannot be replaced.
 */
function withTomlTable(
  text: string,
  group: string,
  name: string,
  value: object,
  replaces: boolean,
): string {
  const before = parsed(text)
  if (before === null) throw new EntryError('the file is not TOML')
  const servers = before[group]
  const isThere = isObject(servers) && Object.hasOwn(servers, name)
  if (isThere && !replaces) throw new EntryError(`"${group}" has "${name}" already`, true)
  const kept = isThere ? withoutTable(text, group, name) : text
  const line = text.includes('\r\n') ? '\r\n' : '\n'
  const start = kept.trim() === '' ? '' : `${kept.trimEnd()}${line}${line}`
  const after = start + tableLines(`${group}.${name}`, value).join(line) + line
  const wanted = { ...before, [group]: { ...(isObject(servers) ? servers : {}), [name]: value } }
  // An inline group, or the table in another spelling, would change more of the document, so the result is compared.
  if (!Bun.deepEquals(parsed(after), wanted, true))
    throw new EntryError(`"${group}.${name}" cannot be written: add or remove it by hand`)
  return after
}

/** The parsed document; null for invalid TOML. */
function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return { ...Bun.TOML.parse(text) }
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

const HEADER = /^\s*\[\[?([^\]]*)\]/

/** The text without the lines of a table and of its sub-tables. */
function withoutTable(text: string, group: string, name: string): string {
  let isInside = false
  return text
    .split(/(?<=\n)/)
    .filter((line) => {
      const header = HEADER.exec(line)?.[1]
      if (header !== undefined) {
        const [first, second] = header.split('.').map((part) => part.trim().replaceAll(/["']/g, ''))
        isInside = first === group && second === name
      }
      return !isInside
    })
    .join('')
}

function tableLines(path: string, value: object): readonly string[] {
  const members = Object.entries(value)
  const plain = members.filter(([, member]) => !isObject(member))
  const tables = members.filter(([, member]) => isObject(member))
  return [
    `[${path}]`,
    // JSON strings and lists of JSON strings are valid TOML (TOML 1.0, Basic strings, Arrays).
    ...plain.map(([name, member]) => `${name} = ${JSON.stringify(member)}`),
    ...tables.flatMap(([name, member]) => ['', ...tableLines(`${path}.${name}`, Object(member))]),
  ]
}

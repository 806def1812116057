import { textOf } from '../../settings/files.ts'
import { didYouMean } from '../../settings/suggest.ts'
import { UsageError } from '../../settings/usage-error.ts'
import type { CommandArguments, CommandDeps } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import type { CommandReport } from './agent-variables.ts'
import { type Access, serverOf } from './clients.ts'
import { HOSTS, type Host } from './hosts.ts'
import { JsoncError, withMember } from './jsonc.ts'

/** The name of the server in a configuration. */
const SERVER = 'prepd'
const CONFIG_MAX_BYTES = 16 * 1024 * 1024

/** The configuration of a host that can take the server; `text` is null where there is no file yet. */
type HostConfig = { readonly host: Host; readonly path: string; readonly text: string | null }

/**
 * The configuration that `--agent` names; null without the flag. Throws UsageError for an unknown host, for a file that
 * cannot be read, is not UTF-8 or is no JSON, and for one that has the server already.
 */
export function hostConfig(deps: CommandDeps, args: CommandArguments): HostConfig | null {
  const name = args.get(ACCOUNT_FLAGS.agent.flag)
  if (name === undefined) {
    if (!args.has(ACCOUNT_FLAGS.dryRun.flag)) return null
    throw new UsageError(`${ACCOUNT_FLAGS.dryRun.flag} goes with ${ACCOUNT_FLAGS.agent.flag}`)
  }
  const host = hostNamed(name)
  const path = deps.world.disk.resolved(host.path(deps.world.user))
  const config = { host, path, text: textAt(deps, path) }
  mergedText(config, {})
  return config
}

function hostNamed(name: string): Host {
  const host = HOSTS.find((row) => row.name === name)
  if (host) return host
  const names = HOSTS.map((row) => row.name)
  const { flag } = ACCOUNT_FLAGS.agent
  throw new UsageError(`unknown ${flag}: ${didYouMean(name, names, `one of ${names.join(', ')}`)}`)
}

function textAt({ files }: CommandDeps, path: string): string | null {
  if (files.stat(path) === null) return null
  const text = textOf(files, path, CONFIG_MAX_BYTES)
  // Bytes that are not UTF-8 are read as replacement characters, and would be lost.
  if (text !== null && !text.includes('\uFFFD')) return text
  throw new UsageError(`nothing was done: ${path} is no file of UTF-8 text that can be read`)
}

function mergedText({ host, path, text }: HostConfig, server: object): string {
  try {
    return withMember(text ?? '', host.servers, SERVER, server)
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error
    throw new UsageError(`nothing was done: in ${path} ${error.message}`)
  }
}

/**
 * Writes the server into a configuration that is as it was read, and keeps a copy of it as it was; with `isDry` it
 * writes nothing. Answers what was written, without secrets, and how to take it back.
 */
export function writeServer(
  deps: CommandDeps,
  config: HostConfig,
  variables: Access['variables'],
  isDry: boolean,
): CommandReport {
  const { host, path, text } = config
  const { clock, disk, executable, user } = deps.world
  const server = (shown: Access['variables']) => ({
    ...(host.isTyped && { type: 'stdio' }),
    ...serverOf({ executable, variables: shown }),
  })
  const backup = text === null ? null : `${path}.${stampOf(clock.nowMs())}.bak`
  if (!isDry) {
    assertUnchanged(deps, config)
    const merged = mergedText(config, server(variables))
    if (backup !== null && text !== null) disk.writeSecret(backup, text, 'new')
    disk.replaceSecret(path, merged)
  }
  const shown = server(variables.map(masked))
  const undo = undoOf(user.platform, path, backup)
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

/** Throws UsageError when the host has changed its configuration since it was read. */
function assertUnchanged(deps: CommandDeps, { path, text }: HostConfig): void {
  if (textAt(deps, path) === text) return
  throw new UsageError(`${path} has changed meanwhile and was left as it is: run the command again`)
}

const SECRET = 'SERVICE_TRADING_KEY'

function masked([name, value]: readonly [string, string]): readonly [string, string] {
  return [name, name === SECRET ? '(secret)' : value]
}

function stampOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/[-:]|\.\d+/g, '')
}

function undoOf(platform: string, path: string, backup: string | null): string {
  const [remove, move] = platform === 'win32' ? ['del', 'move /Y'] : ['rm', 'mv']
  return backup === null ? `${remove} "${path}"` : `${move} "${backup}" "${path}"`
}

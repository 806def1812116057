import { LOGGING } from '../contract/operator/process.ts'
import { accountTag, isAccountTag, logKeyName } from '../core/crypto/account-tag.ts'
import { fromHex } from '../core/hex.ts'
import { isObject, parsedJson } from '../core/json.ts'
import { reportUnexpected } from '../core/loop/guarded.ts'
import { readTextFile } from '../core/settings/files.ts'
import { UsageError } from '../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { LOGS_FLAGS } from './command/flags.ts'
import { aligned } from './command/tables.ts'

type Line = Readonly<Record<string, unknown>>

const WITHIN_SECONDS = 60
// biome-ignore format: read as a list
const FIELDS = [
  'time', 'method', 'path', 'status', 'code', 'refused', 'parameter', 'reason', 'bound', 'ms', 'caller', 'request',
] as const

/**
 * Finds the relayed calls of an account around a given time in a log, with the other lines of the same requests.
 * Returns the exit code: 0; 1 if no call matches; 64 for a missing flag or an unreadable file.
 */
export async function logsExplain(
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0 | 1> {
  const account = args.get(LOGS_FLAGS.account.flag)
  const atMs = Date.parse(args.get(LOGS_FLAGS.at.flag) ?? '')
  if (account === undefined || Number.isNaN(atMs))
    throw new UsageError('--account and --at must be given')
  const key = isAccountTag(account) ? null : logKey(deps)
  const tag = key ? accountTag(key.bytes, account) : account
  const withinMs = Number(args.get(LOGS_FLAGS.within.flag) ?? WITHIN_SECONDS) * 1000
  const isNear = (timeMs: number) => Math.abs(timeMs - atMs) <= withinMs
  const { found, keyNames } = await read(deps, args.get('FILE') ?? '', tag, isNear)
  const isOfOtherKey = key && keyNames.size > 0 && !keyNames.has(logKeyName(key.bytes))
  return report(deps, tag, found, isOfOtherKey ? key.path : null)
}

/** The key for account tags, from the data directory. Throws UsageError if it is missing. */
function logKey({ settings, files }: CommandEnvironment) {
  const path = `${settings.dataDir}/${LOGGING.keyFile}`
  const bytes = fromHex((readTextFile(files, path) ?? '').trim())
  if (!bytes?.length)
    throw new UsageError(`${path} holds no key: name the server's directory with --data-dir`)
  return { path, bytes }
}

type Found = { readonly call: Line; readonly others: readonly Line[] }

/**
 * Reads the request lines of an account tag near a time, each with the earlier lines of the same request. `keyNames`
 * are the names of the keys that the log used for tags. Throws UsageError for an unreadable file.
 */
async function read(
  { world }: CommandEnvironment,
  path: string,
  tag: string,
  isNear: (timeMs: number) => boolean,
) {
  const others = new Map<unknown, Line[]>()
  const found: Found[] = []
  const keyNames = new Set<unknown>()
  for await (const text of linesOfFile(world, path)) {
    const line = parsed(text)
    if (line?.['event'] === 'log_key') keyNames.add(line['name'])
    if (!line || !isNear(Date.parse(String(line['time'])))) continue
    if (line['event'] === 'request') close(others, line)
    else remember(others, line)
    if (found.length === LOGGING.explainedMax) break
  }
  return { found, keyNames }

  function close(open: Map<unknown, Line[]>, call: Line): void {
    const { request, account } = call
    if (account === tag) found.push({ call, others: open.get(request) ?? [] })
    open.delete(request)
  }
}

/** The lines of a file. Throws UsageError if it cannot be read. */
async function* linesOfFile(
  { disk }: CommandEnvironment['world'],
  path: string,
): AsyncGenerator<string> {
  try {
    yield* disk.readLines(path)
  } catch (error) {
    reportUnexpected('process', error, Error)
    throw new UsageError('FILE cannot be read')
  }
}

/** Keeps a line until its request line arrives. Lines of the oldest requests are dropped. */
function remember(others: Map<unknown, Line[]>, line: Line): void {
  const { request } = line
  if (request === undefined) return
  const lines = others.get(request) ?? []
  if (lines.length < LOGGING.linesOfRequestMax) others.set(request, [...lines, line])
  const [oldest] = others.keys()
  if (others.size > LOGGING.openRequestsMax) others.delete(oldest)
}

/**
 * The JSON object in a line, after a journal's prefix or inside a `journalctl -o json` entry; null without such an
 * object.
 */
function parsed(text: string): Line | null {
  const value = parsedJson(text.slice(Math.max(text.indexOf('{'), 0)))
  if (!isObject(value)) return null
  const { MESSAGE: message } = value
  return typeof message === 'string' && !('event' in value) ? parsed(message) : value
}

/**
 * Reports the calls found. `keyPath` is the file of the tags' key if the log was written with a different key;
 * otherwise null.
 */
function report(
  { report }: CommandEnvironment,
  tag: string,
  found: readonly Found[],
  keyPath: string | null,
): 0 | 1 {
  const rows = aligned([
    [...FIELDS],
    ...found.map(({ call }) => FIELDS.map((name) => cellText(call, name))),
  ])
  const [head = '', ...calls] = rows
  const lines = calls.flatMap((row, at) => [
    row,
    ...(found[at]?.others ?? []).map((line) => `    ${JSON.stringify(line)}`),
  ])
  const missing =
    keyPath === null
      ? `no call of this account, ${tag} in the log, was logged around that time`
      : `${keyPath} is not this log's key: name the data directory of the instance that wrote the log with --data-dir`
  const texts = found.length === 0 ? [missing] : [`account ${tag}`, head, ...lines]
  report({ account: tag, found, otherKey: keyPath !== null }, texts)
  return found.length === 0 ? 1 : 0
}

function cellText(call: Line, name: (typeof FIELDS)[number]): string {
  const { [name]: value, replayed } = call
  if (name === 'status' && replayed === true) return `${String(value)} replay`
  return value === undefined ? '-' : String(value)
}

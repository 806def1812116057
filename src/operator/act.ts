import { ClientFailure, createClient, type ServiceTransport } from '../agents/client/client.ts'
import { ACT_LIMITS, ACTS, ACTS_ROOT, type Act, type ActName } from '../contract/operator/acts.ts'
import { PROCESS_HEADER } from '../contract/operator/process.ts'
import { newestWrites } from '../core/agent-journal.ts'
import { parseJournalPosition, verifyJournal } from '../core/journal-verdict.ts'
import { isObject } from '../core/json.ts'
import { recordsLocation } from '../core/settings/engines.ts'
import { localUrl } from '../core/settings/listen-address.ts'
import { printable, UsageError } from '../core/settings/usage-error.ts'
import { statusAt, withOperatorKey } from './account/transport.ts'
import { type CommandArguments, type CommandEnvironment, NoPlaceError } from './command/command.ts'
import { ACCOUNT_FLAGS, JOURNAL_FLAG, OFFLINE_FLAG } from './command/flags.ts'
import { answerLines } from './command/tables.ts'

/**
 * Runs an operator action on the running server with its operator key, or offline on the records themselves. Prints the
 * answer, and whether the server or this command acted. Returns the exit code: 0; 1 if the action was refused or no
 * server answers; 64 for a missing flag or key.
 */
export async function actCommand(
  name: ActName,
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0 | 1> {
  const fields = parseActFlags(ACTS[name], args)
  const place = await openActTarget(deps, args)
  try {
    return await actAt(place, name, fields, deps)
  } finally {
    await place.close()
  }
}

async function actAt(
  place: ActTarget,
  name: ActName,
  fields: Readonly<Record<string, string>>,
  { complain, report, world }: CommandEnvironment,
): Promise<0 | 1> {
  const client = createClient({ ...place, nowMs: world.clock.nowMs })
  const { method, path }: Act = ACTS[name]
  try {
    const answer =
      method === 'GET'
        ? await client.get(`${ACTS_ROOT}${path}`, fields)
        : await client.post(`${ACTS_ROOT}${path}`, fields)
    const on = place.shown()
    const value: Readonly<Record<string, unknown>> = isObject(answer) ? answer : { answer }
    report({ ...value, on }, [
      printable(targetLine(on)),
      ...answerLines(answer, world.clock.nowMs()),
    ])
    // A check whose answer has `sound: false` found damaged data.
    return value['sound'] === false ? 1 : 0
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    const on = place.shown()
    if (on.url !== null && isKeyless(error)) throw keylessError(on.url)
    complain(printable(targetLine(on)))
    complain(`${error.code}: ${error.message}${flagHint(error.meta)}`)
    return 1
  }
}

/** The flag to correct, with the expected value, if the failure names a parameter. */
function flagHint({ parameter, expected }: ClientFailure['meta']): string {
  return typeof expected === 'string' ? ` --${parameter} must be ${expected}.` : ''
}

/** The action's parameters from its flags. Throws UsageError that names a missing or malformed flag. */
export function parseActFlags({ parameters }: Act, args: CommandArguments): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [name, { pattern, expects, optional }] of Object.entries(parameters)) {
    const text = args.get(`--${name}`)
    if (text === undefined && optional) continue
    if (text === undefined || !pattern.test(text))
      throw new UsageError(`--${name} must be ${text === undefined ? 'given: ' : ''}${expects}`)
    fields[name] = text
  }
  return fields
}

/** The process that performs an action. */
export type ActTarget = {
  readonly baseUrl: string
  /** The transport, which adds the operator's key. */
  readonly transport: ServiceTransport
  /** The target's identity, as its latest answer reported it. */
  readonly shown: () => ShownTarget
  readonly close: () => Promise<void>
}

/** The process that performed an action. `url` is null if this command itself performed the action. */
export type ShownTarget = {
  readonly url: string | null
  readonly processId: number | null
  /** The location of the records; null if the server does not report it. */
  readonly records: string | null
}

type ActEnvironment = Pick<CommandEnvironment, 'settings' | 'files' | 'world'>

/**
 * The running server of these settings or of `--ops-url`; with `--offline`, the records without a server. Throws
 * NoPlaceError if no server answers, UsageError for wrong flags or a missing key.
 */
export async function openActTarget(
  deps: ActEnvironment,
  args: CommandArguments,
): Promise<ActTarget> {
  const given = args.get(ACCOUNT_FLAGS.opsUrl.flag)?.replace(/\/$/, '')
  if (args.has(OFFLINE_FLAG.flag)) {
    if (given !== undefined) throw new UsageError('--offline does not go with --ops-url')
    return openOfflineTarget(deps)
  }
  const { opsListen } = deps.settings
  const url = given ?? (opsListen && localUrl(opsListen))
  if (url === null || (await statusAt(deps.world.transport, `${url}/healthz`)) !== 200)
    throw new NoPlaceError(
      `no prepd answers at ${url ?? 'PREPD_OPS_LISTEN off'}: start it, name its operator listener with --ops-url, or work on ${recordsLocation(deps.settings)} with --offline`,
    )
  return openServerTarget(deps, url)
}

const KEY_STEPS =
  'Make one with: prepd --mode admin rotate operator FILE, name FILE in PREPD_OPERATOR_KEY_FILE, and restart the server'

/** Whether a server refused an action because it lacks an operator key, and therefore the operator routes. */
export function isKeyless(error: unknown): boolean {
  return error instanceof ClientFailure && error.meta['reason'] === 'unknown_route'
}

/** The error for a server that has no operator key. */
export function keylessError(url: string): NoPlaceError {
  return new NoPlaceError(`the server at ${url} has no operator key. ${KEY_STEPS}`)
}

/** Advice for a missing key. A server without an operator key refuses every action. */
export const OPERATOR_KEY_MISSING = `PREPD_OPERATOR_KEY must be set to the key of the running server. If the server has no key: ${KEY_STEPS.replace('Make', 'make')}`

/** One line that names the target. */
export function targetLine({ url, processId, records }: ShownTarget): string {
  if (url === null) return `on ${records}, without a server`
  return `on ${url}: process ${processId ?? 'unknown'}, records in ${records ?? 'an unknown place'}`
}

function openServerTarget({ settings, world }: ActEnvironment, url: string): ActTarget {
  const [key] = settings.operatorKeys
  if (key === undefined) throw new UsageError(OPERATOR_KEY_MISSING)
  let named: URLSearchParams | null = null
  async function transport(request: Request): Promise<Response> {
    const response = await withOperatorKey(world.transport, key ?? '')(request)
    const text = response.headers.get(PROCESS_HEADER)
    named = text === null ? null : new URLSearchParams(text)
    return response
  }
  function shown(): ShownTarget {
    const id = named?.get('id')
    return { url, processId: id ? Number(id) : null, records: named?.get('records') ?? null }
  }
  return { baseUrl: url, transport, shown, close: async () => undefined }
}

/** This run generates a temporary operator key: a user who can read the records has the operator's rights anyway. */
async function openOfflineTarget({ settings, files, world }: ActEnvironment): Promise<ActTarget> {
  const records = recordsLocation(settings)
  if (!settings.engines && files.stat(`${settings.dataDir}/prepd.sqlite`) === null)
    throw new NoPlaceError(`there is no store in ${records}`)
  const key = settings.operatorKeys[0] ?? 'the-operator-of-this-directory-at-the-keyboard'
  const inside = await world.openInside({ ...settings, operatorKeys: [key] })
  return {
    baseUrl: 'http://localhost',
    transport: withOperatorKey(inside.ops, key),
    shown: () => ({ url: null, processId: null, records }),
    close: inside.close,
  }
}

/** The actions that read the agents' journal. */
export type JournalAct = 'listAgentWrites' | 'verifyAgentWrites'

/**
 * Reads the journal of the running server, or with `--file` a journal file, which may be in use. Returns the exit code:
 * 0; 1 if an entry was changed or the journal is missing; 64 for a malformed flag.
 */
export async function journalCommand(
  name: JournalAct,
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0 | 1> {
  const path = args.get(JOURNAL_FLAG.flag)
  if (path === undefined) return actCommand(name, deps, args)
  const { complain, report, world } = deps
  const { rows = String(ACT_LIMITS.rowsDefault), witness } = parseActFlags(ACTS[name], args)
  try {
    const { readJournal } = world.openStoreFile(path)
    const answer = await readJournal<object>(async (journal) =>
      name === 'listAgentWrites'
        ? { rows: await newestWrites(journal, Number(rows)) }
        : await verifyJournal(
            journal,
            witness === undefined ? null : parseJournalPosition(witness),
          ),
    )
    report({ ...answer, file: path }, [
      printable(`in ${path}`),
      ...answerLines(answer, world.clock.nowMs()),
    ])
    return 'sound' in answer && !answer.sound ? 1 : 0
  } catch (error) {
    complain(printable(error instanceof Error ? error.message : 'unknown'))
    return 1
  }
}

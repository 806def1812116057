import { ClientFailure, createClient, type ServiceTransport } from '../agents/client/client.ts'
import {
  ACT_LIMITS,
  ACTS,
  type Act,
  type OperatorCommand,
  operatorAct,
} from '../contract/operator/acts.ts'
import { PROCESS_HEADER } from '../contract/operator/process.ts'
import { newestWrites } from '../core/agent-journal.ts'
import { Failure } from '../core/failure.ts'
import { parseJournalPosition, verifyJournal } from '../core/journal-verdict.ts'
import { isObject } from '../core/json.ts'
import { recordsLocation } from '../core/settings/engines.ts'
import { localUrl } from '../core/settings/listen-address.ts'
import { printable, UsageError } from '../core/settings/usage-error.ts'
import { readValues } from '../simulator/control/values.ts'
import { serverUrl, statusAt, withOperatorKey } from './account/transport.ts'
import { type CommandArguments, type CommandEnvironment, NoPlaceError } from './command/command.ts'
import { ACCOUNT_FLAGS, JOURNAL_FLAG, OFFLINE_FLAG } from './command/flags.ts'
import { answerLines, failureLine } from './command/tables.ts'

/**
 * Runs a command of the operator and prints the answer. An action runs on the running server with its operator key, or
 * offline on the records themselves. A command of the embedded venue runs on a running server. Returns the exit code:
 * 0; 1 if the command was refused, found a fault, or no server answers; 64 for a missing or malformed setting or flag.
 */
export async function operatorCommand(
  row: OperatorCommand,
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0 | 1> {
  if (row.on === 'venue') assertEmbedded(deps.settings, 'only an embedded one takes commands')
  const fields = row.on === 'venue' ? venueFields(row, args) : parseActFlags(row, args)
  const target = row.on === 'venue' ? openVenueTarget(deps, args) : await openActTarget(deps, args)
  try {
    return await runAt(target, row, fields, deps)
  } finally {
    await target.close()
  }
}

async function runAt(
  target: ActTarget,
  { on, method, path }: OperatorCommand,
  fields: Readonly<Record<string, string>>,
  { complain, report, world }: CommandEnvironment,
): Promise<0 | 1> {
  const client = createClient({ ...target, nowMs: world.clock.nowMs })
  const targetLines = () => (on === 'venue' ? [] : [printable(targetLine(target.shown()))])
  try {
    const answer = await (method === 'GET' ? client.get(path, fields) : client.post(path, fields))
    const value: Readonly<Record<string, unknown>> = isObject(answer) ? answer : { answer }
    const lines = answerLines(answer, on === 'venue' ? null : world.clock.nowMs())
    report(on === 'venue' ? value : { ...value, on: target.shown() }, [...targetLines(), ...lines])
    return hasFault(value) ? 1 : 0
  } catch (error) {
    const failure = serverFailure(error, target)
    for (const line of targetLines()) complain(line)
    complain(on === 'venue' ? failureLine(failure) : hintedLine(failure))
    return 1
  }
}

/** The failure of a server. Throws NoPlaceError if the server has no operator key, and any other error. */
export function serverFailure(error: unknown, target: ActTarget): ClientFailure {
  if (!(error instanceof ClientFailure)) throw error
  const { url } = target.shown()
  // Without an operator key, a server has no routes for the operator.
  if (url !== null && error.meta['reason'] === 'unknown_route')
    throw new NoPlaceError(`the server at ${url} has no operator key. ${KEY_STEPS}`)
  return error
}

/** Whether a check found damaged data (`sound: false`) or a fault of the venue's accounting (`broken`). */
function hasFault({ sound, broken }: Readonly<Record<string, unknown>>): boolean {
  return sound === false || (Array.isArray(broken) && broken.length > 0)
}

/** A failure with the flag to correct and the expected value, if the failure names a parameter. */
function hintedLine({ code, message, meta: { parameter, expected } }: ClientFailure): string {
  const hint = typeof expected === 'string' ? ` --${parameter} must be ${expected}.` : ''
  return `${code}: ${message}${hint}`
}

/** The texts of a venue command's flags. Throws UsageError that names a missing or malformed flag. */
function venueFields(
  { name, parameters }: Extract<OperatorCommand, { readonly on: 'venue' }>,
  args: CommandArguments,
): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const parameter of Object.keys(parameters)) {
    const text = args.get(`--${parameter}`)
    if (text !== undefined) fields[parameter] = text
  }
  try {
    readValues(name, fields)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { parameter, expected } = error.meta ?? {}
    throw new UsageError(`--${parameter} must be ${expected}`)
  }
  return fields
}

/** Throws UsageError if the settings name a live venue. */
export function assertEmbedded({ venue }: CommandEnvironment['settings'], why: string): void {
  if (venue.at !== 'embedded') throw new UsageError(`PREPD_VENUE is a live venue: ${why}`)
}

/** The action's parameters from its flags. Throws UsageError that names a missing or malformed flag. */
function parseActFlags(
  { parameters }: Pick<Act, 'parameters'>,
  args: CommandArguments,
): Record<string, string> {
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

/** The process that performs a command. */
type ActTarget = {
  readonly baseUrl: string
  /** The transport, which adds the operator's key. */
  readonly transport: ServiceTransport
  /** The target's identity, as its latest answer reported it. */
  readonly shown: () => ShownTarget
  readonly close: () => Promise<void>
}

/** The process that performed an action. `url` is null if this command itself performed the action. */
type ShownTarget = {
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
async function openActTarget(deps: ActEnvironment, args: CommandArguments): Promise<ActTarget> {
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

/** The running server of these settings or of `--url`, for commands of its embedded venue. Throws UsageError. */
export function openVenueTarget(deps: ActEnvironment, args: CommandArguments): ActTarget {
  return openServerTarget(deps, serverUrl(deps, args))
}

const KEY_STEPS =
  'Make one with: prepd --mode admin rotate operator FILE, name FILE in PREPD_OPERATOR_KEY_FILE, and restart the server'

/** Advice for a missing key. A server without an operator key refuses every command. */
const OPERATOR_KEY_MISSING = `PREPD_OPERATOR_KEY must be set to the key of the running server. If the server has no key: ${KEY_STEPS.replace('Make', 'make')}`

/** One line that names the target. */
function targetLine({ url, processId, records }: ShownTarget): string {
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
  if (path === undefined) return operatorCommand(operatorAct(name), deps, args)
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

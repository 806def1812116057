import { ClientFailure, createClient, type Transport } from '../agents/client/client.ts'
import { ACTS, ACTS_ROOT, type Act, type ActName } from '../contract/operator/acts.ts'
import { PROCESS_HEADER } from '../contract/operator/process.ts'
import { isObject } from '../core/json.ts'
import { recordsAt } from '../core/settings/engines.ts'
import { localUrl } from '../core/settings/listen-address.ts'
import { printable, UsageError } from '../core/settings/usage-error.ts'
import { bearing, statusAt } from './account/transport.ts'
import { type CommandArguments, type CommandDeps, NoPlaceError } from './command/command.ts'
import { ACCOUNT_FLAGS, OFFLINE_FLAG } from './command/flags.ts'
import { linesOf } from './command/tables.ts'

/**
 * Runs an act on the running server, with its operator key, or offline on its records, and says on which. Answers the
 * exit code: 0, 1 when it was refused or no server answers, 64 when a flag or the key is missing.
 */
export async function actCommand(
  name: ActName,
  deps: CommandDeps,
  args: CommandArguments,
): Promise<0 | 1> {
  const fields = fieldsOf(ACTS[name], args)
  const place = await openPlace(deps, args)
  try {
    return await actAt(place, name, fields, deps)
  } finally {
    await place.close()
  }
}

async function actAt(
  place: Place,
  name: ActName,
  fields: Readonly<Record<string, string>>,
  { complain, report, world }: CommandDeps,
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
    report({ ...value, on }, [printable(lineOf(on)), ...linesOf(answer, world.clock.nowMs())])
    // What is looked at may be found not to be as it was.
    return value['sound'] === false ? 1 : 0
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    const on = place.shown()
    if (on.url !== null && isKeyless(error)) throw keylessError(on.url)
    complain(printable(lineOf(on)))
    complain(`${error.code}: ${error.message}${flagOf(error.meta)}`)
    return 1
  }
}

/** The flag and its problem, where the failure names them. */
function flagOf({ parameter, expected }: ClientFailure['meta']): string {
  return typeof expected === 'string' ? ` --${parameter} must be ${expected}.` : ''
}

/** Throws UsageError naming the flag that is missing or off. */
export function fieldsOf({ parameters }: Act, args: CommandArguments): Record<string, string> {
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

/** Where an act is done. */
export type Place = {
  readonly baseUrl: string
  /** Bears the operator's key. */
  readonly transport: Transport
  /** What it is, once it has answered. */
  readonly shown: () => ShownPlace
  readonly close: () => Promise<void>
}

/** The process that did an act; without an id it was this command itself, on the records. */
export type ShownPlace = {
  readonly url: string | null
  readonly processId: number | null
  /** Null where the server does not say. */
  readonly records: string | null
}

type Deps = Pick<CommandDeps, 'settings' | 'files' | 'world'>

/**
 * The running server of these settings, or of `--ops-url`; with `--offline` the records themselves. Throws NoPlaceError
 * when there is none, UsageError when the flags or the key are wrong.
 */
export async function openPlace(deps: Deps, args: CommandArguments): Promise<Place> {
  const given = args.get(ACCOUNT_FLAGS.opsUrl.flag)?.replace(/\/$/, '')
  if (args.has(OFFLINE_FLAG.flag)) {
    if (given !== undefined) throw new UsageError('--offline does not go with --ops-url')
    return offlinePlace(deps)
  }
  const { opsListen } = deps.settings
  const url = given ?? (opsListen && localUrl(opsListen))
  if (url === null || (await statusAt(deps.world.transport, `${url}/healthz`)) !== 200)
    throw new NoPlaceError(
      `no prepd answers at ${url ?? 'PREPD_OPS_LISTEN off'}: start it, name its operator listener with --ops-url, or work on ${recordsAt(deps.settings)} with --offline`,
    )
  return serverPlace(deps, url)
}

const KEY_STEPS =
  'Make one with: prepd --mode admin rotate operator FILE, name FILE in PREPD_OPERATOR_KEY_FILE, and restart the server'

/** Whether a server refused because it has no operator key, and so no routes for operators. */
export function isKeyless(error: unknown): boolean {
  return error instanceof ClientFailure && error.meta['reason'] === 'unknown_route'
}

/** The error for a server without an operator key. */
export function keylessError(url: string): NoPlaceError {
  return new NoPlaceError(`the server at ${url} has no operator key. ${KEY_STEPS}`)
}

/** A server without a key takes no acts at all. */
export const OPERATOR_KEY_MISSING = `PREPD_OPERATOR_KEY must be set to the key of the running server. If the server has no key: ${KEY_STEPS.replace('Make', 'make')}`

/** A line for people. */
export function lineOf({ url, processId, records }: ShownPlace): string {
  if (url === null) return `on ${records}, without a server`
  return `on ${url}: process ${processId ?? 'unknown'}, records in ${records ?? 'an unknown place'}`
}

function serverPlace({ settings, world }: Deps, url: string): Place {
  const [key] = settings.operatorKeys
  if (key === undefined) throw new UsageError(OPERATOR_KEY_MISSING)
  let named: URLSearchParams | null = null
  async function transport(request: Request): Promise<Response> {
    const response = await bearing(world.transport, key ?? '')(request)
    const text = response.headers.get(PROCESS_HEADER)
    named = text === null ? null : new URLSearchParams(text)
    return response
  }
  function shown(): ShownPlace {
    const id = named?.get('id')
    return { url, processId: id ? Number(id) : null, records: named?.get('records') ?? null }
  }
  return { baseUrl: url, transport, shown, close: async () => undefined }
}

/** Whoever can open the records is their operator: a key for this run alone. */
async function offlinePlace({ settings, files, world }: Deps): Promise<Place> {
  const records = recordsAt(settings)
  if (!settings.engines && files.stat(`${settings.dataDir}/prepd.sqlite`) === null)
    throw new NoPlaceError(`there is no store in ${records}`)
  const key = settings.operatorKeys[0] ?? 'the-operator-of-this-directory-at-the-keyboard'
  const inside = await world.openInside({ ...settings, operatorKeys: [key] })
  return {
    baseUrl: 'http://localhost',
    transport: bearing(inside.ops, key),
    shown: () => ({ url: null, processId: null, records }),
    close: inside.close,
  }
}

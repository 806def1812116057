import type { Transport } from '../../client/client.ts'
import { recordsAt } from '../../settings/engines.ts'
import { localUrl } from '../../settings/listen-address.ts'
import { UsageError } from '../../settings/usage-error.ts'
import { PROCESS_HEADER } from '../../spec/operator/process.ts'
import { ACCOUNT_FLAGS } from '../account/flags.ts'
import type { CommandArguments, CommandDeps } from '../command.ts'
import { OFFLINE_FLAG } from '../flags.ts'

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

/** There is nothing to act on. */
export class NoPlaceError extends Error {
  override readonly name = 'NoPlaceError'
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
  if (url === null || !(await answers(deps.world.transport, url)))
    throw new NoPlaceError(
      `no prepd answers at ${url ?? 'PREPD_OPS_LISTEN off'}: start it, name its operator listener with --ops-url, or work on ${recordsAt(deps.settings)} with --offline`,
    )
  return serverPlace(deps, url)
}

/** A line for people. */
export function lineOf({ url, processId, records }: ShownPlace): string {
  if (url === null) return `on ${records}, without a server`
  return `on ${url}: process ${processId ?? 'unknown'}, records in ${records ?? 'an unknown place'}`
}

const ANSWER_MAX_MS = 5000

async function answers(transport: Transport, url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MAX_MS)
    const response = await transport(new Request(`${url}/healthz`, { signal }))
    await response.body?.cancel()
    return response.status === 200
  } catch {
    return false
  }
}

function serverPlace({ settings, world }: Deps, url: string): Place {
  const [key] = settings.operatorKeys
  if (key === undefined)
    throw new UsageError('PREPD_OPERATOR_KEY must be set to the key of the running server')
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

function bearing(transport: Transport, key: string): Transport {
  return (request) => {
    request.headers.set('authorization', `Bearer ${key}`)
    return transport(request)
  }
}

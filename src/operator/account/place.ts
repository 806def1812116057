import {
  type Client,
  ClientFailure,
  createClient,
  type Transport,
} from '../../agents/client/client.ts'
import { localUrl } from '../../core/settings/listen-address.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandDeps } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import { KEY_LIFE_MS, VIRTUAL_KEY_LIFE_MS } from './open.ts'
import { patientTransport, statusAt, waitLine, watchingVenue } from './transport.ts'

/** Where accounts are: a running server, or a data directory that no server uses. */
export type Place = {
  readonly client: Client
  /** The operator's listener. Throws UsageError when nothing says where it is. */
  readonly ops: () => Client
  readonly isEmbedded: boolean
  /** How long the key of a new account lives. */
  readonly keyLifeMs: number
  /** Base address of the server; null for a data directory. */
  readonly url: string | null
  /** Whether its trading page answers. */
  readonly hasPage: boolean
  /** The environment variables with which an agent reaches this place. */
  readonly variables: readonly (readonly [name: string, value: string])[]
  readonly close: () => Promise<void>
}

type Deps = Pick<CommandDeps, 'settings' | 'entries' | 'world' | 'print'>

/**
 * Finds the place: the server of `--url`, else the directory of a `--data-dir`, else the server that these settings
 * start, else the data directory they name. Throws UsageError when there is none.
 */
export async function openPlace(deps: Deps, args: CommandArguments): Promise<Place> {
  const origin = deps.entries.find(({ name }) => name === 'DATA_DIR')?.origin
  const url = args.get(ACCOUNT_FLAGS.url.flag)?.replace(/\/$/, '')
  if (url === undefined && origin === 'flag') return insidePlace(deps)
  const own = localUrl(deps.settings.listen)
  const served = await serverPlace(deps, url ?? own, opsUrl(deps, args, url ?? own))
  if (served) return served
  if (url === undefined && origin !== 'default') return insidePlace(deps)
  throw new UsageError(
    `no prepd answers at ${url ?? own}: start one, name it with --url, or name an agent's data directory with --data-dir`,
  )
}

function opsUrl({ settings }: Deps, args: CommandArguments, url: string): string | null {
  const given = args.get(ACCOUNT_FLAGS.opsUrl.flag)?.replace(/\/$/, '')
  if (given !== undefined) return given
  // The listener of these settings belongs to the server of these settings, and to no other.
  return url === localUrl(settings.listen) && settings.opsListen
    ? localUrl(settings.opsListen)
    : null
}

/** Null when nothing answers there. */
async function serverPlace(deps: Deps, url: string, opsUrl: string | null): Promise<Place | null> {
  const { world } = deps
  const watched = watchingVenue(world.transport)
  const clientAt = (baseUrl: string) => patientClient(deps, baseUrl, watched.transport)
  const client = clientAt(url)
  try {
    await client.get('/api/prep/catalogue')
  } catch (error) {
    if (error instanceof ClientFailure && error.code === 'upstream_unavailable') return null
    throw error
  }
  return {
    client,
    ops: () => clientAt(needOps(opsUrl)),
    isEmbedded: watched.isEmbedded(),
    keyLifeMs: watched.isVirtual() ? VIRTUAL_KEY_LIFE_MS : KEY_LIFE_MS,
    url,
    hasPage: (await statusAt(world.transport, `${url}/trade`)) === 200,
    variables: [['SERVICE_API_URL', url]],
    close: async () => undefined,
  }
}

async function insidePlace(deps: Deps): Promise<Place> {
  const { settings, world } = deps
  const inside = await world.openInside(settings)
  return {
    client: patientClient(deps, 'http://localhost', inside.front),
    ops: () => patientClient(deps, 'http://localhost', inside.ops),
    isEmbedded: settings.venue.at === 'embedded',
    keyLifeMs: settings.venue.clock === 'virtual' ? VIRTUAL_KEY_LIFE_MS : KEY_LIFE_MS,
    url: null,
    hasPage: false,
    variables: [['PREPD_DATA_DIR', world.disk.absolute(settings.dataDir)]],
    close: inside.close,
  }
}

function patientClient({ world, print }: Deps, baseUrl: string, transport: Transport): Client {
  const patient = patientTransport({ ...world, transport, onWait: waitLine(print) })
  return createClient({ baseUrl, transport: patient, nowMs: world.clock.nowMs })
}

function needOps(url: string | null): string {
  if (url !== null) return url
  throw new UsageError(
    "--ops-url must name the server's operator listener, which PREPD_OPS_LISTEN opens",
  )
}

import {
  type Client,
  ClientFailure,
  createClient,
  type ServiceTransport,
} from '../../agents/client/client.ts'
import { localUrl } from '../../core/settings/listen-address.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import { KEY_LIFE_MS, VIRTUAL_KEY_LIFE_MS } from './open.ts'
import { observeVenueKind, retryingTransport, statusAt, waitLine } from './transport.ts'

/** The service whose accounts the commands use: a running server, or a data directory without a server. */
export type AccountService = {
  readonly client: Client
  /** A client for the operator's listener. Throws UsageError if the listener's address is unknown. */
  readonly ops: () => Client
  readonly isEmbedded: boolean
  /** How long a new account's key is valid, in ms. */
  readonly keyLifeMs: number
  /** Base address of the server; null for a data directory. */
  readonly url: string | null
  /** Whether the server's trading page answers. */
  readonly hasPage: boolean
  /** The environment variables with which an agent reaches this service. */
  readonly variables: readonly (readonly [name: string, value: string])[]
  readonly close: () => Promise<void>
}

type AccountEnvironment = Pick<CommandEnvironment, 'settings' | 'entries' | 'world' | 'print'>

/**
 * Finds the service. It is the first of these that is given and usable:
 * - the server of `--url`; throws UsageError if it does not run,
 * - the directory of `--data-dir`,
 * - the running server of these settings,
 * - the data directory of these settings; throws UsageError if it is the default.
 */
export async function openAccountService(
  deps: AccountEnvironment,
  args: CommandArguments,
): Promise<AccountService> {
  const origin = deps.entries.find(({ name }) => name === 'DATA_DIR')?.origin
  const url = args.get(ACCOUNT_FLAGS.url.flag)?.replace(/\/$/, '')
  if (url === undefined && origin === 'flag') return openInsideService(deps)
  const own = localUrl(deps.settings.listen)
  const served = await reachService(deps, url ?? own, opsUrl(deps, args, url ?? own))
  if (served) return served
  if (url === undefined && origin !== 'default') return openInsideService(deps)
  throw new UsageError(
    `no prepd answers at ${url ?? own}: start one, name it with --url, or name an agent's data directory with --data-dir`,
  )
}

function opsUrl(
  { settings }: AccountEnvironment,
  args: CommandArguments,
  url: string,
): string | null {
  const given = args.get(ACCOUNT_FLAGS.opsUrl.flag)?.replace(/\/$/, '')
  if (given !== undefined) return given
  // The operator's listener in these settings belongs only to these settings' own server.
  return url === localUrl(settings.listen) && settings.opsListen
    ? localUrl(settings.opsListen)
    : null
}

/** The server at a URL; null if it does not answer. */
async function reachService(
  deps: AccountEnvironment,
  url: string,
  opsUrl: string | null,
): Promise<AccountService | null> {
  const { world } = deps
  const watched = observeVenueKind(world.transport)
  const clientAt = (baseUrl: string) => retryingClient(deps, baseUrl, watched.transport)
  const client = clientAt(url)
  try {
    await client.get('/api/prep/catalogue')
  } catch (error) {
    if (error instanceof ClientFailure && error.code === 'upstream_unavailable') return null
    throw error
  }
  return {
    client,
    ops: () => clientAt(requireOpsUrl(opsUrl)),
    isEmbedded: watched.isEmbedded(),
    keyLifeMs: watched.isVirtual() ? VIRTUAL_KEY_LIFE_MS : KEY_LIFE_MS,
    url,
    hasPage: (await statusAt(world.transport, `${url}/trade`)) === 200,
    variables: [['SERVICE_API_URL', url]],
    close: async () => undefined,
  }
}

async function openInsideService(deps: AccountEnvironment): Promise<AccountService> {
  const { settings, world } = deps
  const inside = await world.openInside(settings)
  return {
    client: retryingClient(deps, 'http://localhost', inside.front),
    ops: () => retryingClient(deps, 'http://localhost', inside.ops),
    isEmbedded: settings.venue.at === 'embedded',
    keyLifeMs: settings.venue.clock === 'virtual' ? VIRTUAL_KEY_LIFE_MS : KEY_LIFE_MS,
    url: null,
    hasPage: false,
    variables: [['PREPD_DATA_DIR', world.disk.absolute(settings.dataDir)]],
    close: inside.close,
  }
}

function retryingClient(
  { world, print }: AccountEnvironment,
  baseUrl: string,
  transport: ServiceTransport,
): Client {
  const patient = retryingTransport({ ...world, transport, onWait: waitLine(print) })
  return createClient({ baseUrl, transport: patient, nowMs: world.clock.nowMs })
}

function requireOpsUrl(url: string | null): string {
  if (url !== null) return url
  throw new UsageError(
    "--ops-url must name the server's operator listener, which PREPD_OPS_LISTEN opens",
  )
}

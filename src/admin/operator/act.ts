import { type Client, ClientFailure, createClient, type Transport } from '../../client/client.ts'
import { isObject } from '../../core/json.ts'
import { localUrl } from '../../settings/listen-address.ts'
import { UsageError } from '../../settings/usage-error.ts'
import { ACTS, ACTS_ROOT, type Act, type ActName } from '../../spec/operator/acts.ts'
import { ACCOUNT_FLAGS } from '../account/flags.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from '../command.ts'
import { linesOf } from './lines.ts'

/**
 * Runs an act where the settings say: on the running server, with its operator key, or on the data directory that no
 * server uses. Answers the exit code: 0, 1 when it was refused, 64 when a flag, the key or a server is missing.
 */
export async function actCommand(
  name: ActName,
  deps: CommandDeps,
  args: CommandArguments,
): Promise<0 | 1 | 64> {
  try {
    const fields = fieldsOf(ACTS[name], args)
    const desk = await openDesk(deps, args)
    try {
      const { method, path }: Act = ACTS[name]
      const answer =
        method === 'GET'
          ? await desk.client.get(`${ACTS_ROOT}${path}`, fields)
          : await desk.client.post(`${ACTS_ROOT}${path}`, fields)
      deps.tell(isObject(answer) ? answer : { answer }, linesOf(answer))
      return 0
    } finally {
      await desk.close()
    }
  } catch (error) {
    if (error instanceof UsageError) return printMisuse(deps.print, ...error.lines)
    if (!(error instanceof ClientFailure)) throw error
    deps.print(`${error.code}: ${error.message}`)
    return 1
  }
}

type Desk = { readonly client: Client; readonly close: () => Promise<void> }

type Deps = Pick<CommandDeps, 'settings' | 'entries' | 'world'>

/** Throws UsageError naming the flag that is missing or off. */
function fieldsOf({ parameters }: Act, args: CommandArguments): Record<string, string> {
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

async function openDesk(deps: Deps, args: CommandArguments): Promise<Desk> {
  const origin = deps.entries.find(({ name }) => name === 'DATA_DIR')?.origin
  const url = args.get(ACCOUNT_FLAGS.opsUrl.flag)?.replace(/\/$/, '')
  if (url === undefined && origin === 'flag') return insideDesk(deps)
  const own = deps.settings.opsListen && localUrl(deps.settings.opsListen)
  const at = url ?? own
  if (at !== null && (await answers(deps.world.transport, at))) return serverDesk(deps, at)
  if (url === undefined && origin !== 'default') return insideDesk(deps)
  throw new UsageError(
    `no prepd answers at ${at ?? 'PREPD_OPS_LISTEN'}: name its operator listener with --ops-url, or a data directory with --data-dir`,
  )
}

async function answers(transport: Transport, url: string): Promise<boolean> {
  try {
    const response = await transport(
      new Request(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) }),
    )
    await response.body?.cancel()
    return response.status === 200
  } catch {
    return false
  }
}

const PATIENCE_MS = 5000

function serverDesk({ settings, world }: Deps, baseUrl: string): Desk {
  const [key] = settings.operatorKeys
  if (key === undefined)
    throw new UsageError('PREPD_OPERATOR_KEY must be set to the key of the running server')
  return { client: clientOf(world, baseUrl, world.transport, key), close: async () => undefined }
}

/** Whoever can open the directory is its operator: a key for this run alone. */
async function insideDesk({ settings, world }: Deps): Promise<Desk> {
  const key = settings.operatorKeys[0] ?? 'the operator of this directory, at the keyboard'
  const operatorKeys = [key.replaceAll(' ', '-')]
  const inside = await world.openInside({ ...settings, operatorKeys })
  const client = clientOf(world, 'http://localhost', inside.ops, operatorKeys.join(''))
  return { client, close: inside.close }
}

function clientOf(
  { clock }: CommandDeps['world'],
  baseUrl: string,
  transport: Transport,
  key: string,
): Client {
  const bearing: Transport = (request) => {
    request.headers.set('authorization', `Bearer ${key}`)
    return transport(request)
  }
  return createClient({ baseUrl, transport: bearing, nowMs: clock.nowMs })
}

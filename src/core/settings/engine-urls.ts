import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isLoopbackHost, withoutBrackets } from '../base-url.ts'
import { ipVersion } from '../client-address.ts'
import { uriDecoded } from '../query.ts'
import { isHostName } from './listen-address.ts'

/** The address of an engine; IPv6 without brackets. A host that starts with a slash is the folder of a Unix socket. */
export type EngineHost = { readonly host: string; readonly port: number }

/** TLS, always with verification. `caPath` names a file of trusted certificates; null means the system's certificates. */
type EngineTls = { readonly caPath: string | null }

/** The location of PostgreSQL, with the credentials. */
export type PostgresEndpoint = {
  /** The candidate hosts. One of these hosts accepts writes. */
  readonly hosts: readonly EngineHost[]
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: EngineTls | null
  /** Maximum total wait of one request, in milliseconds. */
  readonly waitMaxMs: number
}

/** The location of Valkey or Redis, with the credentials. */
export type ValkeyEndpoint = {
  /** The addresses of the engine or of its sentinels. */
  readonly hosts: readonly EngineHost[]
  /** The engine's name at the sentinels; null for a direct connection. */
  readonly sentinelName: string | null
  /** Empty if not given. */
  readonly user: string
  readonly password: string
  readonly database: number
  readonly tls: EngineTls | null
  /** Maximum wait of a start, and of each new connection, in milliseconds. */
  readonly connectMaxMs: number
  /** Maximum total wait of one request, in milliseconds. */
  readonly waitMaxMs: number
}

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE` with the parameters `host=/FOLDER` (a socket),
 * `sslmode` (`verify-full`, `disable`) and `sslrootcert`. Undefined for anything else, and for a remote host without
 * verified TLS.
 */
export function parsePostgres(text: string): PostgresEndpoint | undefined {
  const url = parseEngineUrl(text, ['host', 'sslmode', 'sslrootcert'])
  if (!url || !/^postgres(?:ql)?$/.test(url.scheme)) return undefined
  const folder = url.query.get('host')
  const hosts =
    folder === undefined ? parseHosts(url.authority, 5432) : parseSocketFolder(url, folder)
  const tls = postgresTls(url.query)
  const { user, password, path: database } = url
  if (!hosts || tls === undefined || user === '' || !/^[^/\0]{1,63}$/.test(database))
    return undefined
  if (!isSafe(hosts, tls)) return undefined
  return { hosts, user, password, database, tls, waitMaxMs: LIMITS.postgresWaitMaxMs }
}

/**
 * Parses `redis://USER:PASSWORD@HOST:PORT/DATABASE` or `valkey://`, with an s for TLS (`rediss`, `valkeys`), or
 * `valkey+sentinel://HOST:PORT,HOST:PORT/NAME` (`valkeys+sentinel` for TLS). `?cacert=FILE` names the trusted
 * certificates. Undefined for anything else, and for a remote host without TLS.
 */
export function parseValkey(text: string): ValkeyEndpoint | undefined {
  const url = parseEngineUrl(text, ['cacert'])
  const scheme = /^(?:redis|valkey)(s?)(\+sentinel)?$/.exec(url?.scheme ?? '')
  if (!url || !scheme) return undefined
  const [, secure, sentinel] = scheme
  const hosts = parseHosts(url.authority, sentinel ? 26379 : 6379)
  const caPath = url.query.get('cacert') ?? null
  const tls = secure ? { caPath } : null
  if (!hosts || (!secure && caPath !== null) || !isSafe(hosts, tls)) return undefined
  const { user, password } = url
  const { connectMaxMs, waitMaxMs } = VALKEY_LIMITS
  const place = { hosts, user, password, tls, connectMaxMs, waitMaxMs }
  return sentinel ? sentinelEndpoint(place, url.path) : directEndpoint(place, url.path)
}

type EngineEndpoint = Omit<ValkeyEndpoint, 'sentinelName' | 'database'>

function sentinelEndpoint(place: EngineEndpoint, sentinelName: string): ValkeyEndpoint | undefined {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(sentinelName)) return undefined
  return { ...place, sentinelName, database: 0 }
}

function directEndpoint(place: EngineEndpoint, path: string): ValkeyEndpoint | undefined {
  if (place.hosts.length > 1 || !/^\d{0,4}$/.test(path)) return undefined
  return { ...place, sentinelName: null, database: Number(path) }
}

type EngineUrl = {
  readonly scheme: string
  readonly user: string
  readonly password: string
  readonly authority: string
  readonly path: string
  readonly query: ReadonlyMap<string, string>
}

const URL_SHAPE =
  /^([a-z+]{5,20}):\/\/(?:([^\s:@/?#]*)(?::([^\s@/?#]*))?@)?([^\s@/?#]*)(?:\/([^\s/?#]*))?(?:\?([^\s?#]*))?$/

function parseEngineUrl(text: string, known: readonly string[]): EngineUrl | undefined {
  const [match, scheme = '', user = '', password = '', authority = '', path = '', search = ''] =
    URL_SHAPE.exec(text) ?? []
  const given = [...new URLSearchParams(search)]
  const query = new Map(given)
  const isKnown = given.every(([name, value]) => known.includes(name) && value !== '')
  if (match === undefined || !isKnown || query.size < given.length) return undefined
  const [userText, passwordText, pathText] = [user, password, path].map(uriDecoded)
  if (userText === undefined || passwordText === undefined || pathText === undefined)
    return undefined
  return { scheme, user: userText, password: passwordText, authority, path: pathText, query }
}

/** One to eight hosts separated by commas, each with an optional port. */
function parseHosts(authority: string, portDefault: number): readonly EngineHost[] | undefined {
  const hosts = authority.split(',').map((text) => parseHost(text, portDefault))
  return hosts.length <= 8 && hosts.every((host) => host !== undefined) ? hosts : undefined
}

function parseHost(text: string, portDefault: number): EngineHost | undefined {
  const match = /^(\[[^\]]+\]|[^:[\]]+)(?::([1-9]\d{0,4}))?$/.exec(text)
  const [, bracketed = '', portText] = match ?? []
  const host = withoutBrackets(bracketed)
  const port = portText === undefined ? portDefault : Number(portText)
  const isHost = bracketed === host ? isHostName(host) : ipVersion(host) === 6
  return match && isHost && port <= 65_535 ? { host, port } : undefined
}

function parseSocketFolder(
  { authority }: EngineUrl,
  folder: string,
): readonly EngineHost[] | undefined {
  const match = /^(?::([1-9]\d{0,4}))?$/.exec(authority)
  if (!match || !folder.startsWith('/')) return undefined
  return [{ host: folder, port: Number(match[1] ?? 5432) }]
}

function postgresTls(query: EngineUrl['query']): EngineTls | null | undefined {
  const [mode, caPath = null] = [query.get('sslmode'), query.get('sslrootcert')]
  if (mode === 'verify-full') return { caPath }
  return (mode === undefined || mode === 'disable') && caPath === null ? null : undefined
}

/** Whether all connections to other machines use TLS. */
function isSafe(hosts: readonly EngineHost[], tls: EngineTls | null): boolean {
  return tls !== null || hosts.every(({ host }) => host.startsWith('/') || isLoopbackHost(host))
}

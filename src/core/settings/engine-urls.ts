import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isLoopbackHost, withoutBrackets } from '../base-url.ts'
import { ipVersion } from '../client-address.ts'
import { uriDecoded } from '../query.ts'
import { isHostName } from './listen-address.ts'

/** Where an engine listens; IPv6 without brackets. A host that begins with a slash is the folder of a socket. */
export type EngineHost = { readonly host: string; readonly port: number }

/** Verified always. `caPath` names a file of certificates to trust instead of the system's; null for the system's. */
type EngineTls = { readonly caPath: string | null }

/** A PostgreSQL and who speaks to it. */
export type PostgresPlace = {
  /** One of them takes writes. */
  readonly hosts: readonly EngineHost[]
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: EngineTls | null
  /** Milliseconds that one request waits for it, however much it asks. */
  readonly waitMaxMs: number
}

/** A Valkey or Redis and who speaks to it. */
export type ValkeyPlace = {
  /** The engine's own, or those of its sentinels. */
  readonly hosts: readonly EngineHost[]
  /** What the sentinels call the engine; null where it is spoken to directly. */
  readonly sentinelName: string | null
  /** Empty where none is given. */
  readonly user: string
  readonly password: string
  readonly database: number
  readonly tls: EngineTls | null
  /** Milliseconds that a start, and each new connection, waits for it. */
  readonly connectMaxMs: number
  /** Milliseconds that one request waits for it, however much it asks. */
  readonly waitMaxMs: number
}

/**
 * `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE`, with `?host=/FOLDER` for a socket, `sslmode` (`verify-full`,
 * `disable`) and `sslrootcert`. Undefined for anything else, and off this machine without verified TLS.
 */
export function parsePostgres(text: string): PostgresPlace | undefined {
  const url = partsOf(text, ['host', 'sslmode', 'sslrootcert'])
  if (!url || !/^postgres(?:ql)?$/.test(url.scheme)) return undefined
  const folder = url.query.get('host')
  const hosts = folder === undefined ? hostsOf(url.authority, 5432) : folderOf(url, folder)
  const tls = postgresTls(url.query)
  const { user, password, path: database } = url
  if (!hosts || tls === undefined || user === '' || !/^[^/\0]{1,63}$/.test(database))
    return undefined
  if (!isSafe(hosts, tls)) return undefined
  return { hosts, user, password, database, tls, waitMaxMs: LIMITS.postgresWaitMaxMs }
}

/**
 * `redis://USER:PASSWORD@HOST:PORT/DATABASE` or `valkey://`, with an s for TLS (`rediss`, `valkeys`), or
 * `valkey+sentinel://HOST:PORT,HOST:PORT/NAME` (`valkeys+sentinel` for TLS); `?cacert=FILE` names whom to trust.
 * Undefined for anything else, and off this machine without TLS.
 */
export function parseValkey(text: string): ValkeyPlace | undefined {
  const url = partsOf(text, ['cacert'])
  const scheme = /^(?:redis|valkey)(s?)(\+sentinel)?$/.exec(url?.scheme ?? '')
  if (!url || !scheme) return undefined
  const [, secure, sentinel] = scheme
  const hosts = hostsOf(url.authority, sentinel ? 26379 : 6379)
  const caPath = url.query.get('cacert') ?? null
  const tls = secure ? { caPath } : null
  if (!hosts || (!secure && caPath !== null) || !isSafe(hosts, tls)) return undefined
  const { user, password } = url
  const { connectMaxMs, waitMaxMs } = VALKEY_LIMITS
  const place = { hosts, user, password, tls, connectMaxMs, waitMaxMs }
  return sentinel ? sentinelPlace(place, url.path) : directPlace(place, url.path)
}

type Place = Omit<ValkeyPlace, 'sentinelName' | 'database'>

function sentinelPlace(place: Place, sentinelName: string): ValkeyPlace | undefined {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(sentinelName)) return undefined
  return { ...place, sentinelName, database: 0 }
}

function directPlace(place: Place, path: string): ValkeyPlace | undefined {
  if (place.hosts.length > 1 || !/^\d{0,4}$/.test(path)) return undefined
  return { ...place, sentinelName: null, database: Number(path) }
}

type Parts = {
  readonly scheme: string
  readonly user: string
  readonly password: string
  readonly authority: string
  readonly path: string
  readonly query: ReadonlyMap<string, string>
}

const URL_SHAPE =
  /^([a-z+]{5,20}):\/\/(?:([^\s:@/?#]*)(?::([^\s@/?#]*))?@)?([^\s@/?#]*)(?:\/([^\s/?#]*))?(?:\?([^\s?#]*))?$/

function partsOf(text: string, known: readonly string[]): Parts | undefined {
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

/** One to eight hosts between commas, each with a port or not. */
function hostsOf(authority: string, portDefault: number): readonly EngineHost[] | undefined {
  const hosts = authority.split(',').map((text) => hostOf(text, portDefault))
  return hosts.length <= 8 && hosts.every((host) => host !== undefined) ? hosts : undefined
}

function hostOf(text: string, portDefault: number): EngineHost | undefined {
  const match = /^(\[[^\]]+\]|[^:[\]]+)(?::([1-9]\d{0,4}))?$/.exec(text)
  const [, bracketed = '', portText] = match ?? []
  const host = withoutBrackets(bracketed)
  const port = portText === undefined ? portDefault : Number(portText)
  const isHost = bracketed === host ? isHostName(host) : ipVersion(host) === 6
  return match && isHost && port <= 65_535 ? { host, port } : undefined
}

function folderOf({ authority }: Parts, folder: string): readonly EngineHost[] | undefined {
  const match = /^(?::([1-9]\d{0,4}))?$/.exec(authority)
  if (!match || !folder.startsWith('/')) return undefined
  return [{ host: folder, port: Number(match[1] ?? 5432) }]
}

function postgresTls(query: Parts['query']): EngineTls | null | undefined {
  const [mode, caPath = null] = [query.get('sslmode'), query.get('sslrootcert')]
  if (mode === 'verify-full') return { caPath }
  return (mode === undefined || mode === 'disable') && caPath === null ? null : undefined
}

/** Connections to another machine need TLS. */
function isSafe(hosts: readonly EngineHost[], tls: EngineTls | null): boolean {
  return tls !== null || hosts.every(({ host }) => host.startsWith('/') || isLoopbackHost(host))
}

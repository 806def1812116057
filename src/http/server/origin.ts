import { isLoopbackUrl, LOOPBACK_NAMES, withoutBrackets } from '../../core/base-url.ts'
import { type Cidr, ipVersion, isInAnyBlock } from '../../core/client-address.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import type { ConnectedCaller } from './callers.ts'
import type { Origins } from './cors.ts'
import { requestHeader } from './request.ts'

/** How callers reach this service. */
export type Listening = {
  /** Trusted proxies. */
  readonly trusted: readonly Cidr[]
  /** Whether the listener itself speaks TLS. */
  readonly tls: boolean
}

/**
 * The origin of the URL that the caller used, such as `https://perps.example`. A trusted proxy that reports no protocol
 * counts as https.
 */
export function requestOrigin(
  request: Request,
  { peer }: ConnectedCaller,
  { trusted, tls }: Listening,
): string {
  const read = (name: string) => requestHeader(request.headers, name)
  const isProxied = isInAnyBlock(trusted, peer) && wasForwarded(read)
  const isSecure = isProxied ? !reportedSchemes(read).includes('http') : tls
  return `${isSecure ? 'https' : 'http'}://${requestAuthority(request)}`
}

type Read = (name: string) => string | null

const FORWARDING = [
  ...['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host'],
  'x-forwarded-proto',
]

/** Whether a request has a forwarding header. */
export function wasForwarded(headers: Read): boolean {
  return FORWARDING.some((name) => headers(name) !== null)
}

/** The protocols that proxies report for a request, in lower case (X-Forwarded-Proto, and `proto` of RFC 7239). */
export function reportedSchemes(headers: Read): readonly string[] {
  const plain = (headers('x-forwarded-proto') ?? '').split(',')
  const pairs = (headers('forwarded') ?? '').split(/[,;]/).map((pair) => pair.split('='))
  const forwarded = pairs.flatMap(([name = '', value = '']) =>
    name.trim().toLowerCase() === 'proto' ? [value] : [],
  )
  return [...plain, ...forwarded].map((scheme) => scheme.replaceAll('"', '').trim().toLowerCase())
}

export type SiteRules = {
  /** The service's own host names: lower case, without ports, IPv6 in brackets. */
  readonly hosts: readonly string[]
  readonly origins: Origins
}

/**
 * Refuses a request that a foreign web page could have caused:
 * - its Host is neither one of ours nor a loopback name (DNS rebinding),
 * - its Origin is foreign. Allowed are this host, loopback names, and origins that the setting lists by name (`*` is
 *   not a name). Throws Failure forbidden, whose meta names the refused header and the setting that would allow it.
 */
export function assertSameSite(request: Request, { hosts, origins }: SiteRules): void {
  const { headers } = request
  const host = requestAuthority(request)
  if (!isOwnHost(request, [...hosts, ...LOOPBACK_NAMES])) {
    throw new Failure('forbidden', { reason: 'foreign_host', setting: 'PREPD_ALLOWED_HOSTS' })
  }
  const origin = requestHeader(headers, 'origin')
  if (origin !== null && !isKnown(origin, host, origins)) {
    throw new Failure('forbidden', { reason: 'foreign_origin', setting: 'PREPD_ALLOWED_ORIGINS' })
  }
}

/** Whether a request's Host is one of these hosts, on any port. */
export function isOwnHost(request: Request, hosts: SiteRules['hosts']): boolean {
  return hosts.includes(withoutPort(requestAuthority(request)))
}

/** Throws Failure invalid_request if there are two Host headers. The runtime joins them with a comma. */
export function assertOneHost(headers: Pick<Headers, 'get'>): void {
  if (headers.get('host')?.includes(',')) throw invalidParameter('host', 'repeated')
}

/**
 * Refuses a Host that is not an address, a loopback name or one of `hosts`. DNS rebinding cannot use an address, and
 * browsers always send a Host. Throws Failure invalid_request for two Host headers, forbidden for any other name.
 */
export function assertOperatorHost({ headers }: Request, hosts: readonly string[]): void {
  assertOneHost(headers)
  const host = withoutPort(requestHeader(headers, 'host')?.toLowerCase() ?? 'localhost')
  const isKnown = LOOPBACK_NAMES.includes(host) || hosts.includes(host)
  if (!isKnown && ipVersion(withoutBrackets(host)) === 0) {
    throw new Failure('forbidden', { reason: 'foreign_host', setting: 'PREPD_ALLOWED_HOSTS' })
  }
}

/** Refuses a page of another origin on the operator's listener, even with a valid key. Throws Failure forbidden. */
export function assertOwnOrigin({ url, headers }: Request): void {
  const origin = headers.get('origin')
  const host = headers.get('host') ?? new URL(url).host
  if (origin !== null && URL.parse(origin)?.host !== host) {
    throw new Failure('forbidden', { reason: 'foreign_origin' })
  }
}

function isKnown(origin: string, host: string, origins: Origins): boolean {
  if (origins !== '*' && origins.includes(origin)) return true
  const url = URL.parse(origin)
  if (url?.origin !== origin) return false
  return url.host === host || isLoopbackUrl(url)
}

/** The host name that a caller used, in lower case and without its port. */
export function requestHost(request: Request): string {
  return withoutPort(requestAuthority(request))
}

function requestAuthority({ url, headers }: Request): string {
  return (requestHeader(headers, 'host') ?? new URL(url).host).toLowerCase()
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, '')
}

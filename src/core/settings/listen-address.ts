import { ipVersion } from '../client-address.ts'

/** The address that a listener binds. `host` has no brackets; port 0 lets the system choose. */
export type ListenAddress = { readonly host: string; readonly port: number }

/** The wildcard hosts, each with the loopback address of its family. */
export const LOOPBACK_OF_ANY: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

/** Parses `host:port` or `[v6]:port`; undefined for anything else. Both parts are required. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, v6, name, digits] = LISTEN_ADDRESS.exec(text) ?? []
  const host = v6 ?? name
  const port = Number(digits)
  if (host === undefined || port > PORT_MAX) return undefined
  if (v6 === undefined ? !isHostName(host) : ipVersion(v6) !== 6) return undefined
  return { host, port }
}

/** Whether a text is an IPv4 address or a host name of RFC 1123: labels of letters, digits and inner hyphens. */
export function isHostName(text: string): boolean {
  // Dotted digits must be a valid IPv4 address: 127.0.0.256 is not a host name.
  return DIGITS_AND_DOTS.test(text) ? ipVersion(text) === 4 : HOST_NAME.test(text)
}

/** A host for a URL or a Host header: IPv6 in brackets. */
export function hostText(host: string): string {
  return ipVersion(host) === 6 ? `[${host}]` : host
}

/** The URL of a listener from this machine, on loopback for a wildcard listener. */
export function localUrl({ host, port }: ListenAddress): string {
  return `http://${hostText(LOOPBACK_OF_ANY.get(host) ?? host)}:${port}`
}

const PORT_MAX = 65_535
const LISTEN_ADDRESS = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]+)):(0|[1-9]\d{0,4})$/
const DIGITS_AND_DOTS = /^[\d.]+$/
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

/** Whether two listeners would bind the same port; false if one is disabled or picks a free port. */
export function sameAddress(one: ListenAddress | null, other: ListenAddress | null): boolean {
  if (one === null || other === null || one.port === 0) return false
  return one.port === other.port && one.host === other.host
}

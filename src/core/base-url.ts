import { isLoopback } from './client-address.ts'

/** The names of this machine in a URL or a Host header. */
export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether a host (IPv6 without brackets) is this machine by name or by address. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopback(host)
}

/** Whether a URL points to this machine; false for null. */
export function isLoopbackUrl(url: URL | null): boolean {
  return url !== null && isLoopbackHost(withoutBrackets(url.hostname))
}

/** A host without the brackets that URLs have around IPv6 addresses. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/**
 * Parses a base URL to which paths are appended: an origin with `https`, or with `http` to loopback. Undefined for
 * anything else, such as a URL with credentials, path, query, fragment or white space.
 */
export function parseBaseUrl(text: string): URL | undefined {
  const url = parseHttpUrl(text)
  if (url?.pathname !== '/') return undefined
  return url.protocol === 'https:' || isLoopbackUrl(url) ? url : undefined
}

/** Parses an `http` or `https` URL, which may have a path; undefined with credentials, query or fragment. */
export function parseHttpUrl(text: string): URL | undefined {
  return HTTP_URL.test(text) ? (URL.parse(text) ?? undefined) : undefined
}

// Stricter than the URL parser, which accepts white space, backslashes, and an empty query or user name.
const HTTP_URL = /^https?:\/\/[^\s\\?#@]+$/

/** Whether every URL parser leaves a path unchanged, so that parsing can be skipped. */
export function isPlainPath(path: string): boolean {
  return PLAIN_PATH.test(path)
}

const PLAIN_PATH = /^(?:\/[\w-]+)+$/

/**
 * Whether the environment names a proxy that may apply to a URL. Exemptions (NO_PROXY) are ignored: wrongly assuming a
 * proxy costs only a connection, but overlooking a proxy would bypass that proxy.
 */
export function mayBeProxied(url: URL, env: Readonly<Record<string, string | undefined>>): boolean {
  const names = [`${url.protocol.slice(0, -1)}_proxy`, 'all_proxy']
  const isNamed = names.some((name) => env[name] || env[name.toUpperCase()])
  return isNamed && !isLoopbackUrl(url)
}

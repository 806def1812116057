import { isLoopback } from './client-address.ts'

/** Whether a host (IPv6 without brackets) is this machine by name or by address. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopback(host)
}

/**
 * A URL to which paths are appended: a bare origin, `https`, or `http` to loopback. Undefined for anything else:
 * credentials, a path, a query, a fragment, white space.
 */
export function parseBaseUrl(text: string): URL | undefined {
  const url = parseHttpUrl(text)
  if (url?.pathname !== '/') return undefined
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return url.protocol === 'https:' || isLoopbackHost(host) ? url : undefined
}

/** An `http` or `https` URL that may have a path but no credentials, query or fragment. */
export function parseHttpUrl(text: string): URL | undefined {
  return HTTP_URL.test(text) ? (URL.parse(text) ?? undefined) : undefined
}

// The URL parser forgives white space, backslashes and an empty query or user name; a setting should not need it.
const HTTP_URL = /^https?:\/\/[^\s\\?#@]+$/

// The longer of the two: a host has at least one character.
const AFTER_SCHEME = 'https://'.length

/** Path and query of a request, as sent. Without a Host (HTTP/1.0) its URL is nothing else. */
export function targetOf(url: string): string {
  if (url.startsWith('/')) return url
  const start = url.indexOf('/', AFTER_SCHEME)
  return start < 0 ? '/' : url.slice(start)
}

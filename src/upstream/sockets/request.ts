import type { Call } from '../exchange.ts'

/** Spelled and ordered as fetch does it: a call is the same bytes whichever way it goes out. */
const SPELLED = new Map(
  ['Accept', 'Accept-Encoding', 'Content-Type', 'User-Agent'].map((name) => [
    name.toLowerCase(),
    name,
  ]),
)

/**
 * A call as the bytes of an HTTP/1.1 request (RFC 9112), whole. A connection is kept unless somebody says otherwise
 * (9.3): so nothing is said.
 */
export function requestBytes({ url, target, method, headers, body }: Call): Uint8Array {
  const lines = [`${method} ${target} HTTP/1.1`]
  for (const [name, spelled] of SPELLED) {
    const value = headers[name]
    if (value !== undefined) lines.push(`${spelled}: ${value}`)
  }
  for (const name of Object.keys(headers).sort()) {
    if (!SPELLED.has(name)) lines.push(`${name}: ${headers[name]}`)
  }
  lines.push(`Host: ${url.host}`)
  if (body || method !== 'GET') lines.push(`Content-Length: ${body?.byteLength ?? 0}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return body ? Buffer.concat([head, body]) : head
}

import type { Call } from '../exchange.ts'

/** Spelled and ordered as fetch does it: a call is the same bytes whichever way it goes out. */
const SPELLED = new Map(
  ['Accept', 'Accept-Encoding', 'Content-Type', 'User-Agent'].map((name) => [
    name.toLowerCase(),
    name,
  ]),
)

const LINE_END = '\r\n'

/**
 * A call as the bytes of an HTTP/1.1 request (RFC 9112), whole. A connection is kept unless somebody says otherwise
 * (9.3): so nothing is said.
 */
export function requestBytes({ url, target, method, headers, body }: Call): Uint8Array {
  let head = `${method} ${target} HTTP/1.1${LINE_END}`
  for (const [name, spelled] of SPELLED) {
    const value = headers[name]
    if (value !== undefined) head += `${spelled}: ${value}${LINE_END}`
  }
  for (const name of Object.keys(headers).sort()) {
    if (!SPELLED.has(name)) head += `${name}: ${headers[name]}${LINE_END}`
  }
  head += `Host: ${url.host}${LINE_END}`
  if (body || method !== 'GET') head += `Content-Length: ${body?.byteLength ?? 0}${LINE_END}`
  head += LINE_END
  const bytes = Buffer.allocUnsafe(head.length + (body?.byteLength ?? 0))
  bytes.write(head, 'latin1')
  if (body) bytes.set(body, head.length)
  return bytes
}

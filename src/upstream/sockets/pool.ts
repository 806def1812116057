import { after, turn } from '../../core/loop/guarded.ts'
import { UpstreamError } from '../../core/ports.ts'
import { type Connection, createConnection } from './connection.ts'
import type { Call, Ending, Exchange } from './exchange.ts'
import { openWire, type Place } from './wire.ts'

/*
 * Connections of our own instead of the agent of `node:http`, measured on Bun 1.4.5 over loopback: both send every method
 * once, but of 400 writes to a host that closes idle connections the agent lost 184 on connections that were closed
 * already, and this pool 1; a call takes 53 us of processor time here and 68 us there. `fetch` sends GET, PUT and DELETE
 * again on a dead connection.
 */

export type PoolRules = {
  /** How long a connection is kept without a call. */
  readonly idleMs: number
  /** Whether a call may go out again that found a kept connection dead. */
  readonly resends: boolean
  /** Most connections that are being opened: one that nobody waits for any more goes on until the system gives up. */
  readonly openingMax: number
  /** Where its connections lead to; absent for the host by its name. */
  readonly at?: Place
}

/** A connection, and its wire between two calls. */
type Kept = Connection & {
  /** Keeps it for the next call; the process does not wait for that. */
  readonly rest: () => void
  /** Whether it can carry a call; where it cannot, it is closed. */
  readonly wake: () => boolean
}

/**
 * Connections to one host, each for one call at a time; none is opened yet. A call takes the warmest that is free. Where
 * nothing is sent again, a call goes out once, whatever becomes of its connection.
 */
export function openPool(url: URL, { idleMs, resends, openingMax, at }: PoolRules): Exchange {
  const { host } = url
  const free: Kept[] = []
  let opening = 0

  async function open(signal: Ending): Promise<Kept> {
    if (opening >= openingMax) throw new UpstreamError('unreachable', false)
    opening += 1
    const settled = () => {
      opening -= 1
    }
    const wire = await openWire(url, signal, settled, at)
    let isResting = false
    // One timer for all its rests, wound up again for each: in a call it may go off, and means nothing.
    let idle: ReturnType<typeof setTimeout> | undefined
    const closeIdle = () => {
      if (isResting) wire.close()
    }
    const kept: Kept = {
      ...createConnection(wire, () => kept.rest()),
      rest: () => {
        wire.hold(false)
        isResting = true
        idle = idle?.refresh() ?? after('upstream', idleMs, closeIdle)
        idle.unref()
        free.push(kept)
      },
      wake: () => {
        isResting = false
        const isQuiet = wire.isQuiet()
        if (isQuiet) wire.hold(true)
        else wire.destroy()
        return isQuiet
      },
    }
    return kept
  }

  function takeFree(): Kept | null {
    for (let kept = free.pop(); kept; kept = free.pop()) if (kept.wake()) return kept
    return null
  }

  function mayResend({ method }: Call, kept: Kept, signal: Ending): boolean {
    return resends && method === 'GET' && !kept.wasAnswered() && !signal.aborted
  }

  return async (call, signal) => {
    const request = requestBytes(host, call)
    // What goes out once waits for a turn of the loop, in which kept connections that the host closed are closed here.
    if (free.length > 0 && !resends) await turn()
    const kept = takeFree()
    if (!kept) return (await open(signal)).carry(request, signal)
    try {
      return await kept.carry(request, signal)
    } catch (error) {
      if (!mayResend(call, kept, signal)) throw error
      return (await open(signal)).carry(request, signal)
    }
  }
}

/** Spelled and ordered as fetch does it: a call is the same bytes whichever way it goes out. */
const SPELLED = new Map(
  ['Accept', 'Accept-Encoding', 'Content-Type', 'User-Agent'].map((name) => [
    name.toLowerCase(),
    name,
  ]),
)

const isUnspelled = (name: string) => !SPELLED.has(name)

const LINE_END = '\r\n'

/**
 * A call to a host as the bytes of an HTTP/1.1 request (RFC 9112), whole. A connection is kept unless somebody says otherwise
 * (9.3): so nothing is said.
 */
function requestBytes(host: string, { target, method, headers, body }: Call): Uint8Array {
  let head = `${method} ${target} HTTP/1.1${LINE_END}`
  for (const [name, spelled] of SPELLED) {
    const value = headers[name]
    if (value !== undefined) head += `${spelled}: ${value}${LINE_END}`
  }
  for (const name of sorted(Object.keys(headers).filter(isUnspelled))) {
    head += `${name}: ${headers[name]}${LINE_END}`
  }
  head += `Host: ${host}${LINE_END}`
  if (body || method !== 'GET') head += `Content-Length: ${body?.byteLength ?? 0}${LINE_END}`
  head += LINE_END
  const bytes = Buffer.allocUnsafe(head.length + (body?.byteLength ?? 0))
  bytes.write(head, 'latin1')
  if (body) bytes.set(body, head.length)
  return bytes
}

/** Most come sorted, and to see that takes less than to sort them. */
function sorted(names: string[]): readonly string[] {
  const isSorted = names.every((name, at) => at === 0 || (names[at - 1] ?? '') <= name)
  return isSorted ? names : names.sort()
}

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { LIMITS } from '../spec/limits.ts'
import type { Answered, Call, Exchange } from './exchange.ts'

/** Shorter than servers and balancers keep theirs, so that a write seldom meets a connection that is being closed. */
const IDLE_MS = 4000

/**
 * Connections to one host that carry one write after another; none is opened yet. Whatever becomes of a connection, a
 * write goes out on one of them, once: node:http sends nothing again, where fetch would.
 */
export function openWriteSockets({ protocol }: URL): Exchange {
  let opened: Promise<Client> | undefined

  return async (call, signal) => {
    opened ??= openClient(protocol)
    const client = await opened
    if (Object.keys(client.agent.freeSockets).length > 0) await heardOfClosed()
    return exchanged(client, call, signal)
  }
}

type Client = {
  readonly request: (url: URL, options: RequestOptions) => ClientRequest
  readonly agent: Agent
}

// Loaded with the first write: no start waits for it.
async function openClient(protocol: string): Promise<Client> {
  const { Agent, request } =
    protocol === 'https:' ? await import('node:https') : await import('node:http')
  return { request, agent: new Agent({ keepAlive: true, timeout: IDLE_MS }) }
}

/**
 * Between two turns the loop hears of connections that were closed while it stood still, as it does for the disk: they
 * are used no more.
 */
async function heardOfClosed(): Promise<void> {
  for (let turns = 0; turns < 2; turns += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

function exchanged(
  { request, agent }: Client,
  { url, method, headers, body }: Call,
  signal: AbortSignal,
): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const maxHeaderSize = LIMITS.upstreamWriteHeadMaxBytes
  const sending = request(url, { agent, method, headers: spelled(headers), maxHeaderSize, signal })
  // A connection is kept unless somebody says otherwise (RFC 9112, 9.3): so nothing is said.
  sending.removeHeader('connection')
  if (method !== 'GET') sending.setHeader('Content-Length', body?.byteLength ?? 0)
  sending.on('response', (incoming) => resolve(answeredOf(incoming)))
  sending.on('upgrade', (_, socket) => {
    socket.destroy()
    reject(new Error('an upgrade that nobody asked for'))
  })
  sending.on('error', reject)
  sending.end(body ?? undefined)
  return promise
}

/** Spelled and ordered as fetch does it: a write is the same bytes whichever way it goes out. */
const SPELLED = ['Accept', 'Accept-Encoding', 'Content-Type', 'User-Agent']
const SPELLED_LOWER: ReadonlySet<string> = new Set(SPELLED.map((name) => name.toLowerCase()))

function spelled(headers: Headers): Record<string, string> {
  const first = SPELLED.map((name) => [name, headers.get(name)] as const)
  const rest = [...headers].filter(([name]) => !SPELLED_LOWER.has(name))
  return Object.fromEntries([...first.filter(hasValue), ...rest])
}

function hasValue(entry: readonly [string, string | null]): entry is [string, string] {
  return entry[1] !== null
}

function answeredOf(incoming: IncomingMessage): Answered {
  // Whoever reads the body meets its errors; one that nobody reads has nobody to tell.
  incoming.on('error', () => undefined)
  return {
    status: incoming.statusCode ?? 0,
    headers: { get: (name) => incoming.headersDistinct[name]?.join(', ') ?? null },
    body: Object.assign(incoming, { cancel: async () => void incoming.destroy() }),
  }
}

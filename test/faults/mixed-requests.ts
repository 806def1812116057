import { join } from 'node:path'
import { median, residentMb } from '../bench/measure.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { recordedBody } from '../surface/recorded-venue.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { UNLIMITED } from './unlimited.ts'

export type MixFigures = {
  readonly statuses: Readonly<Record<string, number>>
  /** Resident memory over the fifth tenth of the requests, when caches are full, and over the last. */
  readonly warmMb: number
  readonly endMb: number
  /** Answers that are not what their kind of request gets, each once, and lines of the log that no request explains. */
  readonly strange: readonly string[]
}

type Kind = {
  readonly name: string
  /** How many of a hundred requests are of it. */
  readonly share: number
  readonly status: number
  readonly ask: (turn: number) => readonly [path: string, init?: RequestInit]
}

const CONNECTIONS = 48
const SAMPLES = 100
const caller = newCaller()
/** How many writes are sent again and again, and for how many turns: signatures and kept answers do not last for ever. */
const REPEATED = { writes: 16, turns: 5000 } as const
const repeated = new Map<number, { readonly since: number; readonly body: object }>()

function write(id: string): object {
  const body = JSON.stringify({ symbol: 'PERP_ETH_USDC', client_order_id: id })
  return envelope(caller, { method: 'POST', path: '/v1/order', body })
}

function repeatedWrite(turn: number): object {
  const slot = turn % REPEATED.writes
  const known = repeated.get(slot)
  if (known && turn - known.since < REPEATED.turns) return known.body
  const body = write(`repeated-${turn}`)
  repeated.set(slot, { since: turn, body })
  return body
}

const read = (): object => envelope(caller, { method: 'GET', path: '/v1/positions' })
const rpc = (method: string, params: object = {}): RequestInit =>
  jsonPost({ jsonrpc: '2.0', id: 1, method, params })

// biome-ignore format: one kind a row
const KINDS: readonly Kind[] = [
  { name: 'kept answers', share: 25, status: 200, ask: (turn) => [`/api/prep/${['config', 'tokens', 'catalogue', 'deposit-chains'][turn % 4]}`] },
  { name: 'kept answers by parameter', share: 10, status: 200, ask: (turn) => [`/api/prep/op/charts.history?symbol=PERP_BTC_USDC&resolution=${1 + (turn % 50)}`] },
  { name: 'answers not kept', share: 8, status: 200, ask: () => ['/api/prep/orderbook?symbol=PERP_BTC_USDC'] },
  { name: 'signed reads', share: 10, status: 200, ask: () => ['/api/prep/relay', jsonPost(read())] },
  { name: 'signed writes', share: 6, status: 200, ask: (turn) => ['/api/prep/relay', jsonPost(write(`w${turn}`))] },
  { name: 'repeated writes', share: 4, status: 200, ask: (turn) => ['/api/prep/relay', jsonPost(repeatedWrite(turn))] },
  { name: 'stale signatures', share: 4, status: 401, ask: () => ['/api/prep/relay', jsonPost(envelope(caller, { method: 'GET', path: '/v1/positions', timestamp: '1700000000000' }))] },
  { name: 'nonsense', share: 8, status: 400, ask: (turn) => ['/api/prep/relay', jsonPost(`{"a":${turn}`)] },
  { name: 'markets that are none', share: 5, status: 400, ask: (turn) => [`/api/prep/trades?symbol=${turn}`] },
  { name: 'paths that are none', share: 5, status: 404, ask: (turn) => [`/nope/${turn}`] },
  { name: 'messages to sign', share: 4, status: 200, ask: () => ['/api/prep/typed-data', jsonPost({ kind: 'trading-key', chainId: 1, tradingKey: caller.key, scope: 'read', expiration: Date.now() + 60_000 })] },
  { name: 'agents', share: 8, status: 200, ask: (turn) => ['/mcp', turn % 2 ? rpc('ping') : rpc('tools/call', { name: 'get_orderbook', arguments: { symbol: 'PERP_BTC_USDC' } })] },
  { name: 'agents without credentials', share: 3, status: 200, ask: () => ['/mcp', rpc('tools/call', { name: 'list_positions', arguments: {} })] },
]

const WHEEL: readonly Kind[] = KINDS.flatMap((kind) => Array<Kind>(kind.share).fill(kind))

/** Asks prepd so many requests of every kind, and weighs it on the way. */
export async function mixedRequests(
  count: number,
  random: () => number,
  report: (line: string) => void = () => undefined,
): Promise<MixFigures> {
  using folder = temporaryFolder()
  const venue = startRecordedMemorylessVenue()
  const settings = { VENUE: venue.url.href, DATA_DIR: join(folder.path, 'data'), ...UNLIMITED }
  const prepd = spawnPrepd({ settings })
  const url = await prepd.url()
  const statuses: Record<string, number> = {}
  const strange = new Set<string>()
  const weights: number[] = []
  const sampleEvery = Math.max(1, Math.floor(count / SAMPLES))
  let turn = 0

  function weigh(): void {
    if (turn % sampleEvery !== 0) return
    weights.push(residentMb(prepd.pid))
    if (weights.length % 10 === 0) report(`${turn} requests, ${weights.at(-1)?.toFixed(1)} MB`)
  }

  async function client(): Promise<void> {
    while (turn < count) {
      turn += 1
      weigh()
      const kind = WHEEL[Math.floor(random() * WHEEL.length)]
      if (!kind) continue
      const [path, init] = kind.ask(turn)
      const response = await fetch(url + path, init)
      await response.arrayBuffer()
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      if (response.status !== kind.status) strange.add(`${kind.name}: ${response.status}`)
    }
  }

  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  prepd.kill('SIGTERM')
  const { code, stderr } = await prepd.ended()
  if (code !== 0) strange.add(`ended with ${code}`)
  if (stderr !== '') strange.add(stderr.slice(0, 500))
  await venue.stop(true)
  const part = (from: number, to: number) => median(weights.slice(from, to))
  return { statuses, strange: [...strange], warmMb: part(40, 50), endMb: part(-10, SAMPLES) }
}

/** A venue that answers as recorded and keeps nothing. */
function startRecordedMemorylessVenue() {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const text = await request.text()
      const recorded = { method: request.method, target: pathname + search, text }
      const body = recordedBody({ ...recorded, headers: [], body: new Uint8Array(), connection: 0 })
      return Response.json(body ?? { success: true, timestamp: 1, data: {} })
    },
  })
}

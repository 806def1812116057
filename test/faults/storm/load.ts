import { envelope, newCaller } from '../../caller.ts'
import { openSocket } from '../../live/clients.ts'
import { type HttpClient, openClient } from './client.ts'
import { type Call, type CallKind, KINDS } from './judge.ts'

/** A write that was signed, as it is sent. */
type Write = { readonly body: string; readonly identity: string; readonly signedAtMs: number }

const CALL_EVERY_MS = 30
/** A fifth of the descriptors of an instance: more would be a fault of the load. */
const IN_FLIGHT_MAX = 100
const CALLERS = 40
/** Signatures live five minutes. */
const REPEATED_FOR_MS = 240_000
/** Of every hundred calls. */
const SHARES: Readonly<Record<CallKind, number>> = {
  'new write': 30,
  'repeated write': 25,
  cancellation: 5,
  'signed read': 10,
  'public read': 30,
}
/** How many new writes are sent to all instances at once. */
const RACES = 0.3
const PUBLIC = [
  '/api/prep/markets',
  '/api/prep/catalogue',
  '/api/prep/orderbook?symbol=PERP_BTC_USDC',
  '/api/prep/candles?symbol=PERP_BTC_USDC&interval=1h',
  '/api/prep/op/markets.get?symbol=PERP_BTC_USDC',
  '/api/prep/op/charts.history?symbol=PERP_BTC_USDC&resolution=60',
] as const

/** Signed calls, the same for the same numbers but for their keys and times. */
export function createSigner(random: () => number) {
  const callers = Array.from({ length: CALLERS }, () => newCaller())
  let written = 0
  const caller = () => callers[Math.floor(random() * callers.length)] ?? newCaller()

  function write(): Write {
    const id = `s${written++}`
    const method = random() < 0.8 ? 'POST' : 'PUT'
    const body = JSON.stringify({ symbol: 'PERP_ETH_USDC', client_order_id: id })
    const signed = envelope(caller(), { method, path: '/v1/order', body })
    const { signature: identity } = signed.auth
    return { body: JSON.stringify(signed), identity, signedAtMs: performance.now() }
  }

  /** A cancellation, which goes out even where no claim of it can be kept, and may arrive twice. */
  function cancellation(): string {
    const path = `/v1/order?symbol=PERP_ETH_USDC&order_id=${written++}`
    return JSON.stringify(envelope(caller(), { method: 'DELETE', path }))
  }

  return {
    write,
    cancellation,
    read: () => JSON.stringify(envelope(caller(), { method: 'GET', path: '/v1/positions' })),
  }
}

export type Load = {
  readonly calls: Call[]
  /** Calls that were left out because too many were under way. */
  readonly skipped: () => number
  /** Begins no more calls; resolves when all are over. */
  readonly end: () => Promise<void>
}

/** Sends writes, repeats of them at any instance, and reads, until it is ended. */
export function startLoad(
  urls: readonly string[],
  random: () => number,
  nowMs: () => number,
): Load {
  const clients = urls.map(openClient)
  const underWay = urls.map(() => 0)
  const signer = createSigner(random)
  const calls: Call[] = []
  let writes: Write[] = []
  let skipped = 0
  const pending = new Set<Promise<void>>()

  async function call(
    instance: number,
    kind: CallKind,
    path: string,
    { body, identity }: { readonly body?: string; readonly identity?: string } = {},
  ): Promise<void> {
    const client = clients[instance]
    if (!client || (underWay[instance] ?? 0) >= IN_FLIGHT_MAX) {
      skipped += 1
      return
    }
    underWay[instance] = (underWay[instance] ?? 0) + 1
    const fromMs = nowMs()
    const { outcome, isKept } = await asked(client, path, body)
    underWay[instance] = (underWay[instance] ?? 0) - 1
    const tookMs = nowMs() - fromMs
    calls.push({ kind, instance, fromMs, tookMs, outcome, isKept, ...(identity && { identity }) })
  }

  function begin(...args: Parameters<typeof call>): void {
    const done = call(...args)
    pending.add(done)
    void done.finally(() => pending.delete(done))
  }

  function newWrite(instance: number): void {
    const write = signer.write()
    writes.push(write)
    const everywhere = urls.map((_, at) => at)
    const targets = random() < RACES ? everywhere : [instance]
    for (const target of targets) begin(target, 'new write', RELAY, write)
  }

  function repeat(instance: number): void {
    writes = writes.filter(({ signedAtMs }) => performance.now() - signedAtMs < REPEATED_FOR_MS)
    // Of those that were sent last more often.
    const back = Math.floor(random() ** 3 * writes.length)
    const write = writes.at(-1 - back)
    if (write) begin(instance, 'repeated write', RELAY, write)
  }

  const begins: Readonly<Record<CallKind, (instance: number) => void>> = {
    'new write': newWrite,
    'repeated write': repeat,
    cancellation: (at) => begin(at, 'cancellation', RELAY, { body: signer.cancellation() }),
    'signed read': (at) => begin(at, 'signed read', RELAY, { body: signer.read() }),
    'public read': (at) =>
      begin(at, 'public read', PUBLIC[Math.floor(random() * PUBLIC.length)] ?? PUBLIC[0]),
  }

  function next(): void {
    const instance = Math.floor(random() * urls.length)
    begins[drawKind(100 * random())](instance)
  }

  const timer = setInterval(next, CALL_EVERY_MS)
  return {
    calls,
    skipped: () => skipped,
    end: async () => {
      clearInterval(timer)
      await Promise.all(pending)
      for (const { stop } of clients) stop()
    },
  }
}

const RELAY = '/api/prep/relay'

function drawKind(turn: number): CallKind {
  let left = turn
  for (const kind of KINDS) {
    left -= SHARES[kind]
    if (left < 0) return kind
  }
  return 'public read'
}

/** `ok`, the code of a failure, or that there was no answer. */
export async function asked({ ask }: HttpClient, path: string, body?: string) {
  const { outcome, status, text, isKept } = await ask(path, body)
  if (outcome !== 'answered') return { outcome, isKept }
  try {
    const answer = Object(JSON.parse(text))
    return { outcome: status === 200 ? 'ok' : String(answer.code ?? status), isKept }
  } catch {
    return { outcome: `${status} without JSON`, isKept }
  }
}

const TOPICS = ['tickers', 'marks', 'trades:PERP_ETH_USDC', 'orderbook:PERP_ETH_USDC'] as const
const REOPEN_AFTER_MS = 500
const COUNT_EVERY_MS = 200

/** Keeps a WebSocket to an instance open and counts its messages. */
export function startListener(url: string) {
  let messages = 0
  let opened = 0
  let isOver = false

  async function listen(): Promise<void> {
    while (!isOver) {
      await once().catch(() => undefined)
      await Bun.sleep(REOPEN_AFTER_MS)
    }
  }

  async function once(): Promise<void> {
    const client = await openSocket(url)
    opened += 1
    client.send({ op: 'subscribe', topics: TOPICS })
    let isClosed = false
    void client.closed.then(() => {
      isClosed = true
    })
    while (!(isOver || isClosed)) {
      await Bun.sleep(COUNT_EVERY_MS)
      messages += client.messages.splice(0).length
    }
    client.close()
  }

  const done = listen()
  return {
    figures: () => ({ messages, opened }),
    end: async () => {
      isOver = true
      await done
    },
  }
}

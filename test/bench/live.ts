import type { Socket } from 'bun'
import { type ScriptedVenue, startScriptedVenue } from '../live/scripted-venue.ts'
import { cpuMicros, percentile, residentMb } from './measure.ts'
import { CORES, type Running, startPrepd, startRole } from './servers.ts'

const SOCKETS = Number(process.env['BENCH_SOCKETS'] ?? 10_000)
const SILENT = 500
const WATCHERS = 20
const SECONDS = 10
const EVERY_MS = 100
const PER_ADDRESS = 20
const BATCH = 100
const SETTLE_MS = 12_000
const PONG_MS = 10_000
/** How often the venue speaks where it is asked how long messages take: in no step with any beat. */
const OFTEN_MS = 13

const BASES = ['BTC', 'ETH', 'SOL', 'XRP', 'BNB', 'DOGE', 'HYPE', 'SUI', 'ADA', 'AVAX']
const SYMBOLS = BASES.map((base) => `PERP_${base}_USDC`)

type Figures = {
  readonly cpuMicros: number
  readonly socketKib: number
  readonly p50: number
  readonly p99: number
}

/** Ten topics of one beat, and what the venue says on them: one message each a second. */
type Case = {
  readonly name: string
  readonly topics: readonly string[]
  readonly publish: (venue: ScriptedVenue, symbol: string) => void
}

const CASES: readonly Case[] = [
  {
    name: 'topics of the 0.2 s beat',
    topics: SYMBOLS.map((symbol) => `trades:${symbol}`),
    publish: (venue, symbol) =>
      venue.publish(`${symbol}@trade`, { symbol, price: 1, size: 0.5, side: 'BUY' }),
  },
  {
    name: 'topics of the 1 s beat',
    topics: SYMBOLS.map((symbol) => `mark:${symbol}`),
    // The price is the time: that is all a mark says.
    publish: (venue, symbol) => venue.publish(`${symbol}@markprice`, { symbol, price: Date.now() }),
  },
]

/** Live data beside a bare server that publishes each message at once: ten messages a second to every socket. */
export async function liveData(): Promise<void> {
  const plain = await bareCase('fan')
  console.log(`\nlive data: ${SOCKETS} sockets, ten messages a second each, for ${SECONDS} s`)
  console.log(line('bare', plain))
  console.log(line('bare, two in a turn', await bareCase('beats')))
  for (const each of CASES) await liveCase(each, plain)
}

async function bareCase(role: 'fan' | 'beats'): Promise<Figures> {
  const bare = await startRole(role, CORES.server, String(EVERY_MS))
  const figures = await measure(bare, '/', () => undefined)
  await bare.stop()
  return figures
}

async function liveCase({ name, topics, publish }: Case, plain: Figures): Promise<void> {
  const venue = startScriptedVenue()
  const prepd = await startPrepd({
    VENUE: venue.url,
    VENUE_STREAM: venue.streamUrl,
    TRUSTED_PROXIES: '127.0.0.0/8',
    STREAM_CLIENTS: '100000',
  })
  const subscribe: Opened = (send) => send({ op: 'subscribe', topics })
  const stop = publishInTurn(venue, publish, EVERY_MS)
  const own = await measure(prepd, '/api/prep/ws', subscribe)
  stop()
  console.log(line('prepd', own))
  console.log(
    `  prepd / bare, ${name}: cpu ${(own.cpuMicros / plain.cpuMicros).toFixed(2)}  memory ${(own.socketKib / plain.socketKib).toFixed(2)}  p99 ${(own.p99 - plain.p99).toFixed(0)} ms more`,
  )
  const stopOften = publishInTurn(venue, publish, OFTEN_MS)
  await beside(prepd, subscribe)
  stopOften()
  await prepd.stop()
  await venue.stop()
}

function line(name: string, { cpuMicros: cpu, socketKib, p50, p99 }: Figures): string {
  return `  ${name.padEnd(19)} ${cpu.toFixed(2)} us cpu a delivery  ${socketKib.toFixed(1)} KiB a socket  delay p50 ${p50.toFixed(0)} p99 ${p99.toFixed(0)} ms`
}

/** Five hundred sockets that never read, and what they cost the others. */
async function beside(prepd: Running, subscribe: Opened): Promise<void> {
  const readers = await connect(prepd, '/api/prep/ws', 1000, subscribe)
  const alone = await delays(prepd, '/api/prep/ws', subscribe)
  const before = residentMb(prepd.pid)
  const silent = await connect(prepd, '/api/prep/ws', SILENT, subscribeToAll)
  for (const socket of silent) socket.pause()
  const together = await delays(prepd, '/api/prep/ws', subscribe)
  console.log(
    `  ${SILENT} sockets that never read: ${(residentMb(prepd.pid) - before).toFixed(0)} MB more; p99 of others ${percentile(alone, 0.99).toFixed(0)} ms before, ${percentile(together, 0.99).toFixed(0)} ms with them`,
  )
  for (const socket of [...readers, ...silent]) socket.terminate()
}

/** As many as are meant, however late a timer is. */
function publishInTurn(
  venue: ScriptedVenue,
  publish: Case['publish'],
  everyMs: number,
): () => void {
  const startedMs = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    for (; sent * everyMs <= performance.now() - startedMs; sent += 1) {
      publish(venue, SYMBOLS[sent % SYMBOLS.length] ?? '')
    }
  }, OFTEN_MS)
  return () => clearInterval(timer)
}

async function measure(server: Running, path: string, opened: Opened): Promise<Figures> {
  // What is opened by the first who asks is no part of what each costs.
  const sockets = await connect(server, path, PER_ADDRESS, opened)
  const pulse = setInterval(() => sockets.forEach(pong), PONG_MS)
  await Bun.sleep(SETTLE_MS)
  const before = residentMb(server.pid)
  sockets.push(...(await connect(server, path, SOCKETS - PER_ADDRESS, opened)))
  // What opening them left behind goes by itself: what stays is what they cost.
  await Bun.sleep(SETTLE_MS)
  const kib = ((residentMb(server.pid) - before) * 1024) / SOCKETS
  const cpu = cpuMicros(server.pid)
  const delay = await delays(server, path, opened)
  const spent = cpuMicros(server.pid) - cpu
  // As many as came, not as many as were meant: a server that lags behind its timer sends fewer, and spends less.
  const deliveries = (SOCKETS * delay.length) / WATCHERS
  clearInterval(pulse)
  for (const socket of sockets) socket.terminate()
  await Bun.sleep(500)
  return {
    cpuMicros: spent / deliveries,
    socketKib: kib,
    p50: percentile(delay, 0.5),
    p99: percentile(delay, 0.99),
  }
}

type Opened = (send: (message: object) => void) => void

function subscribeToAll(send: (message: object) => void): void {
  const books = SYMBOLS.map((symbol) => `orderbook:${symbol}`)
  send({ op: 'subscribe', topics: ['tickers', ...books] })
}

/** Sockets that take whatever comes and look at none of it, as a client that costs nothing. */
async function connect(server: Running, path: string, count: number, opened: Opened) {
  const sockets: Socket<undefined>[] = []
  for (let at = 0; at < count; at += BATCH) {
    const some = Array.from({ length: Math.min(BATCH, count - at) }, (_, offset) =>
      connectOne(server, path, at + offset, opened),
    )
    sockets.push(...(await Promise.all(some)))
  }
  return sockets
}

let caller = 0

function connectOne(server: Running, path: string, _number: number, opened: Opened) {
  caller += 1
  const address = `10.${caller >> 16}.${(caller >> 8) & 255}.${Math.floor((caller & 255) / PER_ADDRESS)}`
  const { promise, resolve, reject } = Promise.withResolvers<Socket<undefined>>()
  let isOpen = false
  const handshake = [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==',
    `X-Forwarded-For: ${address}`,
  ]
  void Bun.connect<undefined>({
    hostname: '127.0.0.1',
    port: Number(new URL(server.url).port),
    socket: {
      open: (socket) => void socket.write(`${handshake.join('\r\n')}\r\n\r\n`),
      data: (socket, bytes) => {
        if (isOpen) return
        isOpen = true
        if (!bytes.toString().startsWith('HTTP/1.1 101')) reject(new Error(bytes.toString()))
        opened((message) => void socket.write(masked(JSON.stringify(message))))
        resolve(socket)
      },
      error: (_socket, error) => reject(error),
      connectError: (_socket, error) => reject(error),
    },
  })
  return promise
}

/** Says that somebody is there (RFC 6455, 5.5.3), whether or not it was asked. */
function pong(socket: Socket<undefined>): void {
  socket.write(PONG)
}

const PONG = Uint8Array.from([0x8a, 0x80, 0, 0, 0, 0])

/** A client's text frame (RFC 6455, 5.2) under a mask of zeros. */
function masked(text: string): Uint8Array {
  const body = new TextEncoder().encode(text)
  const head =
    body.length < 126
      ? [0x81, 0x80 | body.length]
      : [0x81, 0xfe, body.length >> 8, body.length & 255]
  return Uint8Array.from([...head, 0, 0, 0, 0, ...body])
}

const TOPIC = /"topic":"([^"]+)"/
const SENT_AT = /"(?:executed_timestamp|mark_price)":(\d{13})/g

/** How long messages take to a few real clients, from the time that stands in them. */
async function delays(server: Running, path: string, opened: Opened): Promise<number[]> {
  const figures: number[] = []
  const clients = Array.from({ length: WATCHERS }, (_, number) => {
    const url = server.url.replace('http', 'ws') + path
    const socket = new WebSocket(url, { headers: { 'x-forwarded-for': `11.0.0.${number}` } })
    socket.onopen = () => opened((message) => socket.send(JSON.stringify(message)))
    const begun = new Set<string>()
    socket.onmessage = ({ data }) => {
      const [, topic = ''] = TOPIC.exec(String(data)) ?? []
      // What a topic begins with is of before.
      if (!begun.has(topic)) return void begun.add(topic)
      for (const [, atMs] of String(data).matchAll(SENT_AT)) figures.push(Date.now() - Number(atMs))
    }
    return socket
  })
  await Bun.sleep(SECONDS * 1000)
  for (const client of clients) client.close()
  return figures
}

import { signedText } from '../../src/core/crypto/signed-text.ts'
import { signText, wirePublicKey } from '../../src/core/crypto/signing.ts'
import { note } from './aims.ts'
import { bytesWritten, cpuMicros, latencies, median, percentile } from './measure.ts'
import { type Running, startFarVenue, startPrepd } from './servers.ts'

type Call = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string }

export type Hop = { readonly p50: number; readonly p99: number }

const SECRET = crypto.getRandomValues(new Uint8Array(32))
const ACCOUNT = `0x${'ab'.repeat(32)}`
const KEY = wirePublicKey(SECRET)

/** A relayed read and a relayed write; every write is another one, so that none is a replay. */
export const CALLS: Readonly<Record<'read' | 'write', (index: number) => Call>> = {
  read: () => ({ method: 'GET', path: '/v1/positions' }),
  write: (index) => ({
    method: 'POST',
    path: '/v1/order',
    body: JSON.stringify({
      symbol: 'PERP_ETH_USDC',
      side: 'BUY',
      client_order_id: `${Date.now()}-${index}`,
    }),
  }),
}

/** Latencies of the call itself, asked of an upstream or of a proxy before it. */
export async function plainHop(
  server: Running,
  count: number,
  call: (index: number) => Call,
): Promise<Hop> {
  return hopOf(
    await latencies(count, (index) => {
      const { method, path, body } = call(index)
      const headers = { 'content-type': 'application/json' }
      return fetch(server.url + path, { method, headers, ...(body && { body }) })
    }),
  )
}

/** Latencies of the same call through the relay, signed beforehand. */
export async function relayHop(
  server: Running,
  count: number,
  call: (index: number) => Call,
): Promise<Hop> {
  const envelopes = Array.from({ length: count }, (_, index) => JSON.stringify(signed(call(index))))
  return hopOf(
    await latencies(count, (index) =>
      fetch(`${server.url}/api/prep/relay`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: envelopes[index] ?? '',
      }),
    ),
  )
}

const FAR_MS = 20
const FAR_CALLS = 50
const ROUNDS = 3

/** Reads and writes to a venue over TLS and far away, one after another: a write is to cost the one way that a read does. */
export async function farCalls(): Promise<void> {
  const venue = await startFarVenue(FAR_MS)
  const prepd = await startPrepd({ VENUE: venue.url }, undefined, venue.trusted)
  const p50s: Record<keyof typeof CALLS, number[]> = { read: [], write: [] }
  for (let round = 0; round < ROUNDS; round++) {
    p50s.read.push((await relayHop(prepd, FAR_CALLS, CALLS.read)).p50)
    p50s.write.push((await relayHop(prepd, FAR_CALLS, CALLS.write)).p50)
  }
  const [read, write] = [median(p50s.read), median(p50s.write)]
  note('farWrite', write / read)
  console.log(
    `\nrelayed to a venue over TLS, ${FAR_MS} ms away: read p50 ${read.toFixed(1)} ms, write p50 ${write.toFixed(1)} ms; write / read ${(write / read).toFixed(2)} (aim 1.1)`,
  )
  await Promise.all([prepd.stop(), venue.stop()])
}

/** What each of so many calls, one after another, costs the server: processor time, and bytes written to files. */
export async function relayCost(
  server: Running,
  count: number,
  call: (index: number) => Call,
): Promise<{ readonly cpuMicros: number; readonly diskBytes: number }> {
  const [cpu, disk] = [cpuMicros(server.pid), bytesWritten(server.pid)]
  await relayHop(server, count, call)
  return {
    cpuMicros: (cpuMicros(server.pid) - cpu) / count,
    diskBytes: (bytesWritten(server.pid) - disk) / count,
  }
}

/** The envelope of a call that is signed now. */
export function signed(call: Call) {
  const timestamp = String(Date.now())
  const signature = signText(signedText({ ...call, timestamp }), SECRET)
  return { ...call, auth: { accountId: ACCOUNT, key: KEY, signature, timestamp } }
}

function hopOf(figures: readonly number[]): Hop {
  return { p50: percentile(figures, 0.5), p99: percentile(figures, 0.99) }
}

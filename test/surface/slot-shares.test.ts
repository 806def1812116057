import { expect, test } from 'bun:test'
import { LIMITS } from '../../src/contract/limits.ts'
import { envelope, jsonPost, newCaller, type TestCall } from '../caller.ts'
import { until } from '../cluster/processes.ts'
import { UNLIMITED } from '../faults/unlimited.ts'
import { ACCEPTED, startRecordingUpstream } from '../recording-upstream.ts'
import { recordedOrAccepted } from './recorded-venue.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'

const GREEDY = 4
const ORDERS = 60
const SYMBOL = 'PERP_ETH_USDC'

const order = (own: object): TestCall => ({
  ...{ method: 'POST', path: '/v1/order' },
  body: JSON.stringify({ symbol: SYMBOL, side: 'SELL', order_type: 'MARKET', ...own }),
})

// biome-ignore format: one kind of greed a row
test.each([
  { greed: 'orders', own: { order_quantity: 1, client_order_id: 'hangs' } },
  { greed: 'reductions', own: { order_quantity: 1, client_order_id: 'hangs', reduce_only: true } },
] as const)('while all $greed of four accounts hang at the venue, a fifth trades, reduces, cancels and reads', async ({ own }) => {
  const venue = await startRecordingUpstream(({ text }) => (text.includes('"hangs"') ? 'hang' : ACCEPTED))
  using folder = temporaryFolder()
  const settings = { ...UNLIMITED, DATA_DIR: folder.path, VENUE: venue.url, OPS_LISTEN: '127.0.0.1:0' }
  const prepd = spawnPrepd({ settings })
  const relayed = async (signed: unknown) =>
    (await fetch(`${await prepd.url()}/api/prep/relay`, jsonPost(signed))).status
  const held = async () => {
    const text = await (await fetch(`${await prepd.opsUrl()}/metrics`)).text()
    const rows = text.matchAll(/^prepd_venue_(?:slots_in_use|queued)\{lane="write"\} (\d+)$/gm)
    return [...rows].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const read = { method: 'GET', path: '/v1/positions' } as const
  const greedy = Array.from({ length: GREEDY }, () => newCaller())
  for (const caller of greedy) expect(await relayed(envelope(caller, read))).toBe(200)
  const hanging = greedy.flatMap((caller) =>
    Array.from({ length: ORDERS }, () => relayed(envelope(caller, order(own))).catch(() => null)),
  )
  await until(async () => (await held()) === GREEDY * ORDERS)
  const honest = newCaller()
  const calls: readonly TestCall[] = [
    ...[read, order({ order_quantity: 2 }), order({ order_quantity: 2, reduce_only: true })],
    { method: 'DELETE', path: `/v1/orders?symbol=${SYMBOL}` },
  ]
  for (const call of calls) expect(await relayed(envelope(honest, call))).toBe(200)
  prepd.kill('SIGKILL')
  await Promise.all([prepd.ended(), ...hanging])
  await venue.stop()
})

test('while public reads of one address hang at the venue, those of another address are answered', async () => {
  const venue = await startRecordingUpstream((request) =>
    request.target.includes('PERP_HANGS') ? 'hang' : recordedOrAccepted(request),
  )
  using folder = temporaryFolder()
  const own = { VENUE: venue.url, TRUSTED_PROXIES: '127.0.0.1' }
  const prepd = spawnPrepd({ settings: { ...UNLIMITED, DATA_DIR: folder.path, ...own } })
  const url = await prepd.url()
  const read = (symbol: string, address: string) =>
    fetch(`${url}/api/prep/op/markets.rulesFor?symbol=${symbol}`, {
      headers: { 'x-forwarded-for': address },
    })
  const hanging = Array.from({ length: 2 * LIMITS.upstreamConcurrentMax }, (_, at) =>
    read(`PERP_HANGS${at}_USDC`, '203.0.113.1').catch(() => null),
  )
  const asked = () => venue.requests.filter(({ target }) => target.includes('PERP_HANGS')).length
  const atOnce = (LIMITS.upstreamConcurrentMax - LIMITS.upstreamWriteReserved) / 5
  await until(async () => asked() >= Math.floor(atOnce))
  expect((await read(SYMBOL, '203.0.113.2')).status).toBe(200)
  expect(asked()).toBeLessThan(atOnce + 2)
  prepd.kill('SIGKILL')
  await Promise.all([prepd.ended(), ...hanging])
  await venue.stop()
})

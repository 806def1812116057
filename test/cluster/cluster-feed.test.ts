// Slow: three executables start, and a leader that was killed is missed for three seconds.
import { expect } from 'bun:test'
import { openSocket, type SocketClient, snapshotOf } from '../live/clients.ts'
import { type ScriptedVenue, startScriptedVenue } from '../live/scripted-venue.ts'
import { testsNeeding } from '../programs.ts'
import { type Instance, openInstance, startInstance, UNHURRIED } from './instances.ts'
import { sharedPostgres } from './postgres.ts'
import { until } from './processes.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding(
  'live data of several instances',
  ...VALKEY_PROGRAMS,
)

const SYMBOL = 'PERP_ETH_USDC'
const MARK = `mark:${SYMBOL}`
const BOOK = `orderbook:${SYMBOL}`

/** One that may be killed, or not. */
type Listener = Instance & { readonly kill: (() => Promise<void>) | null }

let valkey: RunningValkey
let venue: ScriptedVenue
let instances: Listener[] = []
const clients: SocketClient[] = []

beforeAll(async () => {
  valkey = await startValkey()
  venue = startScriptedVenue()
  // Each subscription may read it anew: what is compared does not move meanwhile.
  const data = { symbol: SYMBOL, asks: [[2450.5, 1.25]], bids: [[2450, 2]] }
  venue.setBook(async () => ({ ts: Date.now(), data }))
  const shared = {
    postgres: await (await sharedPostgres()).readyDatabase(),
    valkey: valkey.url,
    venue: venue.url,
    settings: { VENUE_STREAM: venue.streamUrl },
  }
  // The first that listens leads, and is killed. The others take Valkey for away no sooner than it is.
  const first = await startInstance(shared)
  instances = [first]
  for (let others = 0; others < 2; others += 1)
    instances.push({ ...(await openInstance(shared, UNHURRIED)), kill: null })
  for (const { sees } of instances) await sees('valkey', 'back')
})
afterAll(async () => {
  for (const client of clients) client.close()
  await Promise.all(instances.map(({ stop }) => stop()))
  await Promise.all([valkey.stop(), venue.stop()])
})

async function subscribed({ address }: Instance): Promise<SocketClient> {
  const client = await openSocket(await address())
  clients.push(client)
  client.send({ op: 'subscribe', topics: [MARK, BOOK] })
  for (const topic of [MARK, BOOK]) await client.next(snapshotOf(topic), 20_000)
  return client
}

/** Publishes a price until everybody has it. */
async function all(price: number): Promise<void> {
  const has = (client: SocketClient) =>
    client.messages.some(({ data }) => data?.['mark_price'] === price)
  await until(async () => {
    venue.publish(`${SYMBOL}@markprice`, { symbol: SYMBOL, price })
    return clients.every(has)
  })
}

/** Instances by their role, in the words of /metrics. */
async function roles(): Promise<string[]> {
  const texts = await Promise.all(instances.map(({ metrics }) => metrics()))
  return texts.map((text) => /prepd_engine_feed\{role="(\w+)"\} 1/.exec(text)?.[1] ?? 'none')
}

/** What the venue sends for so many prices of a market, however many instances there are. */
function bytesOf(count: number): number {
  const before = venue.publishedBytes()
  for (let at = 0; at < count; at += 1)
    venue.publish(`${SYMBOL}@markprice`, { symbol: SYMBOL, price: 1000.5 + at })
  return venue.publishedBytes() - before
}

const books = () => venue.received.filter(({ event }) => event === 'request').length
const subscriptions = () => venue.subscribed(`${SYMBOL}@markprice`)

describe('the live wire of the venue', () => {
  test('is subscribed to once, however many instances pass it on, and says the same at all of them', async () => {
    const bytes: number[] = []
    for (const instance of instances) {
      await subscribed(instance)
      expect(venue.sockets()).toBe(1)
      expect(subscriptions()).toBe(1)
      expect(books()).toBeLessThanOrEqual(clients.length)
      bytes.push(bytesOf(100))
    }
    expect(bytes).toEqual(Array(3).fill(bytes[0]))
    expect(bytes[0]).toBeGreaterThan(0)
    await all(4321.5)
    await until(async () => (await roles()).join() === 'leads,follows,follows')
    const [first, ...others] = clients.map(({ messages }) => messages.find(snapshotOf(BOOK))?.data)
    for (const other of others) expect({ ...other, ts: 0 }).toEqual({ ...first, ts: 0 })
  })

  test('is taken over within five seconds when its leader is killed, with snapshots and no gap', async () => {
    const at = (await roles()).indexOf('leads')
    const [client] = clients.splice(at, 1)
    const [leader] = instances.splice(at, 1)
    client?.close()
    const before = clients.map(({ messages }) => messages.findLast(snapshotOf(MARK))?.epoch)
    const startedMs = performance.now()
    await leader?.kill?.()
    await until(async () => (await roles()).includes('leads'))
    expect(performance.now() - startedMs).toBeLessThan(
      Number(process.env['PREPD_TEST_LEAD_MAX_MS'] ?? 15_000),
    )
    await all(4400.5)
    expect(venue.sockets()).toBe(1)
    expect(subscriptions()).toBe(2)
    for (const [index, { messages }] of clients.entries()) {
      const last = messages.findLast(snapshotOf(MARK))?.epoch
      expect(last).not.toBe(before[index])
      expect(gapless(messages.filter(({ topic }) => topic === MARK))).toBe(true)
    }
  })

  test('goes on, by one of them, when Valkey was killed and has started again', async () => {
    await valkey.kill()
    await valkey.start()
    await until(async () => (await roles()).sort().join() === 'follows,leads')
    await until(async () => venue.sockets() === 1)
    await all(4600.5)
  })

  test('passes over at once when its leader stops, and ends with its last subscriber', async () => {
    const at = (await roles()).indexOf('leads')
    const [client] = clients.splice(at, 1)
    const [leader] = instances.splice(at, 1)
    client?.close()
    await leader?.stop()
    await all(4700.5)
    await until(async () => venue.sockets() === 1)
  })
})

/** Whether messages of one topic are numbered one after the other within each epoch. */
function gapless(messages: SocketClient['messages']): boolean {
  return messages.every(({ epoch, seq = 0 }, index) => {
    const previous = messages[index - 1]
    return previous?.epoch !== epoch ? seq === 1 || index === 0 : seq === (previous?.seq ?? 0) + 1
  })
}

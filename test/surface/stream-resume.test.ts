// Slow: a client is away for a second.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { STREAM_LIMITS } from '../../src/contract/stream/limits.ts'
import { type LiveClient, type Message, openEvents, openSocket } from '../live/clients.ts'
import { openTarget, type Target } from '../target.ts'

/** How long who comes back was away: past a minute it gets snapshots instead. */
const AWAY_SECONDS = Number(process.env['AWAY_SECONDS'] ?? 1)
const IS_KEPT = AWAY_SECONDS * 1000 < STREAM_LIMITS.ringMs

const TOPICS = ['orderbook:PERP_ETH_USDC', 'tickers']

setDefaultTimeout((AWAY_SECONDS + 300) * 1000)

let target: Target
let url = ''
let witness: LiveClient & { readonly send: (message: object) => void }
let isOver = false
let hours: Promise<void>
beforeAll(async () => {
  target = await openTarget('in process', {
    VENUE_CLOCK: 'virtual',
    OPS_LISTEN: '127.0.0.1:0',
  })
  url = (await target.listening()).public
  hours = pass()
  witness = await openSocket(url)
  witness.send({ op: 'subscribe', topics: TOPICS })
})
afterAll(async () => {
  witness.close()
  isOver = true
  await hours
  await target.stop()
})

/** Has the venue's time pass fast: a quiet market of its own pace can leave a book alone for half a minute. */
async function pass(): Promise<void> {
  while (!isOver) {
    expect((await target.ops('/venue/advance?ms=5000', { method: 'POST' })).status).toBe(200)
    await Bun.sleep(100)
  }
}

/** The last message of a topic; there are none before its first. */
function lastOf({ messages }: LiveClient, name: string): Message | undefined {
  return messages.findLast(({ topic }) => topic === name)
}

/** Waits until a client has received every topic more than once. */
async function drain(client: LiveClient): Promise<void> {
  for (const name of TOPICS) {
    await client.next(({ topic, seq }) => topic === name && (seq ?? 0) > 1)
  }
}

/** The client that stayed connected receives for this long while the other is away. */
async function away(): Promise<void> {
  const untilMs = (witness.messages.at(-1)?.ts ?? 0) + AWAY_SECONDS * 1000
  await witness.next(({ ts }) => (ts ?? 0) >= untilMs, (AWAY_SECONDS + 60) * 1000)
}

/** The first messages of every topic after a reconnect, as the client that stayed connected received them. */
async function expectResumed(back: LiveClient, left: ReadonlyMap<string, Message | undefined>) {
  for (const name of TOPICS) {
    const first = await back.next(({ topic }) => topic === name)
    const { epoch, seq = 0 } = left.get(name) ?? {}
    expect(first.epoch).toBe(epoch ?? '')
    if (!IS_KEPT) {
      expect(first.type).toBe('snapshot')
      expect(first.seq).toBeGreaterThan(seq)
      continue
    }
    expect(first.seq).toBe(seq + 1)
    const own = back.messages.filter(({ topic }) => topic === name)
    const last = own.at(-1)?.seq ?? 0
    await witness.next(({ topic, seq: at }) => topic === name && (at ?? 0) >= last)
    const same = witness.messages.filter(
      (message) => message.topic === name && (message.seq ?? 0) > seq && (message.seq ?? 0) <= last,
    )
    expect(own).toEqual(same)
  }
}

test('a socket that comes back is told exactly what it missed, unless that is gone', async () => {
  const socket = await openSocket(url)
  socket.send({ op: 'subscribe', topics: TOPICS })
  await drain(socket)
  socket.close()
  await socket.closed
  const left = new Map(TOPICS.map((name) => [name, lastOf(socket, name)]))
  await away()
  const back = await openSocket(url)
  const since = Object.fromEntries(
    [...left].map(([name, last]) => [name, [last?.epoch, last?.seq]]),
  )
  back.send({ op: 'subscribe', topics: TOPICS, since })
  await expectResumed(back, left)
  back.close()
})

test('an event stream that comes back with its last id is told exactly what it missed, unless that is gone', async () => {
  const events = openEvents(url, TOPICS)
  await drain(events)
  events.close()
  const [left, id] = [new Map(TOPICS.map((name) => [name, lastOf(events, name)])), events.lastId()]
  await away()
  const back = openEvents(url, TOPICS, id)
  await expectResumed(back, left)
  back.close()
})

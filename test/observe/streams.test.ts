import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { RESET_CAUSES, STREAMS } from '../../src/contract/stream/topics.ts'
import { openEvents, openSocket, snapshotOf } from '../live/clients.ts'
import { openTarget, type Target } from '../target.ts'

const MARK = 'mark:PERP_ETH_USDC'

/** The figures of live data on the metrics page, by their series. */
async function figuresOf(target: Target): Promise<Record<string, number>> {
  const page = await (await target.ops('/metrics')).text()
  const lines = page.matchAll(/^prepd_((?:stream|venue_sub)\S+) (\d+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, series = '', value]) => [series, Number(value)]))
}

async function consoleOf(target: Target): Promise<unknown> {
  return Object(await (await target.ops('/console/figures')).json()).streams
}

/** Counters of topics, each of whose series is there from the start. */
const TOPIC_COUNTERS = Object.keys(STREAMS).flatMap((topic) => [
  `stream_rows_dropped_total{topic="${topic}"}`,
  ...RESET_CAUSES.map((cause) => `stream_resets_total{topic="${topic}",cause="${cause}"}`),
])

const NOBODY = {
  ...Object.fromEntries(TOPIC_COUNTERS.map((series) => [series, 0])),
  'stream_connections{transport="socket"}': 0,
  'stream_connections{transport="events"}': 0,
  stream_topics: 0,
  stream_subscriptions: 0,
  'venue_subscriptions{kind="topic"}': 0,
  'venue_subscriptions{kind="account"}': 0,
}

describe('live data', () => {
  let target: Target
  let url = ''
  beforeAll(async () => {
    target = await openTarget('compiled binary', { OPS_LISTEN: '127.0.0.1:0' })
    url = (await target.listening()).public
  })
  afterAll(() => target.stop())

  test('has no figures but zeros before the first who listens', async () => {
    expect(await figuresOf(target)).toEqual(NOBODY)
    expect(await consoleOf(target)).toEqual({ open: 0, subscribers: 0 })
  })

  // Slow: two libraries are loaded for their clients, and the executable opens its first topics.
  test('is counted by connection, topic and listener, for metrics and console alike', async () => {
    const socket = await openSocket(url)
    socket.send({ op: 'subscribe', topics: [MARK, 'tickers'] })
    const events = openEvents(url, [MARK])
    for (const client of [socket, events]) await client.next(snapshotOf(MARK))
    await socket.next(snapshotOf('tickers'))
    const figures = await figuresOf(target)
    expect(figures).toMatchObject({
      'stream_connections{transport="socket"}': 1,
      'stream_connections{transport="events"}': 1,
      stream_topics: 2,
      stream_subscriptions: 3,
      'venue_subscriptions{kind="account"}': 0,
    })
    expect(figures['venue_subscriptions{kind="topic"}']).toBeGreaterThan(0)
    expect(await consoleOf(target)).toEqual({ open: 2, subscribers: 3 })
    socket.close()
    await socket.closed
    for (;;) {
      const { 'stream_connections{transport="socket"}': sockets } = await figuresOf(target)
      if (sockets === 0) break
    }
    expect(await consoleOf(target)).toEqual({ open: 1, subscribers: 1 })
    events.close()
  })
})

test('where live data is off, the console has nothing to count', async () => {
  const target = await openTarget('in process', { VENUE_STREAM: 'off' })
  expect(await consoleOf(target)).toBeNull()
  expect(await figuresOf(target)).toEqual(NOBODY)
  await target.stop()
})

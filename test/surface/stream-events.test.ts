import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createEventStreams } from '../../src/http/server/event-streams.ts'
import { openTarget, type Target } from '../target.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget('in process', { VENUE_MARKETS: 'all' })
})
afterAll(() => target.stop())

/** What a stream says until it has said this, and the event is whole. */
async function readUntil(body: ReadableStream<Uint8Array> | null, wanted: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes(wanted) && text.endsWith('\n\n')) break
  }
  return text
}

// Slow: the first stream waits until the venue has published a mark of each market.
test('an event stream is one that proxies leave alone, and says when to come back and where it is', async () => {
  const { headers, body } = await target.fetch('/api/prep/stream?topics=status,marks')
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-accel-buffering')).toBe('no')
  expect(headers.get('content-encoding')).toBeNull()
  const text = await readUntil(body, '\nid: ')
  expect(text).toStartWith('retry: 2000\n\n')
  // Only who has every topic that it asked for stands at a place to which it can come back.
  const events = text.split('\n\n').filter((event) => event.includes('data: '))
  expect(events.map((event) => event.includes('id: '))).toEqual([false, false, true])
  for (const event of events) {
    const [, id, data = ''] = /^(?:id: ([0-9a-f]{12}-\d+)\n)?data: (.+)$/s.exec(event) ?? []
    expect(() => JSON.parse(data)).not.toThrow()
    if (event.includes('id: ')) expect(id).toBeString()
  }
})

test('an event stream hears a hundred topics, and no more', async () => {
  const payload = await (await target.fetch('/api/prep/markets')).json()
  const symbols = Object(payload).markets.map(({ symbol }: { symbol: string }) => symbol)
  const names = ['mark', 'ticker', 'trades', 'orderbook', 'funding']
  const all = names.flatMap((name) => symbols.map((symbol: string) => `${name}:${symbol}`))
  const open = (count: number) =>
    target.fetch(`/api/prep/stream?topics=${all.slice(0, count).join(',')}`)
  const { status, body } = await open(100)
  expect(status).toBe(200)
  const text = await readUntil(body, 'snapshot')
  expect(text).toContain('"type":"hello"')
  const refused = await open(101)
  expect([refused.status, Object(await refused.json()).meta.parameter]).toEqual([400, 'topics'])
})

test('a HEAD opens no stream, and tells of it what a GET would', async () => {
  const { status, headers } = await target.fetch('/api/prep/stream?topics=status', {
    method: 'HEAD',
  })
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
})

test('a heartbeat of an event stream is a comment, which no client hears and nobody answers', async () => {
  const { sink, body } = createEventStreams().open(drop, drop)
  expect(sink.heartbeat()).toBe(false)
  expect(await readUntil(body, ':\n\n')).toBe('retry: 2000\n\n:\n\n')
})

test('an event stream that is ended may stand still no longer, and is gone', () => {
  const events: string[] = []
  const { sink } = createEventStreams().open(
    () => events.push('gone'),
    () => events.push('closing'),
  )
  sink.close(4408, 'too slow')
  expect(events).toEqual(['closing', 'gone'])
})

function drop(): void {
  // Nobody has to know.
}

// Slow: each of many runs has a hub and a client of its own.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FeedMessage } from '../../src/core/feed.ts'
import { runs } from '../runs.ts'
import { clientBook, sorted } from './client-book.ts'
import { gapsIn } from './clients.ts'
import { openHubFixture } from './fixture.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TOPIC = `orderbook:${SYMBOL}`
const WIRE = `${SYMBOL}@orderbookupdate`

type Levels = Map<number, number>
type Book = { readonly asks: Levels; readonly bids: Levels }

/** The venue's book, and its messages in the order they were made. */
function venueBook() {
  const book: Book = { asks: new Map([[101, 1]]), bids: new Map([[99, 1]]) }
  let ts = 1
  return {
    book,
    now: (): FeedMessage => ({ topic: WIRE, atMs: ts, data: pairs(book) }),
    /** Changes one level and returns the message about it. */
    change: (isAsk: boolean, distance: number, quantity: number): FeedMessage => {
      const side = isAsk ? book.asks : book.bids
      const price = isAsk ? 101 + distance : 99 - distance
      if (quantity === 0) side.delete(price)
      else side.set(price, quantity)
      const prevTs = ts
      ts += 1
      const level = [[price, quantity]]
      const data = { prevTs, asks: isAsk ? level : [], bids: isAsk ? [] : level }
      return { topic: WIRE, atMs: ts, data }
    },
  }
}

function pairs({ asks, bids }: Book) {
  return { asks: [...asks], bids: [...bids] }
}

const FATES = ['sent', 'sent', 'sent', 'sent', 'sent', 'lost', 'twice', 'late', 'cut'] as const

const changes = fc.array(
  fc.record({
    isAsk: fc.boolean(),
    distance: fc.integer({ min: 0, max: 30 }),
    quantity: fc.integer({ min: 0, max: 9 }),
    fate: fc.constantFrom(...FATES),
    passes: fc.boolean(),
  }),
  { minLength: 1000, maxLength: 1000 },
)

describe('a client that applies what it is told', () => {
  test('has the venue’s book at the end, whatever was lost, doubled, late or cut, and saw no gap', async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (steps) => {
        const fixture = openHubFixture()
        const venue = venueBook()
        fixture.feed.setBook(venue.now)
        const { sink, connection } = fixture.connect()
        fixture.ask(connection, [TOPIC])
        let late: FeedMessage | null = null
        const publish = ({ topic, data, atMs }: FeedMessage) =>
          fixture.feed.publish(topic, data, atMs)
        for (const { isAsk, distance, quantity, fate, passes } of steps) {
          const message = venue.change(isAsk, distance, quantity)
          if (fate === 'late') late = message
          else if (fate === 'cut') {
            fixture.feed.lose()
            fixture.feed.restore()
          } else if (fate !== 'lost') {
            publish(message)
            if (fate === 'twice') publish(message)
            if (late) publish(late)
            late = null
          }
          if (passes) await fixture.pass(200)
        }
        // One more message shows whether the last ones were missed; the reading of a new book takes a moment.
        publish(venue.change(true, 40, 1))
        const wanted = { asks: sorted(venue.book.asks), bids: sorted(venue.book.bids) }
        await fixture.pass(200)
        while (!Bun.deepEquals(clientBook(sink.messages), wanted)) {
          await Bun.sleep(10)
          await fixture.pass(200)
        }
        expect(clientBook(sink.messages)).toEqual(wanted)
        expect(gapsIn(sink.messages)).toEqual([])
        fixture.close()
      }),
      { numRuns: runs(20), endOnFailure: true },
    )
  })

  test('is told of a hundred levels, best first, and of those that come up from below', async () => {
    const fixture = openHubFixture()
    const venue = venueBook()
    for (let distance = 0; distance < 150; distance += 1) venue.change(true, distance, 5)
    fixture.feed.setBook(venue.now)
    const { sink, connection } = fixture.connect()
    fixture.ask(connection, [TOPIC])
    await fixture.pass(400)
    expect(Object(sink.messages.at(-1)?.data).asks).toHaveLength(100)
    const { topic, data, atMs } = venue.change(true, 3, 0)
    fixture.feed.publish(topic, data, atMs)
    await fixture.pass(200)
    expect(sink.messages.at(-1)).toMatchObject({
      type: 'delta',
      data: {
        asks: [
          ['201.0', '5'],
          ['104.0', '0'],
        ],
        bids: [],
      },
    })
    fixture.close()
  })

  test('never sees a crossed book; one that stays crossed is read anew', async () => {
    const fixture = openHubFixture()
    const venue = venueBook()
    fixture.feed.setBook(venue.now)
    const { sink, connection } = fixture.connect()
    fixture.ask(connection, [TOPIC])
    await fixture.pass(400)
    const count = sink.messages.length
    const crossed = { prevTs: venue.now().atMs, asks: [], bids: [[105, 1]] }
    fixture.feed.publish(WIRE, crossed, 1000)
    await fixture.pass(2200)
    expect(sink.messages).toHaveLength(count)
    venue.change(true, 7, 7)
    fixture.feed.publish(WIRE, { prevTs: 1000, asks: [], bids: [[98, 1]] }, 1001)
    await fixture.pass(400)
    const last = sink.messages.at(-1)
    expect(last?.type).toBe('snapshot')
    expect(Object(last?.data).bids).toEqual([{ price: '99.0', quantity: '1' }])
    expect(gapsIn(sink.messages)).toEqual([])
    fixture.close()
  })
})

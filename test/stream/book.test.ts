// Slow: each of many runs has a hub and a client of its own.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FeedMessage } from '../../src/core/feed.ts'
import { runs } from '../runs.ts'
import { clientBook, sorted } from './client-book.ts'
import { gapsIn } from './clients.ts'
import { openRig } from './rig.ts'

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
    /** Changes one level and answers the message that tells of it. */
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

const FATES = ['told', 'told', 'told', 'told', 'told', 'lost', 'twice', 'late', 'cut'] as const

const changes = fc.array(
  fc.record({
    isAsk: fc.boolean(),
    distance: fc.integer({ min: 0, max: 30 }),
    quantity: fc.integer({ min: 0, max: 9 }),
    fate: fc.constantFrom(...FATES),
    beats: fc.boolean(),
  }),
  { minLength: 1000, maxLength: 1000 },
)

describe('a client that applies what it is told', () => {
  test('has the venue’s book at the end, whatever was lost, doubled, late or cut, and saw no gap', async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (steps) => {
        const rig = openRig()
        const venue = venueBook()
        rig.feed.setBook(venue.now)
        const { outlet, connection } = rig.connect()
        rig.ask(connection, [TOPIC])
        let late: FeedMessage | null = null
        const tell = ({ topic, data, atMs }: FeedMessage) => rig.feed.tell(topic, data, atMs)
        for (const { isAsk, distance, quantity, fate, beats } of steps) {
          const message = venue.change(isAsk, distance, quantity)
          if (fate === 'late') late = message
          else if (fate === 'cut') {
            rig.feed.lose()
            rig.feed.restore()
          } else if (fate !== 'lost') {
            tell(message)
            if (fate === 'twice') tell(message)
            if (late) tell(late)
            late = null
          }
          if (beats) await rig.pass(200)
        }
        // One more message shows whether the last ones were missed; the reading of a new book takes a moment.
        tell(venue.change(true, 40, 1))
        const wanted = { asks: sorted(venue.book.asks), bids: sorted(venue.book.bids) }
        for (let tries = 0; tries < 100; tries += 1) {
          await rig.pass(200)
          if (Bun.deepEquals(clientBook(outlet.messages), wanted)) break
          await Bun.sleep(10)
        }
        expect(clientBook(outlet.messages)).toEqual(wanted)
        expect(gapsIn(outlet.messages)).toEqual([])
        rig.close()
      }),
      { numRuns: runs(20), endOnFailure: true },
    )
  })

  test('is told of a hundred levels, best first, and of those that come up from below', async () => {
    const rig = openRig()
    const venue = venueBook()
    for (let distance = 0; distance < 150; distance += 1) venue.change(true, distance, 5)
    rig.feed.setBook(venue.now)
    const { outlet, connection } = rig.connect()
    rig.ask(connection, [TOPIC])
    await rig.pass(400)
    expect(Object(outlet.messages.at(-1)?.data).asks).toHaveLength(100)
    const { topic, data, atMs } = venue.change(true, 3, 0)
    rig.feed.tell(topic, data, atMs)
    await rig.pass(200)
    expect(outlet.messages.at(-1)).toMatchObject({
      type: 'delta',
      data: {
        asks: [
          ['201.0', '5'],
          ['104.0', '0'],
        ],
        bids: [],
      },
    })
    rig.close()
  })

  test('never sees a crossed book; one that stays crossed is read anew', async () => {
    const rig = openRig()
    const venue = venueBook()
    rig.feed.setBook(venue.now)
    const { outlet, connection } = rig.connect()
    rig.ask(connection, [TOPIC])
    await rig.pass(400)
    const count = outlet.messages.length
    const crossed = { prevTs: venue.now().atMs, asks: [], bids: [[105, 1]] }
    rig.feed.tell(WIRE, crossed, 1000)
    await rig.pass(2200)
    expect(outlet.messages).toHaveLength(count)
    venue.change(true, 7, 7)
    rig.feed.tell(WIRE, { prevTs: 1000, asks: [], bids: [[98, 1]] }, 1001)
    await rig.pass(400)
    const last = outlet.messages.at(-1)
    expect(last?.type).toBe('snapshot')
    expect(Object(last?.data).bids).toEqual([{ price: '99.0', quantity: '1' }])
    expect(gapsIn(outlet.messages)).toEqual([])
    rig.close()
  })
})

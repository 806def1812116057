// Slow: the book is moved until messages of each kind were lost.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { FAULTS } from '../../src/contract/venue/faults.ts'
import { clientBook } from '../live/client-book.ts'
import { gapsIn, openSocket, type SocketClient, snapshotOf } from '../live/clients.ts'
import { openTarget, type Target } from '../target.ts'
import { OPERATOR_KEY, runCommand } from './venue-fixture.ts'

const SYMBOL = 'PERP_BTC_USDC'
const TOPIC = `orderbook:${SYMBOL}`
const WIRE = `${SYMBOL}@orderbookupdate`

let target: Target
let url = ''
beforeAll(async () => {
  target = await openTarget('in process', {
    OPERATOR_KEY,
    LIMIT_ADMIN: 'off',
    VENUE_CLOCK: 'virtual',
    OPS_LISTEN: '127.0.0.1:0',
  })
  url = (await target.listening()).public
})
afterAll(() => target.stop())

/** Moves the book, and waits for the client's message about it. */
async function moved(client: SocketClient, times: number): Promise<void> {
  const received = () => client.messages.filter(({ topic }) => topic === TOPIC).length
  for (let turn = 0; turn < times; turn++) {
    const before = received()
    while (received() === before) {
      await runCommand(target, 'price/shock', { symbol: SYMBOL, share: turn % 2 ? 0.002 : -0.002 })
      await runCommand(target, 'clock/advance', { by: '5s' })
      await Bun.sleep(100)
    }
  }
}

/** The whole book by request, as the client writes its own. */
async function bookNow() {
  const response = await target.fetch(`/api/prep/orderbook?symbol=${SYMBOL}&max_level=100`)
  const data = Object(await response.json())
  return clientBook([{ type: 'snapshot', data }])
}

async function settled(client: SocketClient): Promise<void> {
  const own = () => clientBook(client.messages.filter(({ topic }) => topic === TOPIC))
  while (!Bun.deepEquals(own(), await bookNow())) await Bun.sleep(100)
  expect(own()).toEqual(await bookNow())
}

const KINDS = Object.entries(FAULTS).filter(([, { place }]) => place === 'stream')

test.each(KINDS.map(([kind]) => kind))(
  'a book told with messages that are %s is the venue’s book again, without a gap in its numbers',
  async (kind) => {
    const client = await openSocket(url)
    client.send({ op: 'subscribe', topics: [TOPIC] })
    await client.next(snapshotOf(TOPIC))
    const laid = { kind, path: WIRE, probability: 0.5 }
    expect((await runCommand(target, 'faults/add', laid)).status).toBe(200)
    await moved(client, 4)
    expect((await runCommand(target, 'faults/clear')).status).toBe(200)
    await moved(client, 2)
    await settled(client)
    expect(gapsIn(client.messages)).toEqual([])
    client.close()
  },
)

import { expect, test } from 'bun:test'
import { signText } from '../../src/core/crypto/signing.ts'
import { newCaller } from '../caller.ts'
import { leaks, planted, renamed } from '../surface/planting.ts'
import { type HubFixture, openHubFixture } from './fixture.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TOPICS = [
  ...[
    'tickers',
    'tickers.changes',
    'marks',
    'liquidations',
    'status',
    'orders',
    'fills',
    'positions',
    'balances',
  ],
  ...['ticker', 'mark', 'orderbook', 'trades', 'funding'].map((name) => `${name}:${SYMBOL}`),
  `candles:${SYMBOL}:1m`,
]

const FRAMES = Number(process.env['PLANTED_FRAMES'] ?? 10_000)

/** What the venue says in one round: every wire topic, with names and removed keys in all of it. */
function publishAll(fixture: HubFixture, round: number): void {
  const market = { symbol: SYMBOL, price: round, open: 1, close: round, text: 'x' }
  const send = (topic: string, data: unknown) =>
    fixture.feed.publish(topic, planted(renamed(data)), fixture.nowMs() + round)
  for (const topic of ['tickers', 'markprices', 'indexprices']) send(topic, [market])
  for (const topic of ['ticker', 'markprice', 'openinterest']) send(`${SYMBOL}@${topic}`, market)
  send(`${SYMBOL}@estfundingrate`, { symbol: SYMBOL, fundingRate: round / 1e6, note: 'x' })
  send(`${SYMBOL}@trade`, { symbol: SYMBOL, price: round, size: 1, side: 'BUY' })
  send(`${SYMBOL}@kline_1m`, { ...market, high: 2, low: 1, volume: round, startTime: 60_000 })
  send('liquidation', [
    { liquidationId: round, type: 'x', positionsByPerp: [{ symbol: SYMBOL, type: 'x' }] },
  ])
  send('maintenance_status', { status: round, msg: 'x', url: 'x' })
  send(`${SYMBOL}@orderbookupdate`, { asks: [[200 + (round % 50), round]], bids: [] })
  const account = fixture.feed.accounts[0]
  const report = {
    symbol: SYMBOL,
    orderId: round,
    tradeId: round,
    status: 'x',
    reason: 'x',
    feeAsset: 'x',
  }
  const messages = {
    executionreport: report,
    position: { positions: [market] },
    balance: { balances: { USDC: { holding: round, note: 'x' } } },
  }
  for (const [topic, data] of Object.entries(messages)) {
    account?.message({ topic, atMs: round, data: planted(renamed(data)) })
  }
}

test('a live status that names the venue loses its sentence, and no other', async () => {
  const fixture = openHubFixture()
  const { sink, connection } = fixture.connect()
  fixture.ask(connection, ['status'])
  await fixture.pass(1000)
  const shown: unknown[] = []
  for (const msg of ['Orderly is in maintenance', 'Back at noon']) {
    fixture.feed.publish('maintenance_status', { status: 2, msg }, fixture.nowMs())
    await fixture.pass(20_000)
    shown.push(sink.messages.filter(({ topic }) => topic === 'status').at(-1)?.data)
  }
  expect(shown).toEqual([
    { status: 2, msg: '' },
    { status: 2, msg: 'Back at noon' },
  ])
  fixture.close()
})

// Slow: each name to blank is planted in each message.
test('whatever is planted in what the venue says, no frame gives it away', async () => {
  const row = {
    symbol: SYMBOL,
    display_symbol_name: 'ETH',
    status: 'ACTIVE',
    mark_price: 1,
    note: 'x',
  }
  const fixture = openHubFixture({
    markets: async () => [Object(planted(renamed(row)))],
    status: async () => Object(planted({ status: 0, msg: 'x' })),
    liquidations: async () => [Object(planted({ liquidation_id: 0, type: 'x' }))],
  })
  fixture.feed.setBook(() => ({ topic: '', atMs: 1, data: { asks: [[200, 1]], bids: [] } }))
  const { sink, connection } = fixture.connect()
  const { accountId, key, secret } = newCaller()
  const timestamp = String(fixture.nowMs())
  const signature = signText(timestamp, secret)
  fixture.receive(connection, JSON.stringify({ op: 'auth', accountId, key, timestamp, signature }))
  fixture.ask(connection, TOPICS)
  await fixture.pass(1000)
  const received = new Set<string | undefined>()
  let frames = 0
  for (let round = 1; frames < FRAMES; round += 1) {
    publishAll(fixture, round)
    await fixture.pass(1000)
    for (const message of sink.messages.splice(0)) {
      const isPrivate = ['orders', 'fills', 'positions', 'balances'].includes(message.topic ?? '')
      const found = leaks(message, isPrivate ? 'private' : 'public')
      if (found.length > 0) throw new Error(`${message.topic}: ${found.join(', ')}`)
      received.add(message.topic)
      frames += 1
    }
  }
  expect([...received].filter((topic) => topic !== undefined).toSorted()).toEqual(TOPICS.toSorted())
  fixture.close()
}, 3_600_000)

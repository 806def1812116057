// Slow: each name to blank is planted in each message.
import { expect, test } from 'bun:test'
import { signText } from '../../src/crypto/signing.ts'
import { newCaller } from '../caller.ts'
import { leaks, planted, renamed } from '../surface/planting.ts'
import { openRig, type Rig } from './rig.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TOPICS = [
  ...['tickers', 'marks', 'liquidations', 'status', 'orders', 'fills', 'positions', 'balances'],
  ...['ticker', 'mark', 'orderbook', 'trades', 'funding'].map((name) => `${name}:${SYMBOL}`),
  `candles:${SYMBOL}:1m`,
]

const FRAMES = Number(process.env['PLANTED_FRAMES'] ?? 10_000)

/** What the venue says in one round: every wire topic, with names and removed keys in all of it. */
function tellAll(rig: Rig, round: number): void {
  const market = { symbol: SYMBOL, price: round, open: 1, close: round, text: 'x' }
  const say = (topic: string, data: unknown) =>
    rig.feed.tell(topic, planted(renamed(data)), rig.nowMs() + round)
  for (const topic of ['tickers', 'markprices', 'indexprices']) say(topic, [market])
  for (const topic of ['ticker', 'markprice', 'openinterest']) say(`${SYMBOL}@${topic}`, market)
  say(`${SYMBOL}@estfundingrate`, { symbol: SYMBOL, fundingRate: round / 1e6, note: 'x' })
  say(`${SYMBOL}@trade`, { symbol: SYMBOL, price: round, size: 1, side: 'BUY' })
  say(`${SYMBOL}@kline_1m`, { ...market, high: 2, low: 1, volume: round, startTime: 60_000 })
  say('liquidation', [
    { liquidationId: round, type: 'x', positionsByPerp: [{ symbol: SYMBOL, type: 'x' }] },
  ])
  say('maintenance_status', { status: round, msg: 'x', url: 'x' })
  say(`${SYMBOL}@orderbookupdate`, { asks: [[200 + (round % 50), round]], bids: [] })
  const account = rig.feed.accounts[0]
  const report = {
    symbol: SYMBOL,
    orderId: round,
    tradeId: round,
    status: 'x',
    reason: 'x',
    feeAsset: 'x',
  }
  const told = {
    executionreport: report,
    position: { positions: [market] },
    balance: { balances: { USDC: { holding: round, note: 'x' } } },
  }
  for (const [topic, data] of Object.entries(told)) {
    account?.message({ topic, atMs: round, data: planted(renamed(data)) })
  }
}

test('whatever is planted in what the venue says, no frame gives it away', async () => {
  const row = {
    symbol: SYMBOL,
    display_symbol_name: 'ETH',
    status: 'ACTIVE',
    mark_price: 1,
    note: 'x',
  }
  const rig = openRig({
    markets: async () => [Object(planted(renamed(row)))],
    status: async () => Object(planted({ status: 0, msg: 'x' })),
    liquidations: async () => [Object(planted({ liquidation_id: 0, type: 'x' }))],
  })
  rig.feed.setBook(() => ({ topic: '', atMs: 1, data: { asks: [[200, 1]], bids: [] } }))
  const { outlet, connection } = rig.connect()
  const { accountId, key, secret } = newCaller()
  const timestamp = String(rig.nowMs())
  const signature = signText(timestamp, secret)
  rig.receive(connection, JSON.stringify({ op: 'auth', accountId, key, timestamp, signature }))
  rig.ask(connection, TOPICS)
  await rig.pass(1000)
  const heard = new Set<string | undefined>()
  let frames = 0
  for (let round = 1; frames < FRAMES; round += 1) {
    tellAll(rig, round)
    await rig.pass(1000)
    for (const message of outlet.messages.splice(0)) {
      const isPrivate = ['orders', 'fills', 'positions', 'balances'].includes(message.topic ?? '')
      const found = leaks(message, isPrivate ? 'private' : 'public')
      if (found.length > 0) throw new Error(`${message.topic}: ${found.join(', ')}`)
      heard.add(message.topic)
      frames += 1
    }
  }
  expect([...heard].filter((topic) => topic !== undefined).toSorted()).toEqual(TOPICS.toSorted())
  rig.close()
}, 3_600_000)

// Slow: three executables live for half an hour of their time.
import { expect, test } from 'bun:test'
import { publicGet, publicPost } from '../simulator/trading-wallet.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'
import { openWireClient, openWireSocket, proofOf, type WireSocket } from './wire-client.ts'

const START = '2026-03-01T15:40:00Z'
const START_MS = Date.parse(START)
const MINUTE_MS = 60_000
const ETH = 'PERP_ETH_USDC'

const PUBLIC_TOPICS = [
  'tickers',
  'markprices',
  'indexprices',
  'bbos',
  'traders_open_interests',
  'liquidation',
  `${ETH}@orderbookupdate`,
  `${ETH}@orderbook`,
  `${ETH}@trade`,
  `${ETH}@bbo`,
  `${ETH}@kline_1m`,
  `${ETH}@estfundingrate`,
  `${ETH}@openinterest`,
]
const PRIVATE_TOPICS = ['executionreport', 'position', 'balance', 'account', 'wallet']

const READS = [
  '/v1/public/futures',
  '/v1/public/funding_rates',
  '/v1/public/volume/stats',
  `/v1/public/market_trades?symbol=${ETH}&limit=100`,
  `/v1/kline?symbol=${ETH}&type=5m&limit=50`,
  `/v1/tv/history?symbol=${ETH}&resolution=15&countback=50`,
  '/v1/public/liquidated_positions',
]
const OWN_READS = [
  '/v1/positions',
  '/v1/orders?size=50',
  '/v1/trades',
  '/v1/client/holding',
  '/v1/client/info',
  '/v1/client/key_info',
  '/v1/client/statistics',
  '/v1/account_info',
  '/v1/asset/history',
  '/v1/funding_fee/history',
  `/v1/orderbook/${ETH}`,
]

/** All answers and messages of a separate process in one fixed scenario. */
async function scenarioOf(dataDir: string, seed: string, isShort = false) {
  const settings = {
    DATA_DIR: dataDir,
    OPS_LISTEN: '127.0.0.1:0',
    VENUE_LISTEN: '127.0.0.1:0',
    VENUE_CLOCK: 'virtual',
    VENUE_START: START,
    VENUE_SEED: seed,
    LOG: 'info',
  }
  const prepd = spawnPrepd({ settings })
  await prepd.url()
  const ops = await prepd.opsUrl()
  const url = /wire of the embedded venue: (\S+)/.exec(prepd.output())?.[1] ?? ''
  let nowMs = START_MS
  const pass = async (ms: number) => {
    nowMs += ms
    expect((await fetch(`${ops}/venue/advance?ms=${ms}`, { method: 'POST' })).status).toBe(200)
  }
  const [a, b] = [
    await openWireClient(url, 'a', () => nowMs),
    await openWireClient(url, 'b', () => nowMs),
  ]
  const open = await openWireSocket(url, '/ws/stream/anybody')
  const own = await openWireSocket(url, `/v2/ws/private/stream/${a.auth.accountId}`)
  const subscribe = (socket: WireSocket, topic: string) =>
    socket.send({ id: topic, event: 'subscribe', topic })
  for (const topic of PUBLIC_TOPICS) subscribe(open, topic)
  own.send({ id: 'auth', event: 'auth', params: proofOf(a.auth, nowMs) })
  for (const topic of PRIVATE_TOPICS) subscribe(own, topic)
  for (const socket of [open, own]) await socket.level()

  const order = { symbol: ETH, order_type: 'LIMIT', side: 'BUY', order_quantity: 0.5 }
  const resting = JSON.parse(await a.call('POST', '/v1/order', { ...order, order_price: 2000 }))
  await b.call('POST', '/v1/order', { ...order, order_type: 'MARKET', side: 'SELL' })
  await pass(MINUTE_MS)
  await a.call('POST', '/v1/order', { ...order, order_type: 'MARKET' })
  await a.call('PUT', '/v1/order', { ...order, order_price: 2001, order_id: resting.data.order_id })
  await pass(9 * MINUTE_MS)
  await a.call('DELETE', `/v1/order?order_id=${resting.data.order_id}&symbol=${ETH}`)
  await a.call('POST', '/v1/referral/multi_level/claim_code', {})
  for (const path of READS) await a.send(publicGet(path))
  // Past the funding of 16:00.
  if (!isShort) await pass(15 * MINUTE_MS)
  for (const path of READS) await a.send(publicGet(path))
  await a.send(publicPost('/v1/public/query', { type: 'orderbook', symbol: ETH }))
  for (const client of [a, b]) for (const path of OWN_READS) await client.call('GET', path)
  own.send({ id: 'book', event: 'request', params: { type: 'orderbook', symbol: ETH } })
  for (const socket of [open, own]) {
    await socket.level()
    socket.close()
  }
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
  return { answers: [...a.seen, ...b.seen], market: open.texts, own: own.texts }
}

test('two processes with the same seed, keys and calls say the same bytes, by request and live', async () => {
  using folder = temporaryFolder()
  const [one, same, other] = await Promise.all([
    scenarioOf(`${folder.path}/one`, '7'),
    scenarioOf(`${folder.path}/same`, '7'),
    scenarioOf(`${folder.path}/other`, '8', true),
  ])
  expect(one.answers.filter((answer) => !/ 200 /.test(answer.slice(0, 200)))).toHaveLength(1)
  expect(same.answers).toEqual(one.answers)
  expect(same.market).toEqual(one.market)
  expect(same.own).toEqual(one.own)
  for (const topic of [...PUBLIC_TOPICS.slice(6), 'tickers'])
    expect([topic, one.market.some((text) => text.startsWith(`{"topic":"${topic}"`))]).toEqual([
      topic,
      true,
    ])
  for (const topic of ['executionreport', 'position', 'account'])
    expect([topic, one.own.some((text) => text.startsWith(`{"topic":"${topic}"`))]).toEqual([
      topic,
      true,
    ])
  expect(other.answers).not.toEqual(one.answers)
})

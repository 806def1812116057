/**
 * A public client library that nobody here wrote, against the wire of the embedded venue: every call of its surface,
 * by request and live, with only the base URL changed. The library is 60 MB and therefore no dependency; it is
 * installed where it is wanted:
 *
 *   (cd /tmp/library && npm install ccxt)
 *   PREPD_VENUE_LISTEN=127.0.0.1:8090 prepd &
 *   bun test/bench/ccxt.ts http://127.0.0.1:8090 /tmp/library/node_modules/ccxt/js/ccxt.js
 *
 * Prints a line a call and ends with 1 when one failed. What the library itself cannot do is said beside it.
 */
import { toBase58 } from '../../src/core/crypto/base58.ts'
import { openWireClient } from '../surface/wire-client.ts'

const [url = '', library = ''] = process.argv.slice(2)
const ETH = 'ETH/USDC:USDC'
const BTC = 'BTC/USDC:USDC'
const WAIT_MAX_MS = 30_000

const { auth } = await openWireClient(url, `library ${Date.now()}`, Date.now)
const { default: ccxt } = await import(library)
const exchange = new ccxt.pro.woofipro({
  accountId: auth.accountId,
  apiKey: auth.publicKey,
  secret: `ed25519:${toBase58(auth.secret)}`,
  enableRateLimit: false,
  options: { brokerId: 'demo' },
})
exchange.urls.api = {
  ...{ public: url, private: url },
  ws: {
    public: `${url.replace('http', 'ws')}/ws/stream`,
    private: `${url.replace('http', 'ws')}/v2/ws/private/stream`,
  },
}
// Without it the library refuses sockets that are not encrypted.
await exchange.loadHttpProxyAgent()
await exchange.loadMarkets()
const { last } = await exchange.fetchTicker(ETH)
const low = Math.round(last * 0.9)

let failed = 0

// biome-ignore lint/suspicious/noExplicitAny: the library's answers are its own
async function run(name: string, ...given: unknown[]): Promise<any> {
  const late = Bun.sleep(WAIT_MAX_MS).then(() => {
    throw new Error('no answer')
  })
  try {
    const answer = await Promise.race([exchange[name](...given), late])
    console.log(`ok      ${name} ${JSON.stringify(given)}`)
    return answer
  } catch (error) {
    failed += 1
    console.log(`FAILED  ${name} ${JSON.stringify(given)}: ${String(error).slice(0, 200)}`)
    return {}
  }
}

/** Calls without an effect, each with what it is given. */
const READS: readonly (readonly [string, ...unknown[]])[] = [
  ...['fetchStatus', 'fetchTime', 'fetchMarkets', 'fetchCurrencies', 'fetchFundingRates'],
  ...['fetchTickers', 'fetchOpenInterests', 'fetchBalance', 'fetchTradingFees', 'fetchMarginModes'],
  ...['fetchPositions', 'fetchLedger', 'fetchDeposits', 'fetchWithdrawals'],
  ...['fetchDepositsWithdrawals', 'fetchOrders', 'fetchOpenOrders', 'fetchClosedOrders'],
]
  .map((name): readonly [string, ...unknown[]] => [name])
  .concat(
    // biome-ignore format: read as a list
    [
      'fetchTrades', 'fetchFundingRate', 'fetchFundingInterval', 'fetchTicker', 'fetchOpenInterest', 'fetchFundingRateHistory',
      'fetchOrderBook', 'fetchLeverage', 'fetchMarginMode', 'fetchMyTrades', 'fetchPosition', 'fetchFundingHistory',
    ].map((name): readonly [string, ...unknown[]] => [name, ETH]),
    Object.keys(exchange.timeframes).map((span): readonly [string, ...unknown[]] => [
      'fetchOHLCV',
      ETH,
      span,
    ]),
  )

const watched = [
  ...['watchOrderBook', 'watchTicker', 'watchOHLCV', 'watchTrades'].map((name) => run(name, ETH)),
  ...['watchTickers', 'watchBidsAsks', 'watchOrders', 'watchMyTrades', 'watchPositions'].map(
    (name) => run(name),
  ),
  run('watchBalance'),
  run('watchOrders', undefined, undefined, undefined, { trigger: true }),
]
await Bun.sleep(2000)
await run('setLeverage', 5, ETH)
await run('setMarginMode', 'cross', ETH)
const { id } = await run('createOrder', ETH, 'limit', 'buy', 0.1, low)
await run('fetchOrder', id, ETH)
await run('editOrder', id, ETH, 'limit', 'buy', 0.1, low - 1)
await run('cancelOrder', id, ETH)
await run('createOrder', ETH, 'limit', 'buy', 0.1, low, { clientOrderId: 'mine-1' })
await run('fetchOrder', undefined, ETH, { clientOrderId: 'mine-1' })
await run('cancelOrder', '', ETH, { clientOrderId: 'mine-1' })
await run('createOrder', ETH, 'limit', 'buy', 0.1, low, { clientOrderId: 'mine-2' })
await run('cancelOrders', [], ETH, { client_order_ids: ['mine-2'] })
const taken = await run('createOrder', ETH, 'market', 'buy', 0.3)
await run('fetchOrderTrades', taken.id, ETH)
for (const timeInForce of ['IOC', 'FOK'])
  await run('createOrder', ETH, 'limit', 'buy', 0.1, Math.round(last * 1.02), { timeInForce })
await run('createOrder', ETH, 'limit', 'buy', 0.1, low, { postOnly: true })
const some = [1, 2, 3].map((at) => ({
  ...{ symbol: ETH, type: 'limit', side: 'buy', amount: 0.1, price: low - at },
}))
const placed = await run('createOrders', some)
await run(
  'cancelOrders',
  Array.from(placed, (order: { id: string }) => order.id),
  ETH,
)
await run('cancelAllOrders', ETH)
const stop = { triggerPrice: low, reduceOnly: true }
const waiting = await run('createOrder', ETH, 'market', 'sell', 0.1, undefined, stop)
await run('fetchOrder', waiting.id, ETH, { trigger: true })
await run('editOrder', waiting.id, ETH, 'market', 'sell', 0.1, undefined, { triggerPrice: low - 2 })
await run('fetchOpenOrders', ETH, undefined, undefined, { trigger: true })
await run('cancelOrder', waiting.id, ETH, { trigger: true })
await run('cancelAllOrders', ETH, { trigger: true })
await run('setMarginMode', 'isolated', BTC)
await run('createOrder', BTC, 'market', 'buy', 0.01, undefined, { margin_mode: 'ISOLATED' })
await run('addMargin', BTC, 10)
await run('reduceMargin', BTC, 5)
for (const read of READS) await run(...read)
await run('createOrder', ETH, 'market', 'sell', 0.3, undefined, { reduceOnly: true })
await Promise.all(watched)
// Not called: withdraw() looks a chain up by its name and signs it as a number, and a take-profit or stop-loss beside an
// order is sent in a form that the wire does not document. Both fail in the library's own words, here as elsewhere.
console.log(failed === 0 ? 'all answered' : `${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../../runs.ts'
import { messagesOn, openWire } from './fixture.ts'

const [BTC, ETH] = ['PERP_BTC_USDC', 'PERP_ETH_USDC']

/** One action of an account's scenario. Amounts are small beside the 10,000 USDC of a new account. */
type Act =
  | { readonly kind: 'order'; readonly symbol: string; readonly body: object }
  | { readonly kind: 'leverage'; readonly symbol: string; readonly leverage: number }
  | { readonly kind: 'time'; readonly ms: number }

const SYMBOL = fc.constantFrom(BTC, ETH)
const ORDER = fc.record({
  symbol: SYMBOL,
  side: fc.constantFrom('BUY', 'SELL'),
  margin_mode: fc.constantFrom('CROSS', 'ISOLATED'),
  order_type: fc.constantFrom('MARKET', 'LIMIT'),
  order_quantity: fc.constantFrom(0.01, 0.02, 0.03),
  reduce_only: fc.boolean(),
})
const ACT: fc.Arbitrary<Act> = fc.oneof(
  ORDER.map(({ symbol, ...rest }) => {
    const price = symbol === BTC ? 50_000 : 2_000
    const body = { symbol, ...rest, ...(rest.order_type === 'LIMIT' && { order_price: price }) }
    return { kind: 'order' as const, symbol, body }
  }),
  fc.record({
    kind: fc.constant('leverage' as const),
    symbol: SYMBOL,
    leverage: fc.integer({ min: 2, max: 20 }),
  }),
  fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 1_000, max: 600_000 }) }),
)

const wire = openWire()
wire.pass(60_000)
afterAll(() => wire.stop())

let accounts = 0

// Slow: generated orders are each followed by reads of the whole account.
test('what the private topics say last is what the account’s reads say at that moment', async () => {
  const scenarios = fc.asyncProperty(
    fc.array(ACT, { minLength: 6, maxLength: 10 }),
    async (acts) => {
      accounts += 1
      const client = await wire.client(`figures ${accounts}`)
      const own = await wire.own(client)
      for (const topic of ['account', 'balance', 'position'])
        own.send({ id: topic, event: 'subscribe', topic })
      const read = async (path: string) => JSON.parse(await client.call('GET', path)).data
      const last = (topic: string) => Object(messagesOn(own.texts, topic).at(-1)?.data)
      for (const act of acts) {
        if (act.kind === 'time') wire.pass(act.ms)
        else if (act.kind === 'order') await client.call('POST', '/v1/order', act.body)
        else {
          const { kind: _, ...body } = act
          await client.call('POST', '/v1/client/leverages', body)
        }
        await own.level()
        const [info, positions, holding] = [
          await read('/v1/client/info'),
          await read('/v1/positions'),
          await read('/v1/client/holding'),
        ]
        expect(last('account').accountDetail).toMatchObject({
          futuresLeverage: info.max_leverage,
          rwaFuturesTakerFeeRate: info.rwa_taker_fee_rate,
          totalCollateralValue: info.total_collateral_value,
          freeCollateral: info.free_collateral,
          accountValue: positions.account_value,
        })
        const [usdc] = holding.holding
        expect(last('balance').balances.USDC).toMatchObject({
          holding: usdc.holding,
          isolatedMargin: usdc.isolated_margin,
          isolatedOrderFrozen: usdc.isolated_order_frozen,
          version: expect.any(Number),
        })
        expect(figuresOf(last('position').positions)).toEqual(figuresOf(positions.rows))
        const versions = messagesOn(own.texts, 'balance').map(
          ({ data }) => Object(data).balances.USDC.version,
        )
        expect(versions).toEqual([...versions].sort((a, b) => a - b))
      }
      own.close()
    },
  )
  await fc.assert(scenarios, { numRuns: runs(6), seed: 17, endOnFailure: true })
})

/** The figures of positions, under either spelling. */
function figuresOf(rows: readonly Record<string, unknown>[]) {
  return rows.map((row) => [
    row['symbol'],
    row['positionQty'] ?? row['position_qty'],
    row['pendingLongQty'] ?? row['pending_long_qty'],
    row['pendingShortQty'] ?? row['pending_short_qty'],
    row['averageOpenPrice'] ?? row['average_open_price'],
    row['unsettledPnl'] ?? row['unsettled_pnl'],
    row['estLiqPrice'] ?? row['est_liq_price'],
    row['leverage'],
    row['marginMode'] ?? row['margin_mode'],
    row['margin'],
    row['version'] ?? row['seq'],
  ])
}

test('a change of leverage is told with its market and margin mode, whose REST row says the same', async () => {
  const client = await wire.client('leverage')
  const own = await wire.own(client)
  own.send({ id: 'account', event: 'subscribe', topic: 'account' })
  for (const [margin_mode, leverage] of [
    ['CROSS', 7],
    ['ISOLATED', 5],
  ] as const) {
    await client.call('POST', '/v1/client/leverages', { symbol: ETH, margin_mode, leverage })
    await own.level()
    const path = `/v1/client/leverage?symbol=${ETH}&margin_mode=${margin_mode}`
    const { data } = JSON.parse(await client.call('GET', path))
    const { accountDetail } = Object(messagesOn(own.texts, 'account').at(-1)?.data)
    expect(accountDetail.symbolLeverage).toEqual({ symbol: ETH, leverage, marginMode: margin_mode })
    expect(data).toEqual({ symbol: ETH, leverage, margin_mode })
  }
  expect(messagesOn(own.texts, 'account')[0]?.data).not.toHaveProperty(
    'accountDetail.symbolLeverage',
  )
  own.close()
})

test('a ticker counts the trades of its day', async () => {
  const socket = await wire.open()
  socket.send({ id: 'ticker', event: 'subscribe', topic: `${BTC}@ticker` })
  await socket.level()
  const [first] = messagesOn(socket.texts, `${BTC}@ticker`)
  wire.pass(600_000)
  await socket.level()
  const last = messagesOn(socket.texts, `${BTC}@ticker`).at(-1)
  expect(Object(first?.data).count).toBeGreaterThan(0)
  expect(Object(last?.data).count).not.toBe(Object(first?.data).count)
  socket.close()
})

test.each(['/ws/stream', '/ws/stream/', '/v2/ws/private/stream/', '/v2/ws/private/stream/0x1'])(
  'there is nothing at %s',
  async (path) => {
    const response = await fetch(wire.url + path)
    expect([response.status, await response.text()]).toEqual([404, ''])
  },
)

test('a query that names no symbol is told which parameter is missing', async () => {
  const headers = { 'content-type': 'application/json' }
  const codeOf = async (body: object) => {
    const asked = { method: 'POST', headers, body: JSON.stringify(body) }
    return Object(await (await fetch(`${wire.url}/v1/public/query`, asked)).json()).code
  }
  expect(await codeOf({ type: 'orderbook' })).toBe('MISSING_PARAM')
  expect(await codeOf({ type: 'orderbook', symbol: 'PERP_NOPE_USDC' })).toBe('INVALID_PARAM')
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { encode } from 'gpt-tokenizer'
import { TOOLS } from '../../../src/agents/tools/tools.ts'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const TOKENS_MAX = 1000

let world: ToolWorld
let order_id: number

beforeAll(async () => {
  world = await openEmbeddedWorld({ SWAP: 'embedded' })
  const { markets } = await world.call('list_markets', { limit: 12 })
  for (const { symbol } of markets) {
    const order = { symbol, side: 'BUY', order_type: 'MARKET', order_amount: 300 }
    const placed = await world.call('place_order', order)
    order_id = placed.order_id
  }
})
afterAll(() => world.stop())

/** The arguments that a read needs; every other one is called without any. */
const NEEDED: Readonly<Record<string, () => object>> = {
  get_market: () => ({ symbol: ETH }),
  get_orderbook: () => ({ symbol: ETH }),
  get_candles: () => ({ symbol: ETH }),
  list_market_trades: () => ({ symbol: ETH }),
  get_funding: () => ({ symbol: ETH }),
  preview_order: () => ({ symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 100 }),
  get_order: () => ({ order_id }),
  list_account_history: () => ({ kind: 'funding' }),
  get_leverage: () => ({ symbol: ETH }),
  wait_for: () => ({ symbol: ETH, until: 'price_above', value: 1 }),
  get_points: () => ({ address: '0x1111111111111111111111111111111111111111' }),
  list_swap_tokens: () => ({ chain: 'Arbitrum' }),
  get_swap_quote: () => ({
    ...{ from_chain: 'Arbitrum', from_token: 'USDC', to_chain: 'Base', to_token: 'ETH' },
    amount: '100',
  }),
  verify_referral_code: () => ({ code: 'NONE' }),
  list_referral_records: () => ({ kind: 'referees' }),
  read_operation: () => ({ id: 'funding.history', parameters: { symbol: ETH } }),
  read_account_path: () => ({ path: '/v1/positions' }),
}

/** Reads of something that is not there in this world. */
const ABSENT: ReadonlySet<string> = new Set(['get_swap_status', 'get_redemption_voucher'])

const READS = TOOLS.filter(
  ({ name, annotations }) => annotations.readOnlyHint && !ABSENT.has(name),
).map(({ name }) => name)

test.each(READS)(`%s answers at most ${TOKENS_MAX} tokens by default`, async (name) => {
  const answer = await world.call(name, NEEDED[name]?.())
  const tokens = encode(JSON.stringify(answer)).length
  expect(tokens).toBeLessThanOrEqual(TOKENS_MAX)
})

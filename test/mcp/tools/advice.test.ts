import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TOOLS } from '../../../src/mcp/tools/tools.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld, toolNamed } from '../tool-world.ts'
import { combined, misspellings, SYNONYMS, styles } from './argument-variants.ts'
import { type Call, obeyed } from './obedient.ts'

const ETH = 'PERP_ETH_USDC'
const WALLET = '0x1111111111111111111111111111111111111111'

/** A call of each write with every argument that can stand beside the others. */
const FULL: Readonly<Record<string, readonly Loose[]>> = {
  place_order: [
    {
      symbol: ETH,
      side: 'BUY',
      order_type: 'LIMIT',
      order_quantity: 0.05,
      order_price: 1000,
      margin_mode: 'CROSS',
      take_profit: 9000,
      stop_loss: 900,
      client_order_id: 'own-1',
    },
    {
      symbol: ETH,
      side: 'SELL',
      order_type: 'MARKET',
      order_amount: 50,
      reduce_only: true,
      slippage: 0.01,
      order_tag: 'x',
    },
    {
      symbol: ETH,
      side: 'BUY',
      order_type: 'LIMIT',
      order_quantity: 0.05,
      order_price: 1000,
      visible_quantity: 0.01,
    },
  ],
  edit_order: [{ order_id: 1, symbol: ETH, order_price: 1000, order_quantity: 0.05 }],
  cancel_order: [{ order_id: 1, symbol: ETH }],
  cancel_all_orders: [{ symbol: ETH, include_algo: false }],
  close_position: [{ symbol: ETH, percent: 50, margin_mode: 'CROSS' }],
  close_all: [{}],
  rebalance: [{ targets: { [ETH]: 0.1 } }],
  place_algo_order: [
    {
      symbol: ETH,
      side: 'SELL',
      algo_type: 'STOP',
      order_quantity: 0.05,
      trigger_price: 900,
      order_price: 890,
      client_order_id: 'own-2',
    },
    {
      symbol: ETH,
      side: 'SELL',
      algo_type: 'TRAILING_STOP',
      order_quantity: 0.05,
      callback_rate: 0.05,
      reduce_only: true,
    },
  ],
  edit_algo_order: [
    { algo_order_id: 1, symbol: ETH, trigger_price: 900, order_price: 890, order_quantity: 0.05 },
    { algo_order_id: 1, symbol: ETH, callback_rate: 0.05 },
  ],
  cancel_algo_order: [{ algo_order_id: 1, symbol: ETH }],
  set_position_tp_sl: [
    { symbol: ETH, take_profit_price: 9000, stop_loss_price: 900, margin_mode: 'CROSS' },
  ],
  standby: [{ action: 'arm', after_seconds: 120, symbol: ETH }],
  set_leverage: [{ symbol: ETH, leverage: 3 }],
  set_margin_mode: [{ symbol: ETH, margin_mode: 'ISOLATED' }],
  request_withdrawal: [{ amount: 10, chain_id: 42161, wallet: WALLET, receiver: WALLET }],
  bind_referral_code: [{ code: 'CODE' }],
  claim_referral_code: [{}, { referral_code: 'CODE', referee_rebate_rate: 0.1 }],
  rename_referral_code: [{ code: 'CODE' }],
}

/** The same value in the unit that a word says. */
const IN_UNIT: Readonly<Record<string, (value: Loose) => Loose>> = {
  ...{ fraction: hundredth, share: hundredth, ratio: hundredth, portion: hundredth },
  ...{ size: whole, quantity: whole, amount: whole, order_quantity: whole },
  slippageBps: (value) => value * 10_000,
  slippage_pct: (value) => value * 100,
  trailing_percent: (value) => value * 100,
  timeout_ms: (value) => value * 1000,
  minutes: (value) => value / 60,
  keep_stops: (value) => !value,
  only_algo: (value) => !value,
}

function hundredth(value: Loose): Loose {
  return value / 100
}
function whole(value: Loose): Loose {
  return value
}

const WRITES = TOOLS.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name)

let service: ToolWorld
beforeAll(async () => {
  service = await openEmbeddedWorld()
})
afterAll(() => service.stop())

/** A call without its effect: what the service would be asked is a failure of the service. */
async function readOnly({ tool, args }: Call): Promise<void> {
  const away = async () => {
    throw new Error('away')
  }
  const client = {
    ...service.client,
    get: away,
    post: away,
    relay: away,
    consented: away,
    armStandby: away,
  }
  const failure = await service.refused(tool, args, { client })
  if (failure.code === 'invalid_request') throw failure
}

function renamed(tool: string, args: Loose, from: string, to: string): Call {
  const { [from]: value, ...others } = args
  return { tool, args: { ...others, [to]: IN_UNIT[to] ? IN_UNIT[to](value) : value } }
}

function isOwn(tool: string, name: string): boolean {
  return Object.hasOwn(toolNamed(tool).arguments.properties, name)
}

const CASES = WRITES.flatMap((tool) =>
  (FULL[tool] ?? []).flatMap((args: Loose) =>
    Object.keys(args).map((argument) => [tool, argument, args] as const),
  ),
)

test('every argument of every write is in some call', () => {
  const called = new Set(CASES.map(([tool, argument]) => `${tool} ${argument}`))
  const missing = WRITES.flatMap((tool) =>
    Object.keys(toolNamed(tool).arguments.properties)
      .map((name) => `${tool} ${name}`)
      .filter((name) => !called.has(name)),
  )
  // Three of a signed withdrawal, and a plan, which only a first call answers.
  expect(missing).toEqual([
    'rebalance plan',
    ...['nonce', 'timestamp', 'signature'].map((name) => `request_withdrawal ${name}`),
  ])
})

describe('a model that obeys sends the call that it meant, or none, where an argument has a wrong name:', () => {
  let [understood, all] = [0, 0]

  test.each(CASES)('%s %s', async (tool, argument, args) => {
    const words = [...misspellings(argument), ...styles(argument), ...(SYNONYMS[argument] ?? [])]
    const unknown = words.filter((word) => !isOwn(tool, word))
    expect(unknown.length).toBeGreaterThan(5)
    for (const word of unknown) {
      const { sent } = await obeyed(renamed(tool, args, argument, word), readOnly)
      if (sent) expect({ word, ...sent }).toEqual({ word, tool, args })
      all += 1
      understood += Number(sent !== null)
    }
  })

  test('most of these are understood', () => {
    expect(all).toBeGreaterThan(1000)
    expect(understood / all).toBeGreaterThan(0.9)
  })
})

const STEMS = [
  ...new Set(
    TOOLS.flatMap(({ arguments: { properties } }) =>
      Object.keys(properties).flatMap((name) => [name, ...name.split('_')]),
    ),
  ),
]

test.each(WRITES)('%s is never sent without an argument that it does not know', async (tool) => {
  const { required = [], properties } = toolNamed(tool).arguments
  const [full = {}] = FULL[tool] ?? []
  const least = Object.fromEntries(required.map((name) => [name, full[name]]))
  const words = combined(STEMS).filter((word) => !Object.hasOwn(properties, word))
  expect(words.length).toBeGreaterThan(2000)
  for (const word of words) {
    const { sent } = await obeyed({ tool, args: { ...least, [word]: VALUE } }, readOnly)
    // The value may be in another unit, and is there.
    const isThere =
      sent === null ||
      Object.values(sent.args).includes(VALUE) ||
      (sent.tool === tool && Object.keys(sent.args).length > required.length)
    expect({ word, isThere }).toEqual({ word, isThere: true })
  }
})

const VALUE = 7

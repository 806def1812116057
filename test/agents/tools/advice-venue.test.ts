import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ETH, rested, SOL } from '../tasks/task.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld, toolNamed } from '../tool-world.ts'
import { SYNONYMS } from './argument-variants.ts'
import { type Call, obeyed } from './obedient.ts'

let service: ToolWorld
beforeAll(async () => {
  service = await openEmbeddedWorld()
})
afterAll(() => service.stop())

/** An account that is long in two markets, with a resting order and a stop in each. */
async function opened(): Promise<ToolWorld> {
  const world = await service.another()
  for (const [symbol, order_quantity] of [
    [ETH, 0.2],
    [SOL, 5],
  ] as const) {
    await world.call('place_order', { symbol, side: 'BUY', order_type: 'MARKET', order_quantity })
    await rested(world, symbol)
    const stop = { symbol, side: 'SELL', algo_type: 'STOP', trigger_price: 50 }
    await world.call('place_algo_order', { ...stop, order_quantity })
  }
  return world
}

/** The account as the venue has it: amounts by name. */
async function stateOf({ client, credentials }: ToolWorld): Promise<Record<string, number>> {
  const read = (path: string): Promise<Loose> => client.relay(credentials, { method: 'GET', path })
  const { rows: positions } = await read('/v1/positions')
  const { rows: orders } = await read('/v1/orders?status=INCOMPLETE&size=100')
  const { rows: algos } = await read('/v1/algo/orders?status=INCOMPLETE&size=100')
  const state: Record<string, number> = {}
  for (const { symbol, position_qty } of positions) state[`position ${symbol}`] = position_qty
  for (const { symbol, side } of orders) count(state, `order ${symbol} ${side}`)
  for (const { symbol, algo_type } of algos) count(state, `algo ${symbol} ${algo_type}`)
  for (const symbol of [ETH, SOL]) {
    const path = `/v1/client/leverage?symbol=${symbol}&margin_mode=CROSS`
    state[`leverage ${symbol}`] = (await read(path)).leverage
  }
  return state
}

function count(state: Record<string, number>, name: string): void {
  state[name] = (state[name] ?? 0) + 1
}

/** What a call changes in a new account, and how many calls it took. */
async function changesOf(first: Call) {
  const world = await opened()
  const before = await stateOf(world)
  const { sent, tried } = await obeyed(first, ({ tool, args }) => world.call(tool, args))
  const after = await stateOf(world)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changes = names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const)
  return { sent, tried, changes: new Map(changes.filter(([, change]) => change !== 0)) }
}

type Case = {
  readonly tool: string
  readonly args: Loose
  /** The argument whose name is wrong. */
  readonly argument: string
  /** The call that was meant; null where no tool does just that. */
  readonly meant: Call | null
  /** The value in the unit of a word, where it is another. */
  readonly units?: Readonly<Record<string, Loose>>
}

const HALF = { symbol: ETH, percent: 50 }
const SHARES = {
  fraction: 0.5,
  share: 0.5,
  ratio: 0.5,
  portion: 0.5,
  size: 0.1,
  quantity: 0.1,
  amount: 0.1,
  order_quantity: 0.1,
}
const MARKET = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.05 }
const ONE_SIDE = { symbol: SOL, side: 'SELL' }

const CASES: readonly Case[] = [
  {
    tool: 'close_position',
    args: HALF,
    argument: 'percent',
    meant: { tool: 'close_position', args: HALF },
    units: SHARES,
  },
  {
    tool: 'close_position',
    args: { symbol: ETH, order_price: 9999 },
    argument: 'order_price',
    meant: null,
  },
  {
    tool: 'close_all',
    args: { symbol: ETH },
    argument: 'symbol',
    meant: { tool: 'close_position', args: { symbol: ETH } },
  },
  { tool: 'close_all', args: { percent: 50 }, argument: 'percent', meant: null, units: SHARES },
  { tool: 'close_all', args: { side: 'SELL' }, argument: 'side', meant: null },
  {
    tool: 'cancel_all_orders',
    args: { symbol: ETH },
    argument: 'symbol',
    meant: { tool: 'cancel_all_orders', args: { symbol: ETH } },
  },
  { tool: 'cancel_all_orders', args: ONE_SIDE, argument: 'side', meant: null },
  {
    tool: 'cancel_all_orders',
    args: { symbol: ETH, include_algo: false },
    argument: 'include_algo',
    meant: { tool: 'cancel_all_orders', args: { symbol: ETH, include_algo: false } },
    units: { keep_stops: true, only_algo: true },
  },
  {
    tool: 'place_order',
    args: { ...MARKET, order_price: 1000 },
    argument: 'order_price',
    meant: { tool: 'place_order', args: { ...MARKET, order_type: 'IOC', order_price: 1000 } },
  },
  {
    tool: 'place_order',
    args: { ...MARKET, side: 'SELL', order_quantity: 5, reduce_only: true },
    argument: 'reduce_only',
    meant: {
      tool: 'place_order',
      args: { ...MARKET, side: 'SELL', order_quantity: 5, reduce_only: true },
    },
  },
  {
    tool: 'place_order',
    args: MARKET,
    argument: 'order_quantity',
    meant: { tool: 'place_order', args: MARKET },
  },
  {
    tool: 'place_order',
    args: { ...MARKET, slippage: 0.001 },
    argument: 'slippage',
    meant: { tool: 'place_order', args: MARKET },
    units: { slippageBps: 10, slippage_pct: 0.1, max_slippage: 0.1 },
  },
  {
    tool: 'set_leverage',
    args: { symbol: ETH, leverage: 3 },
    argument: 'leverage',
    meant: { tool: 'set_leverage', args: { symbol: ETH, leverage: 3 } },
  },
]

// Slow: each call is made in an account of its own, with positions, orders and stops in two markets.
describe('the venue changes by no more than was meant', () => {
  test.each(CASES.map((row) => [row.tool, row.argument, row] as const))(
    '%s %s',
    async (tool, argument, row) => {
      const meant =
        row.meant === null ? new Map<string, number>() : (await changesOf(row.meant)).changes
      expect(meant.size > 0).toBe(row.meant !== null && row.args.order_price !== 1000)
      const { [argument]: value, ...others } = row.args
      const own = Object.keys(toolNamed(tool).arguments.properties)
      const words = [argument, ...(SYNONYMS[argument] ?? [])].filter((word) => !own.includes(word))
      expect(words.length).toBeGreaterThan(2)
      for (const word of words) {
        const given = row.units?.[word] ?? value
        const { changes } = await changesOf({ tool, args: { ...others, [word]: given } })
        for (const [name, change] of changes) {
          const most = meant.get(name) ?? 0
          expect({
            word,
            name,
            isWithin: change * most > 0 && Math.abs(change) <= Math.abs(most) + 1e-9,
          }).toEqual({ word, name, isWithin: true })
        }
      }
    },
  )

  test('a share and a market by other names are done', async () => {
    const half = await changesOf({ tool: 'close_position', args: { symbol: ETH, fraction: 0.5 } })
    expect([...half.changes]).toEqual([[`position ${ETH}`, -0.1]])
    const one = await changesOf({ tool: 'close_all', args: { symbol: ETH } })
    expect([...one.changes]).toEqual([[`position ${ETH}`, -0.2]])
    expect(one.tried.length).toBe(2)
  })

  test('less than the smallest size is not rounded up to all', async () => {
    const { sent, changes } = await changesOf({
      tool: 'close_position',
      args: { symbol: ETH, percent: 1 },
    })
    expect({ sent, changes: changes.size }).toEqual({ sent: null, changes: 0 })
  })

  test('the position of another market is not closed in place of the one that was named', async () => {
    const { sent, changes } = await changesOf({
      tool: 'close_position',
      args: { symbol: 'PERP_BTC_USDC' },
    })
    expect({ sent, changes: changes.size }).toEqual({ sent: null, changes: 0 })
  })
})

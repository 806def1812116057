import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ETH } from '../tasks/task.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'
import { type AccountState, NUMBER_CALLS } from './number-calls.ts'
import { type Call, obeyed } from './obedient.ts'

let world: ToolWorld
let mark = 0
beforeAll(async () => {
  world = await openEmbeddedWorld({ LIMIT_READ: 'off', LIMIT_RELAY: 'off', LIMIT_ACCOUNT: 'off' })
  mark = (await world.call('get_market', { symbol: ETH })).market.mark_price
})
afterAll(() => world.stop())

/** Far too little, off every step, and far too much. */
const FACTORS = [1e-6, 1e-3, 0.02, 0.2, 0.333333, 0.99991, 1.00009, 1.5, 3, 100, 1e4, 1e6]
/** The account as the venue has it. */
async function stateNow(): Promise<AccountState> {
  const { client, credentials } = world
  const rowsOf = async (path: string): Promise<Loose[]> => {
    const answer: Loose = await client.relay(credentials, { method: 'GET', path })
    return answer.rows
  }
  const [position] = await rowsOf('/v1/positions')
  const leverage: Loose = await client.relay(credentials, {
    method: 'GET',
    path: `/v1/client/leverage?symbol=${ETH}&margin_mode=CROSS`,
  })
  return {
    held: position?.position_qty ?? 0,
    entry: position?.average_open_price ?? 0,
    orders: await rowsOf('/v1/orders?status=INCOMPLETE&size=100'),
    algos: (await rowsOf('/v1/algo/orders?status=INCOMPLETE&size=100')).flatMap(parts),
    leverage: leverage.leverage,
  }
}

function parts(row: Loose): Loose[] {
  return [row, ...(row.child_orders ?? []).flatMap(parts)]
}

/** The account without orders, long of so much. */
async function reset(held: number): Promise<void> {
  await world.call('cancel_all_orders', {})
  await world.call('close_all', {})
  if (held > 0)
    await world.call('place_order', {
      ...{ symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: held },
    })
}

/** Runs a call; a plan is sent, and of a preview the order that it suggests. */
async function run({ tool, args }: Call): Promise<void> {
  const answer = await world.call(tool, args)
  if (answer.plan && !args.plan) await world.call(tool, { plan: answer.plan })
}

/** The call with one number of it, or every two, changed by a factor. */
function changes(args: Loose): readonly Loose[] {
  const numbers = Object.keys(args).filter((name) => typeof args[name] === 'number')
  const changed = (given: Loose, name: string, factor: number) => {
    const value = given[name] * factor
    return {
      ...given,
      [name]: Number.isInteger(args[name])
        ? Math.max(1, Math.round(value))
        : Number(value.toPrecision(12)),
    }
  }
  const single = numbers.flatMap((name) => FACTORS.map((factor) => changed(args, name, factor)))
  const pairs = numbers.flatMap((name, nth) =>
    numbers.slice(nth + 1).flatMap((other) =>
      [0, 2, 5, 9].map((from, step) => {
        const first = changed(args, name, FACTORS[from] ?? 1)
        return changed(first, other, FACTORS[(from + 3 * step + 1) % FACTORS.length] ?? 1)
      }),
    ),
  )
  const targets = args.targets
    ? FACTORS.map((factor) => ({ targets: { [ETH]: args.targets[ETH] * factor } }))
    : []
  return [...single, ...pairs, ...targets]
}

const NEAR = 1 + 1e-9

// Slow: hundreds of calls, each of which meets an account as it was.
describe('a model that obeys ends with no more than its first call asked for:', () => {
  let [all, corrected] = [0, 0]

  test.each(
    NUMBER_CALLS.map((row) => [row.tool, Object.keys(row.args(1)).join(' '), row] as const),
  )('%s %s', async (tool, _, row) => {
    await reset(row.held ?? 0)
    let isClean = false
    for (const change of changes(row.args(mark))) {
      if (!isClean) await reset(row.held ?? 0)
      const named = (await row.prepare?.(world, mark)) ?? {}
      const first = { ...change, ...named }
      const before = await stateNow()
      const { sent, tried } = await obeyed({ tool, args: first }, run)
      const after = await stateNow()
      isClean = sent === null && !row.prepare
      all += 1
      corrected += Number(sent !== null && tried.length > 1)
      if (sent === null) {
        expect({ first, after }).toEqual({ first, after: before })
        continue
      }
      for (const [name, [figure = 0, most = 0]] of Object.entries(
        row.most(first, after, before, mark),
      )) {
        const isMore = figure > most + Math.abs(most) * (NEAR - 1)
        expect({ first, tried, name, figure, most, isMore }).toMatchObject({ isMore: false })
      }
    }
  })

  test('many of these calls are corrected and sent', () => {
    expect(all).toBeGreaterThan(700)
    expect(corrected / all).toBeGreaterThan(0.1)
  })
})

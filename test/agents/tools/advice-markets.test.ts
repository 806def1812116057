import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ClientFailure } from '../../../src/agents/client/client.ts'
import { ToolFailure } from '../../../src/agents/tool.ts'
import { rested } from '../tasks/task.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld, toolNamed } from '../tool-world.ts'
import { misspellings } from './argument-variants.ts'
import { type Call, obeyed } from './obedient.ts'
import { WRITE_CALLS, WRITES } from './write-calls.ts'

const ETH = 'PERP_ETH_USDC'
const BTC = 'PERP_BTC_USDC'
const MARKETS_MAX = 12

let world: ToolWorld
let listed: readonly string[]
/** Every answer is read once: what is asked here is only what a tool makes of it. */
const read = new Map<string, Promise<unknown>>()
beforeAll(async () => {
  world = await openEmbeddedWorld()
  const { rules }: Loose = await world.client.get('/api/prep/market-rules')
  listed = rules.map((row: Loose) => row.symbol)
})
afterAll(() => world.stop())

const AWAY = { code: 'upstream_unavailable', error: 'away', status: 502 }

function once(key: readonly unknown[], ask: () => Promise<unknown>): Promise<unknown> {
  const name = JSON.stringify(key)
  const answer = read.get(name) ?? ask()
  read.set(name, answer)
  return answer
}

/** Runs a call in front of a service that answers reads alone. */
async function unsent({ tool, args }: Call): Promise<void> {
  const away = () => Promise.reject(new ClientFailure(AWAY))
  const { client } = world
  const reading: typeof client = {
    ...client,
    get: (path, query = {}) => once([path, query], () => client.get(path, query)),
    relay: (credentials, call) =>
      call.method === 'GET' ? once([call], () => client.relay(credentials, call)) : away(),
    ...{ post: away, consented: away, armStandby: away },
  }
  const failure = await world.call(tool, args, { client: reading }).catch(identity)
  if (failure instanceof ToolFailure && WRONG.includes(failure.code)) throw failure
}

const WRONG = ['invalid_request', 'not_found']
const identity = (error: unknown) => error

const CALLS = WRITES.flatMap((tool) =>
  (WRITE_CALLS[tool] ?? []).slice(0, 1).flatMap((args: Loose) => {
    const isNamed = 'symbol' in toolNamed(tool).arguments.properties || 'targets' in args
    return isNamed ? [[tool, args] as const] : []
  }),
)

/** The same call in the market of a word. */
function inMarket(tool: string, args: Loose, symbol: string): Call {
  return { tool, args: 'targets' in args ? { targets: { [symbol]: 0.1 } } : { ...args, symbol } }
}

function marketOf({ args }: Call): unknown {
  return args.targets ? Object.keys(args.targets)[0] : args.symbol
}

// Slow: every slip of the keys in the names of a dozen markets is tried with every write.
describe('a market that is not listed is never replaced by one with a similar name:', () => {
  test.each([...CALLS, ['preview_order', WRITE_CALLS['place_order']?.[0]] as const])(
    '%s',
    async (tool, args) => {
      const bases = listed.slice(0, MARKETS_MAX).map((symbol) => symbol.split('_')[1] ?? '')
      const words = bases
        .flatMap(misspellings)
        .map((base) => `PERP_${base.toUpperCase()}_USDC`)
        .filter((word) => !listed.includes(word) && word !== 'PERP__USDC')
      expect(words.length).toBeGreaterThan(100)
      for (const word of words) {
        const { sent, tried } = await obeyed(inMarket(tool, args, word), unsent)
        expect({ word, sent, tried: tried.length }).toEqual({ word, sent: null, tried: 1 })
      }
    },
  )
})

describe('another spelling of a symbol leads to its own market:', () => {
  test.each(CALLS)('%s', async (tool, args) => {
    for (const word of ['eth', 'ETH-PERP', 'PERP_ETH', 'Ethereum', 'ETHUSDC']) {
      const { tried } = await obeyed(inMarket(tool, args, word), unsent)
      const market = tried.slice(-1).map(marketOf)[0]
      // A plan takes any spelling, and names the symbol in what it answers.
      expect({ word, market }).toEqual({ word, market: tool === 'rebalance' ? word : ETH })
    }
  })
})

test('a similar market is named, and neither suggested nor advised', async () => {
  const { meta } = await world.refused('close_position', { symbol: 'PERP_ETHH_USDC' })
  expect(meta).toMatchObject({ near: [ETH], next: expect.stringContaining('Ask the user') })
  for (const name of ['suggestion', 'suggested', 'rename_to']) expect(meta).not.toHaveProperty(name)
})

test('an order is not edited in the market of its id where another market was named', async () => {
  const own = await world.another()
  await rested(own, ETH)
  const [{ order_id, price }] = (await own.call('list_orders')).orders
  const first = { order_id, symbol: BTC, order_price: Math.floor(price - 10) }
  const { sent } = await obeyed({ tool: 'edit_order', args: first }, ({ tool, args }) =>
    own.call(tool, args),
  )
  expect(sent).toBeNull()
  const { meta } = await own.refused('edit_order', first)
  expect(meta).toMatchObject({ order_symbol: ETH })
  expect((await own.call('list_orders')).orders[0].price).toBe(price)
})

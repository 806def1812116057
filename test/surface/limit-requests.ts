import type { ReasonOf } from '../../src/contract/failures.ts'
import type { Limits } from '../../src/core/mandate.ts'
import type { ToolWorld } from '../agents/tool-world.ts'
import { jsonPost } from '../caller.ts'
import { type Failure, SYMBOL } from './asked.ts'

const BUY = { symbol: SYMBOL, side: 'BUY', order_type: 'MARKET', order_amount: 100 }

/** One request of an agent for each reason of a limit. */
export function limitRequests(
  world: () => ToolWorld,
  operatorKey: string,
): Readonly<Record<ReasonOf<'mandate_exceeded'>, () => Promise<Failure>>> {
  async function limited(
    limits: Limits,
    name = 'place_order',
    args: object = BUY,
  ): Promise<Failure> {
    const { code, meta } = await world().refused(name, args, { limits })
    return { code, meta }
  }
  return {
    order_value: () => limited({ maxOrderUsdc: 1n }),
    daily_value: () => limited({ maxDailyUsdc: 1n }),
    position: () => limited({ maxPositionUsdc: 1n }),
    loss: async () => {
      await world().call('place_order', { ...BUY, order_amount: 5000 })
      return limited({ maxLossUsdc: 1n })
    },
    leverage: () => limited({ maxLeverage: 1 }, 'set_leverage', { symbol: SYMBOL, leverage: 2 }),
    rate: () => limited({ maxOrdersPerMinute: 0 }),
    symbol: () => limited({ symbols: [] }),
    reduce_only: () => limited({ reduceOnly: true }),
    read_only: () => limited({ readOnly: true }),
    expired: () => limited({ expiresAtMs: 1 }),
    frozen: async () => {
      const act = (path: string) =>
        world().ops(`/api/admin/${path}`, {
          ...jsonPost({ account: world().credentials.accountId }),
          headers: { 'content-type': 'application/json', authorization: `Bearer ${operatorKey}` },
        })
      await act('freezes/add')
      const failure = await limited({})
      await act('freezes/remove')
      return failure
    },
    unknown: async () => {
      const client = { ...world().client, relay: async () => ({}) }
      const { code, meta } = await world().refused('place_order', BUY, {
        client,
        limits: { maxLeverage: 1 },
      })
      return { code, meta }
    },
  }
}

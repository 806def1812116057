import type { TestCall, TestCaller } from '../caller.ts'
import { type Failure, OFF_TICK, SYMBOL } from './asked.ts'

type Relayed = (caller: TestCaller, call: TestCall) => Promise<Failure>

/** One request for each reason that a venue's refusal of a write has. */
export function orderRequests(relayed: Relayed, newUser: () => Promise<TestCaller>) {
  async function ordered(user: TestCaller, order_price: number): Promise<Failure> {
    const order = { symbol: SYMBOL, side: 'BUY', order_type: 'LIMIT', order_price }
    const body = JSON.stringify({ ...order, order_quantity: 1 })
    return relayed(user, { method: 'POST', path: '/v1/order', body })
  }
  return {
    not_a_multiple: async () => ordered(await newUser(), OFF_TICK),
    price_range: async () => ordered(await newUser(), 1000),
    in_use: async () => {
      const user = await newUser()
      await ordered(user, 2500)
      const body = JSON.stringify({ symbol: SYMBOL, default_margin_mode: 'ISOLATED' })
      return relayed(user, { method: 'POST', path: '/v1/client/margin_mode', body })
    },
  } as const
}

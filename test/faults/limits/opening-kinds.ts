/** A call that may open a position, for a mark price and the venue's number of an order that rests. */
export type Kind = {
  readonly name: string
  readonly call: (mark: number, restingId: number) => readonly ['POST' | 'PUT', string, object]
}

export const ETH = 'PERP_ETH_USDC'

const SIDES = ['BUY', 'SELL'] as const
type Side = (typeof SIDES)[number]
const other = (side: Side): Side => (side === 'BUY' ? 'SELL' : 'BUY')
const at = (mark: number, share: number) => Math.round(mark * share * 10) / 10
/** So much USDC as a quantity of the market's step. */
const sized = (mark: number, usdc: number) => Math.floor((usdc / mark) * 1000) / 1000

/** The value of one order in USDC. */
const USDC = 90

const plain = (mark: number, side: Side, own: object = {}) => ({
  ...{ symbol: ETH, side, order_type: 'MARKET', order_quantity: sized(mark, USDC), ...own },
})
const limit = (mark: number, side: Side, share: number, order_type = 'LIMIT') =>
  plain(mark, side, { order_type, order_price: at(mark, share) })
const placed = (name: string, body: (mark: number) => object): Kind => ({
  name,
  call: (mark) => ['POST', '/v1/order', body(mark)],
})

const PLAIN = SIDES.flatMap((side) => [
  placed(`${side} MARKET`, (mark) => plain(mark, side)),
  placed(`${side} MARKET by value`, () => ({
    ...{ symbol: ETH, side, order_type: 'MARKET', order_amount: USDC },
  })),
  placed(`${side} MARKET with slippage`, (mark) => plain(mark, side, { slippage: 0.01 })),
  placed(`${side} MARKET named CROSS`, (mark) => plain(mark, side, { margin_mode: 'CROSS' })),
  ...['ASK', 'BID'].map((type) =>
    placed(`${side} ${type}`, (mark) => plain(mark, side, { order_type: type, level: 1 })),
  ),
  ...[0.985, 1, 1.015].map((share) =>
    placed(`${side} LIMIT at ${share}`, (mark) => limit(mark, side, share)),
  ),
  placed(`${side} LIMIT named CROSS`, (mark) => ({
    ...limit(mark, side, 1),
    margin_mode: 'CROSS',
  })),
  ...['IOC', 'FOK', 'POST_ONLY'].map((type) =>
    placed(`${side} ${type}`, (mark) => limit(mark, side, side === 'BUY' ? 0.99 : 1.01, type)),
  ),
])

const BATCHES = SIDES.flatMap((side) =>
  [2, 3].map((count): Kind => {
    const orders = (mark: number) =>
      Array.from({ length: count }, (_, number) => ({
        ...limit(mark, number === 2 ? other(side) : side, 0.99),
        order_quantity: sized(mark, USDC / count),
      }))
    return {
      name: `batch of ${count}, ${side}`,
      call: (mark) => ['POST', '/v1/batch-order', { orders: orders(mark) }],
    }
  }),
)

const stop = (mark: number, side: Side, own: object) => ({
  ...{ symbol: ETH, algo_type: 'STOP', side, type: 'MARKET', quantity: sized(mark, USDC), ...own },
})
const waiting = (name: string, body: (mark: number) => object): Kind => ({
  name,
  call: (mark) => ['POST', '/v1/algo/order', body(mark)],
})
const legOf = (mark: number, side: Side, own: object = {}) => ({
  ...{ symbol: ETH, algo_type: 'STOP_LOSS', side: other(side), type: 'MARKET' },
  ...{ trigger_price: at(mark, side === 'BUY' ? 0.9 : 1.1), reduce_only: true, ...own },
})

const CONDITIONALS = SIDES.flatMap((side) => [
  ...[0.97, 0.999, 1.001, 1.03].map((share) =>
    waiting(`${side} STOP at ${share}`, (mark) =>
      stop(mark, side, { trigger_price: at(mark, share) }),
    ),
  ),
  waiting(`${side} STOP LIMIT`, (mark) =>
    stop(mark, side, { type: 'LIMIT', price: at(mark, 1), trigger_price: at(mark, 1.02) }),
  ),
  waiting(`${side} TRAILING_STOP`, (mark) =>
    stop(mark, side, { algo_type: 'TRAILING_STOP', callbackRate: '0.01' }),
  ),
  ...['LIMIT', 'MARKET'].map((type) =>
    waiting(`${side} BRACKET of ${type}`, (mark) => ({
      ...stop(mark, side, { algo_type: 'BRACKET', type }),
      ...(type === 'LIMIT' && { price: at(mark, side === 'BUY' ? 0.99 : 1.01) }),
      child_orders: [{ symbol: ETH, algo_type: 'TP_SL', child_orders: [legOf(mark, side)] }],
    })),
  ),
])

const edited = (name: string, own: (mark: number) => object): Kind => ({
  name: `edit ${name}`,
  call: (mark, order_id) => [
    'PUT',
    '/v1/order',
    { ...limit(mark, 'BUY', 0.99), ...own(mark), order_id },
  ],
})

const EDITS = [
  edited('that grows', (mark) => ({ order_quantity: sized(mark, 4 * USDC) })),
  edited('that shrinks', (mark) => ({ order_quantity: sized(mark, USDC / 4) })),
  edited('of the price', (mark) => ({ order_price: at(mark, 1.01) })),
  edited('that claims the other side', () => ({ side: 'SELL' })),
  edited('that claims a low price', (mark) => ({
    order_price: 1,
    order_quantity: sized(mark, 900),
  })),
]

/** Each kind of order and edit that can open a position, as a caller may sign it. */
export const KINDS: readonly Kind[] = [...PLAIN, ...BATCHES, ...CONDITIONALS, ...EDITS]

/** The kind in isolated margin; an edit has the mode of what it edits. */
export function isolated({ name, call }: Kind): Kind {
  const margin_mode = 'ISOLATED'
  return {
    name: `${name}, isolated`,
    call: (mark, restingId) => {
      const [method, path, body] = call(mark, restingId)
      if (method === 'PUT') return [method, path, body]
      const { orders } = body as { orders?: readonly object[] }
      const named = orders && { orders: orders.map((order) => ({ ...order, margin_mode })) }
      return [method, path, named ?? { ...body, margin_mode }]
    },
  }
}

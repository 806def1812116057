import fc from 'fast-check'

export const ETH = 'PERP_ETH_USDC'

/** A write for a mark price, in dependence of the venue's number of the order before it. */
type WriteFor = (mark: number, orderId: number) => readonly ['POST' | 'PUT', string, object]

const SIDE = fc.constantFrom('BUY', 'SELL')
/** Thousandths of the mark price. */
const SHARE = fc.integer({ min: 972, max: 1028 })
const QUANTITY = fc.integer({ min: 1, max: 300 }).map((hundredths) => hundredths / 100)
const priceAt = (mark: number, share: number) => Math.round((mark * share) / 100) / 10

const ORDER = fc
  .record({
    side: SIDE,
    order_type: fc.constantFrom('LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'ASK', 'BID'),
    share: SHARE,
    order_quantity: QUANTITY,
    byAmount: fc.boolean(),
    slippage: fc.option(fc.constantFrom(0.001, 0.01), { nil: undefined }),
    level: fc.integer({ min: 0, max: 4 }),
    post_only_adjust: fc.boolean(),
    reduce_only: fc.boolean(),
  })
  .map((drawn) => (mark: number) => {
    const { side, order_type, order_quantity, reduce_only } = drawn
    const isPriced = ['LIMIT', 'IOC', 'FOK', 'POST_ONLY'].includes(order_type)
    return {
      ...{ symbol: ETH, side, order_type, reduce_only },
      ...(isPriced && { order_price: priceAt(mark, drawn.share) }),
      ...(drawn.byAmount && !isPriced
        ? { order_amount: Math.round(order_quantity * mark) }
        : { order_quantity }),
      ...(order_type === 'MARKET' && { slippage: drawn.slippage }),
      ...(order_type === 'POST_ONLY' && { post_only_adjust: drawn.post_only_adjust }),
      ...((order_type === 'ASK' || order_type === 'BID') && { level: drawn.level }),
    }
  })

const PLACE = ORDER.map((order): readonly WriteFor[] => [
  (mark) => ['POST', '/v1/order', order(mark)],
])

const BATCH = fc
  .array(ORDER, { minLength: 1, maxLength: 3 })
  .map((orders): readonly WriteFor[] => [
    (mark) => ['POST', '/v1/batch-order', { orders: orders.map((order) => order(mark)) }],
  ])

const EDIT = fc
  .record({ side: SIDE, away: SHARE, share: SHARE, from: QUANTITY, order_quantity: QUANTITY })
  .map(({ side, away, share, from, order_quantity }): readonly WriteFor[] => {
    const order = { symbol: ETH, side, order_type: 'LIMIT' }
    const placed = (mark: number) => ({ order_price: priceAt(mark, away), order_quantity: from })
    const changed = (mark: number) => ({ order_price: priceAt(mark, share), order_quantity })
    return [
      (mark) => ['POST', '/v1/order', { ...order, ...placed(mark) }],
      (mark, order_id) => ['PUT', '/v1/order', { ...order, ...changed(mark), order_id }],
    ]
  })

const TRIGGERED = fc
  .record({ side: SIDE, type: fc.constantFrom('LIMIT', 'MARKET'), quantity: QUANTITY })
  .chain((own) => fc.record({ own: fc.constant(own), share: SHARE, trigger: SHARE }))
  .map(({ own, share, trigger }) => (mark: number) => ({
    ...{ symbol: ETH, ...own, trigger_price: priceAt(mark, trigger) },
    ...(own.type === 'LIMIT' && { price: priceAt(mark, share) }),
  }))

const STOP = fc
  .record({ order: TRIGGERED, reduce_only: fc.boolean() })
  .map(({ order, reduce_only }): readonly WriteFor[] => [
    (mark) => ['POST', '/v1/algo/order', { algo_type: 'STOP', ...order(mark), reduce_only }],
  ])

const TRAILING = fc
  .record({ side: SIDE, quantity: QUANTITY, reduce_only: fc.boolean() })
  .map((own): readonly WriteFor[] => [
    () => {
      const order = { symbol: ETH, algo_type: 'TRAILING_STOP', type: 'MARKET', ...own }
      return ['POST', '/v1/algo/order', { ...order, callbackRate: '0.01' }]
    },
  ])

/** A take profit and a stop loss on a side, which say that they reduce or leave that out. */
const LEGS = fc
  .record({ near: fc.integer({ min: 3, max: 25 }), says: fc.boolean() })
  .map(({ near, says }) => (mark: number, side: string, type: string) => {
    const up = side === 'SELL' ? 1 : -1
    const leg = { symbol: ETH, side, type, ...(says && { reduce_only: true }) }
    return [
      { ...leg, algo_type: 'TAKE_PROFIT', trigger_price: priceAt(mark, 1000 + up * near) },
      { ...leg, algo_type: 'STOP_LOSS', trigger_price: priceAt(mark, 1000 - up * near) },
    ]
  })

const BRACKET = fc
  .record({ order: TRIGGERED, legs: LEGS, positional: fc.boolean() })
  .map(({ order, legs, positional }): readonly WriteFor[] => [
    (mark) => {
      const { trigger_price: _, ...own } = order(mark)
      const algo_type = positional ? 'POSITIONAL_TP_SL' : 'TP_SL'
      const type = positional ? 'CLOSE_POSITION' : 'MARKET'
      const child_orders = legs(mark, own.side === 'BUY' ? 'SELL' : 'BUY', type)
      const group = { symbol: ETH, algo_type, child_orders }
      return ['POST', '/v1/algo/order', { ...own, algo_type: 'BRACKET', child_orders: [group] }]
    },
  ])

const PROTECTION = fc
  .record({ side: SIDE, legs: LEGS, quantity: QUANTITY, positional: fc.boolean() })
  .map(({ side, legs, quantity, positional }): readonly WriteFor[] => [
    (mark) => {
      const whole = {
        algo_type: 'POSITIONAL_TP_SL',
        child_orders: legs(mark, side, 'CLOSE_POSITION'),
      }
      const part = { algo_type: 'TP_SL', quantity, child_orders: legs(mark, side, 'MARKET') }
      return ['POST', '/v1/algo/order', { symbol: ETH, ...(positional ? whole : part) }]
    },
  ])

/** Writes of every kind that can open, with changes of the price after them: each at most the market's price range. */
export const ANY_WRITES = fc.record({
  kind: fc.constantFrom('order', 'batch', 'edit', 'stop', 'trailing', 'bracket', 'protection'),
  order: PLACE,
  batch: BATCH,
  edit: EDIT,
  stop: STOP,
  trailing: TRAILING,
  bracket: BRACKET,
  protection: PROTECTION,
  moves: fc.array(fc.integer({ min: -28, max: 28 }), { minLength: 1, maxLength: 3 }),
})

import type { Loose } from '../tool-world.ts'
import {
  failed,
  type ListedTask,
  mandated,
  marketOf,
  near,
  ordersOf,
  positionOf,
  stopsOf,
  sum,
  valueIn,
  weightOf,
} from './listed-task.ts'
import { BTC, bought, ETH, rested, SOL } from './task.ts'

const LONG = { symbol: ETH, side: 'BUY', order_type: 'MARKET' } as const

// biome-ignore format: one task a paragraph
export const LISTED_TASKS: readonly ListedTask[] = [
  { asked: 'What would my long of 15 ETH be liquidated at with ten times leverage?', fewest: 1,
    prepare: async (world) => {
      await world.call('set_margin_mode', { symbol: ETH, margin_mode: 'ISOLATED' })
      await world.call('set_leverage', { symbol: ETH, leverage: 5 })
    },
    run: (agent) => agent.act('preview order check', { ...LONG, order_quantity: 15, leverage: 10 }),
    isDone: async ({ account, placed }, venue) => near((await positionOf(venue, ETH)).est_liq_price, account.est_liq_price_after, 1e-4) && placed },
  { asked: 'Trail a stop five percent behind my ETH.', fewest: 2,
    prepare: bought(ETH, 2000),
    run: async (agent) => {
      const [held] = (await agent.act('list open positions')).positions
      return agent.act('place algo trailing stop', { symbol: ETH, side: 'SELL', algo_type: 'TRAILING_STOP', callback_rate: 0.05, order_quantity: held.position_qty, reduce_only: true })
    },
    isDone: async (_, venue) => {
      const [stop] = await stopsOf(venue)
      return stop.algo_type === 'TRAILING_STOP' && stop.callback_rate === 0.05 && stop.quantity === (await positionOf(venue, ETH)).position_qty
    } },
  { asked: 'What have I made today, split into trading, fees and funding?', fewest: 1,
    prepare: async (world) => {
      await bought(ETH, 8000)(world)
      await bought(SOL, 3000)(world)
      await world.ops('/venue/advance?ms=60000', { method: 'POST' })
      await world.call('close_position', { symbol: SOL, percent: 50 })
    },
    run: (agent) => agent.act('get report account realised PnL'),
    isDone: async ({ pnl: { last_24h: day } }, venue) => {
      const trades = (await venue('/v1/trades')).rows
      const paid = sum((await venue('/v1/funding_fee/history')).rows, 'funding_fee')
      return paid !== 0 && near(day.trading, sum(trades, 'realized_pnl')) && near(day.fees, -sum(trades, 'fee')) && near(day.funding, -paid)
    } },
  { asked: 'Put 30 % of my account into ETH, 20 % into BTC, and short SOL with 10 %.', fewest: 2,
    prepare: bought(SOL, 1500),
    run: async (agent) => {
      const { plan } = await agent.act('rebalance positions to target weights', { targets: { [ETH]: 0.3, [BTC]: 0.2, [SOL]: -0.1 } })
      return agent.act('rebalance positions to target weights', { plan })
    },
    isDone: async ({ done }, venue) => done && near(await weightOf(venue, ETH), 0.3, 0.005) && near(await weightOf(venue, BTC), 0.2, 0.005) && near(await weightOf(venue, SOL), -0.1, 0.005) },
  { asked: 'Put half of my account into ETH and 10 % into BTC, or as much of it as my mandate allows.', fewest: 3,
    prepare: mandated({ maxPositionUsdc: '2500' }),
    run: async (agent) => {
      const targets = { [ETH]: 0.5, [BTC]: 0.1 }
      const { problems: [{ limit, requested }] } = await agent.act('rebalance positions to target weights', { targets })
      const { plan, problems } = await agent.act('rebalance positions to target weights', { targets: { ...targets, [ETH]: Math.floor(5000 * limit / requested) / 10_000 } })
      return problems.length > 0 ? {} : agent.act('rebalance positions to target weights', { plan })
    },
    isDone: async ({ done }, venue) => {
      const value = await valueIn(venue, ETH)
      return done && value <= 2500 && value > 2400 && near(await weightOf(venue, BTC), 0.1, 0.005)
    } },
  { asked: 'The answer to my order lost-1 was lost. Did it arrive?', fewest: 1,
    prepare: (world) => rested(world, ETH, { client_order_id: 'lost-1' }),
    run: (agent) => agent.act('list orders', { client_order_id: 'lost-1' }),
    isDone: async ({ orders, next }, venue) => orders[0].order_id === (await ordersOf(venue))[0].order_id && /arrived/.test(next) },
  { asked: 'Give me the morning report.', fewest: 1,
    prepare: async (world) => {
      await bought(ETH, 30_000)(world)
      await rested(world, BTC)
    },
    run: (agent) => agent.act('get report account'),
    isDone: async (report, venue) => {
      const { account_value, free_collateral } = await venue('/v1/positions')
      const [[symbol, quantity]] = report.positions.rows
      return near(report.account_value, account_value) && near(report.free_collateral, free_collateral) &&
        symbol === ETH && quantity === (await positionOf(venue, ETH)).position_qty && report.open_orders.total === (await ordersOf(venue)).length
    } },
  { asked: 'Buy ETH for 500 USDC at the market. What did it cost?', fewest: 2,
    run: (agent) => agent.act('place order', { ...LONG, order_amount: 500 }),
    isDone: async ({ average_price, filled_quantity }, venue) => {
      const fills = (await venue('/v1/trades')).rows
      const value = fills.reduce((total: number, row: Loose) => total + row.executed_price * row.executed_quantity, 0)
      return near(average_price * filled_quantity, value, 1e-5) && filled_quantity === (await positionOf(venue, ETH)).position_qty
    } },
  { asked: 'Stop me out of ETH ten percent below.', fewest: 2,
    prepare: bought(ETH, 1000),
    run: async (agent) => {
      const { mark_price } = await marketOf(agent, ETH)
      return agent.act('set take profit and stop loss', { symbol: ETH, stop_loss_price: Math.floor(mark_price * 0.9) })
    },
    isDone: async ({ stop_loss_price }, venue) => (await stopsOf(venue)).some(({ algo_type, trigger_price }) => algo_type === 'STOP_LOSS' && trigger_price === stop_loss_price) },
  { asked: 'Bid 100 USDC for SOL, five percent under the market.', fewest: 3,
    run: async (agent) => {
      const { mark_price } = await marketOf(agent, SOL)
      return agent.act('place order', { symbol: SOL, side: 'BUY', order_type: 'LIMIT', order_amount: 100, order_price: mark_price * 0.95 })
    },
    isDone: async ({ order_id }, venue) => {
      const [order, ...others] = await ordersOf(venue)
      return others.length === 0 && order.order_id === order_id && near(order.price * order.quantity, 100, 0.02)
    } },
  { asked: 'Lower the price of my resting order by ten USDC.', fewest: 2,
    prepare: (world) => rested(world, ETH),
    run: async (agent) => {
      const [{ order_id, price }] = (await agent.act('list orders')).orders
      return { price, ...(await agent.act('edit order change price', { order_id, symbol: ETH, order_price: Number((price - 10).toFixed(2)) })) }
    },
    isDone: async ({ price }, venue) => near((await ordersOf(venue))[0].price, price - 10) },
  { asked: 'Take every order of mine back.', fewest: 1,
    prepare: async (world) => [await rested(world, ETH), await rested(world, SOL)],
    run: (agent) => agent.act('cancel all orders'),
    isDone: async (_, venue) => (await ordersOf(venue)).length === 0 },
  { asked: 'Close half of my SOL.', fewest: 1,
    prepare: bought(SOL, 1000),
    run: (agent) => agent.act('close position share', { symbol: SOL, percent: 50 }),
    isDone: async ({ position_qty_before, filled_quantity }, venue) => near((await positionOf(venue, SOL)).position_qty, position_qty_before - filled_quantity) && near(filled_quantity, position_qty_before / 2, 0.01) },
  { asked: 'Get me out of everything.', fewest: 1,
    prepare: async (world) => [await bought(ETH, 500)(world), await bought(BTC, 500)(world)],
    run: (agent) => agent.act('close all positions'),
    isDone: async ({ closed }, venue) => closed.length === 2 && (await positionOf(venue, ETH)) === undefined && (await positionOf(venue, BTC)) === undefined },
  { asked: 'What have my trades cost in fees?', fewest: 1,
    prepare: async (world) => [await bought(ETH, 5000)(world), await world.call('close_all')],
    run: (agent) => agent.act('list fills', { size: 100 }),
    isDone: async ({ fills }, venue) => fills.length > 1 && near(sum(fills, 'fee'), sum((await venue('/v1/trades')).rows, 'fee')) },
  { asked: 'What did I pay in fees this week?', fewest: 1,
    prepare: async (world) => [await bought(SOL, 3000)(world), await bought(BTC, 2000)(world), await world.call('close_all')],
    run: (agent) => agent.act('get report account fees'),
    isDone: async ({ pnl: { last_7d: week } }, venue) => {
      // The account is of today.
      const fills = (await venue('/v1/trades?size=500')).rows
      return fills.length > 3 && near(week.fees, -sum(fills, 'fee'))
    } },
  { asked: 'Which of my positions is nearest to its liquidation, and at what price?', fewest: 1,
    prepare: async (world) => [await bought(ETH, 60_000)(world), await bought(BTC, 5000)(world)],
    run: (agent) => agent.act('list open positions', { sort: 'liquidation', limit: 1 }),
    isDone: async ({ positions: [first] }, venue) => {
      const liquidated = (await venue('/v1/positions')).rows.filter((row: Loose) => row.est_liq_price > 0)
      const distances = liquidated.map((row: Loose) => Math.abs(1 - row.est_liq_price / row.mark_price))
      const nearest = liquidated[distances.indexOf(Math.min(...distances))]
      return first.symbol === nearest.symbol && near(first.est_liq_price, nearest.est_liq_price)
    } },
  { asked: 'Trade ETH with four times leverage from now on.', fewest: 1,
    run: (agent) => agent.act('set leverage', { symbol: ETH, leverage: 4 }),
    isDone: async (_, venue) => (await venue(`/v1/client/leverage?symbol=${ETH}&margin_mode=CROSS`)).leverage === 4 },
  { asked: 'Buy 0.2 ETH with a stop five percent under and a target ten percent above.', fewest: 3,
    run: async (agent) => {
      const { mark_price } = await marketOf(agent, ETH)
      return agent.act('place order', { ...LONG, order_quantity: 0.2, stop_loss: Math.floor(mark_price * 0.95), take_profit: Math.ceil(mark_price * 1.1) })
    },
    isDone: async (_, venue) => {
      const { position_qty, mark_price } = await positionOf(venue, ETH)
      const triggers = (await stopsOf(venue)).map(({ trigger_price }) => trigger_price).filter(Boolean)
      return position_qty === 0.2 && triggers.some((price) => near(price, mark_price * 0.95, 0.002)) && triggers.some((price) => near(price, mark_price * 1.1, 0.002))
    } },
  { asked: 'Is my account open, and what is free?', fewest: 1,
    prepare: bought(ETH, 4000),
    run: (agent) => agent.act('get account free collateral'),
    isDone: async ({ free_collateral }, venue) => near(free_collateral, (await venue('/v1/positions')).free_collateral) },
  { asked: 'What would selling 5 ETH at the market bring now?', fewest: 1,
    run: (agent) => agent.act('preview order check', { symbol: ETH, side: 'SELL', order_type: 'MARKET', order_quantity: 5 }),
    isDone: async ({ estimate, placed }, venue) => {
      const fills = (await venue('/v1/trades')).rows
      const value = fills.reduce((total: number, row: Loose) => total + row.executed_price * row.executed_quantity, 0)
      return placed && near(estimate.value_usdc, value) && near(estimate.fee_usdc, sum(fills, 'fee'), 1e-5)
    } },
  { asked: 'Which market pays shorts the highest funding per day?', fewest: 1,
    run: (agent) => agent.act('list markets funding', { sort: 'funding', limit: 1 }),
    isDone: async ({ markets: [highest] }, venue) => {
      const { rules } = await venue('/api/prep/market-rules')
      const hours = new Map(rules.map(({ symbol, info }: Loose) => [symbol, info.funding_period]))
      const rates = (await venue('/api/prep/markets')).markets.map((row: Loose) => [row.symbol, row.est_funding_rate * 24 / Number(hours.get(row.symbol))])
      const most = Math.max(...rates.map(([, rate]: [string, number]) => rate))
      return near(highest.est_funding_rate_day, most) && near(new Map<string, number>(rates).get(highest.symbol) ?? NaN, most)
    } },
  { asked: 'Hedge my ETH with a short of BTC of the same value.', fewest: 3,
    prepare: bought(ETH, 3000),
    run: async (agent) => {
      const [held] = (await agent.act('list open positions')).positions
      return agent.act('place order', { symbol: BTC, side: 'SELL', order_type: 'MARKET', order_amount: held.notional })
    },
    isDone: async (_, venue) => near(await valueIn(venue, BTC), -(await valueIn(venue, ETH)), 0.005) && near(await valueIn(venue, ETH), 3000, 0.01) },
  { asked: 'Buy 0.2 ETH with a stop five percent under. (The answer is lost.)', fewest: 4,
    run: async (agent, meanwhile) => {
      const { mark_price } = await marketOf(agent, ETH)
      await meanwhile('the next answer to a write is lost')
      const { look_up } = await failed(agent.act('place order', { ...LONG, order_quantity: 0.2, stop_loss: Math.floor(mark_price * 0.95) }))
      return agent.act('list orders', look_up.arguments)
    },
    isDone: async ({ state, orders: [bracket] }, venue) => {
      const stops = (await stopsOf(venue)).filter(({ algo_type }) => algo_type === 'STOP_LOSS')
      const [root, ...others] = (await venue('/v1/algo/orders')).rows.filter(({ algo_type }: Loose) => algo_type === 'BRACKET')
      return state === 'arrived' && bracket.algo_order_id === root.algo_order_id && others.length === 0 && stops.length === 1 && (await positionOf(venue, ETH)).position_qty === 0.2
    } },
  { asked: 'Stop me out of all my SOL eight percent below. (The answer is lost.)', fewest: 3,
    prepare: bought(SOL, 1000),
    run: async (agent, meanwhile) => {
      const [{ mark_price, position_qty }] = (await agent.act('list open positions')).positions
      await meanwhile('the next answer to a write is lost')
      const stop = { symbol: SOL, side: 'SELL', algo_type: 'STOP', order_quantity: position_qty, reduce_only: true, trigger_price: Math.floor(mark_price * 92) / 100 }
      const { look_up } = await failed(agent.act('place algo order stop', stop))
      return agent.act('list orders', look_up.arguments)
    },
    isDone: async ({ state, orders: [shown] }, venue) => {
      const [stop, ...others] = await stopsOf(venue)
      return state === 'arrived' && others.length === 0 && shown.algo_order_id === stop.algo_order_id && shown.trigger_price === stop.trigger_price && stop.quantity === (await positionOf(venue, SOL)).position_qty
    } },
  { asked: 'The market falls, and I am short: move my stop to break-even.', fewest: 3,
    prepare: async (world) => {
      await world.call('place_order', { ...LONG, side: 'SELL', order_quantity: 0.3 })
      const { average_open_price } = (await world.call('list_positions')).positions[0]
      await world.call('set_position_tp_sl', { symbol: ETH, stop_loss_price: Math.ceil(average_open_price * 1.1) })
    },
    run: async (agent, meanwhile) => {
      await meanwhile('price falls')
      const [{ average_open_price }] = (await agent.act('list open positions')).positions
      const [{ child_orders: [leg] }] = (await agent.act('list algo orders stops')).orders
      const trigger_price = Math.floor(average_open_price * 100) / 100
      return { leg, ...(await agent.act('edit algo order trigger', { algo_order_id: leg.algo_order_id, symbol: ETH, trigger_price })) }
    },
    // The same stop at another price: the position was never without one.
    isDone: async ({ leg }, venue) => {
      const { position_qty, average_open_price, mark_price } = await positionOf(venue, ETH)
      const [stop, ...others] = (await stopsOf(venue)).filter(({ algo_type }) => algo_type === 'STOP_LOSS')
      return position_qty === -0.3 && mark_price < average_open_price * 0.98 && others.length === 0 && stop.algo_order_id === leg.algo_order_id && near(stop.trigger_price, average_open_price, 1e-5)
    } },
  { asked: 'When ETH has risen by two percent, buy 0.1.', fewest: 4,
    run: async (agent, meanwhile) => {
      const { mark_price } = await marketOf(agent, ETH)
      const waited = agent.act('wait for price', { symbol: ETH, until: 'price_above', value: mark_price * 1.02 })
      await meanwhile('price rises')
      const { met, observed } = await waited
      if (!met || observed <= mark_price * 1.02) return { observed }
      return { observed, ...(await agent.act('place order', { ...LONG, order_quantity: 0.1 })) }
    },
    isDone: async ({ observed }, venue) => {
      const { position_qty, mark_price } = await positionOf(venue, ETH)
      return position_qty === 0.1 && near(mark_price, observed, 0.005)
    } },
]

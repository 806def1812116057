import { BTC, bought, ETH, names, rested, SOL, type Task } from './task.ts'

/** Questions: nothing may change. */
export const READING_TASKS: readonly Task[] = [
  {
    id: 'highest-funding',
    prompt: 'Which market has the highest estimated funding rate right now? Answer its symbol.',
    script: async (play) => {
      const { markets } = await play(
        'list_markets',
        { sort: 'funding', limit: 1 },
        { sort: 'fundings', limit: 1 },
      )
      return markets[0].symbol
    },
    check: async (world, answer) => {
      const { markets } = await world.call('list_markets', { sort: 'funding', limit: 1 })
      return answer.includes(markets[0].symbol)
    },
  },
  {
    id: 'day-winner',
    prompt: 'Which market rose most in the last 24 hours, and by how many percent?',
    script: async (play) => {
      const { markets } = await play(
        'list_markets',
        { sort: 'change', limit: 1 },
        { sort: 'chnage', limit: 500 },
      )
      return `${markets[0].symbol} ${markets[0].change24hPct}`
    },
    check: async (world, answer) => {
      const { markets } = await world.call('list_markets', {
        sort: 'change',
        limit: 1,
        fields: 'all',
      })
      return answer.includes(markets[0].base) && names(answer, markets[0].change24hPct)
    },
  },
  {
    id: 'most-leverage',
    prompt: 'What is the highest leverage I can use on Bitcoin?',
    script: async (play) =>
      (await play('get_market', { symbol: BTC }, { symbol: 'BTCC' })).rules.maxLeverage,
    check: async (world, answer) =>
      names(answer, (await world.call('get_market', { symbol: BTC })).rules.maxLeverage),
  },
  {
    id: 'size-step',
    prompt: 'In what steps can the size of an ETH order be chosen?',
    script: async (play) =>
      (await play('get_market', { symbol: ETH }, { symbol: 'ETHE' })).rules.base_tick,
    check: async (world, answer) =>
      names(answer, (await world.call('get_market', { symbol: ETH })).rules.base_tick),
  },
  {
    id: 'best-bid',
    prompt: 'What is the best bid for SOL?',
    script: async (play) =>
      (
        await play(
          'get_orderbook',
          { symbol: SOL, depth: 1 },
          { symbol: 'PERP_SOLL_USDC', depth: '1' },
        )
      ).bids[0].price,
    check: async (world, answer) => {
      const { bids } = await world.call('get_orderbook', { symbol: SOL, depth: 1 })
      return names(answer, Number(bids[0].price))
    },
  },
  {
    id: 'last-funding',
    prompt: 'What funding rate was last settled on ETH, according to its funding history?',
    script: async (play) => {
      const parameters = { symbol: ETH }
      const { result } = await play(
        'read_operation',
        { id: 'funding.history', parameters, limit: 1 },
        { id: 'funding.histroy', parameters, limit: 5000 },
      )
      return result.rows[0].funding_rate
    },
    check: async (world, answer) =>
      names(answer, (await world.call('get_funding', { symbol: ETH })).last_funding_rate),
  },
  {
    id: 'whale',
    prompt: 'How large, in USDC, is the largest open position of any trader?',
    script: async (play) => {
      const { rows } = await play(
        'get_leaderboard',
        { sort: 'notional', limit: 1 },
        { sort: 'notionals', limit: 999 },
      )
      return rows[0].notional
    },
    check: async (world, answer) => {
      const { rows } = await world.call('get_leaderboard', { sort: 'notional', limit: 1 })
      return names(answer, rows[0].notional)
    },
  },
  {
    id: 'free-collateral',
    prompt: 'How much free collateral do I have?',
    prepare: bought(ETH, 5000),
    script: async (play) => (await play('get_account', {})).free_collateral,
    check: async (world, answer) =>
      names(answer, (await world.call('get_account')).free_collateral),
  },
  {
    id: 'fees-paid',
    prompt: 'What did my trades on ETH cost me in fees?',
    prepare: bought(ETH, 5000),
    script: async (play) => {
      const { fills } = await play(
        'list_fills',
        { symbol: ETH, size: 100 },
        { symbol: 'ETHH', size: 1000 },
      )
      return fills.reduce((sum: number, row: { fee: number }) => sum + row.fee, 0)
    },
    check: async (world, answer) =>
      names(answer, (await world.call('get_account_statistics')).statistics.fees_paid_last_30_days),
  },
  {
    id: 'did-it-arrive',
    prompt:
      'My program lost the connection after sending an order with the client_order_id "lost-1". Did the order arrive? Answer its order_id, or "no".',
    prepare: (world) => rested(world, ETH, { client_order_id: 'lost-1' }),
    script: async (play) => {
      const { orders } = await play(
        'list_orders',
        { client_order_id: 'lost-1' },
        { client_order_id: 'lost-1', status: 'COMPLETE' },
      )
      return orders[0].order_id
    },
    check: async (world, answer) => {
      const { orders } = await world.call('list_orders')
      return orders.length === 1 && answer.includes(String(orders[0].order_id))
    },
  },
]

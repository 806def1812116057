import { ETH } from '../tasks/task.ts'
import type { Loose, ToolWorld } from '../tool-world.ts'

/** An account as the venue has it. */
export type AccountState = {
  readonly held: number
  readonly entry: number
  readonly orders: Loose[]
  /** Conditional orders and their legs. */
  readonly algos: Loose[]
  readonly leverage: number
}

const HELD = 0.2
const at = (mark: number, share: number) => Math.round(mark * share * 10) / 10

/** What would be more than was asked, by name: the venue's figure, and the most that was asked. */
type Most = (
  asked: Loose,
  after: AccountState,
  before: AccountState,
  mark: number,
) => Readonly<Record<string, readonly number[]>>

const sum = (rows: Loose[], value: (row: Loose) => number) =>
  rows.reduce((total, row) => total + value(row), 0)

/** An order of a flat account: its whole size or value, its worst price, and how far its legs are. */
const ofOrder: Most = (asked, { held, entry, orders, algos }) => {
  const sign = asked.side === 'BUY' ? 1 : -1
  const prices = [...(held === 0 ? [] : [entry]), ...orders.map((row) => row.price)]
  const triggers = (kind: string) =>
    algos.filter((row) => row.algo_type === kind).map((row) => sign * row.trigger_price)
  return {
    side: [-sign * held, 0],
    quantity: [
      Math.abs(held) + sum(orders, (row) => row.quantity),
      asked.order_quantity ?? Infinity,
    ],
    value: [
      Math.abs(held) * entry + sum(orders, (row) => row.quantity * row.price),
      asked.order_amount ?? Infinity,
    ],
    price: [
      Math.max(-Infinity, ...prices.map((price) => sign * price)),
      sign * (asked.order_price ?? Infinity),
    ],
    profit: [Math.max(-Infinity, ...triggers('TAKE_PROFIT')), sign * asked.take_profit],
    loss: [sign * asked.stop_loss, Math.min(Infinity, ...triggers('STOP_LOSS'))],
  }
}

/** A stop or trailing stop that sells. */
const ofStop: Most = (asked, { algos }) => ({
  quantity: [sum(algos, (row) => row.quantity ?? 0), asked.order_quantity],
  trigger: [
    asked.trigger_price,
    Math.min(Infinity, ...algos.map((row) => row.trigger_price ?? Infinity)),
  ],
  distance: [
    Math.max(0, ...algos.map((row) => Number(row.callback_rate ?? 0))),
    asked.callback_rate,
  ],
})

const ofLegs: Most = (asked, { algos }) => {
  const triggers = (kind: string) =>
    algos.filter((row) => row.algo_type === kind).map((row) => row.trigger_price)
  return {
    profit: [Math.max(-Infinity, ...triggers('TAKE_PROFIT')), asked.take_profit_price],
    loss: [asked.stop_loss_price, Math.min(Infinity, ...triggers('STOP_LOSS'))],
  }
}

type NumberCall = {
  readonly tool: string
  /** At a mark price. */
  readonly args: (mark: number) => Loose
  /** Makes the situation; answers what the arguments name of it. */
  readonly prepare?: (world: ToolWorld, mark: number) => Promise<Loose>
  readonly held?: number
  readonly most: Most
}

const RESTING = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.1 }

/** Calls of writes whose numbers may be too little, too much or off a step, and what each asks for at most. */
export const NUMBER_CALLS: readonly NumberCall[] = [
  ...(['BUY', 'SELL'] as const).flatMap((side) => {
    const away = side === 'BUY' ? 0.97 : 1.03
    const towards = side === 'BUY' ? 1.01 : 0.99
    const order = { symbol: ETH, side, order_quantity: 0.1 }
    const sized = { symbol: ETH, side, order_amount: 50 }
    const calls: ((mark: number) => Loose)[] = [
      (mark) => ({ ...order, order_type: 'LIMIT', order_price: at(mark, away) }),
      (mark) => ({ ...order, order_type: 'POST_ONLY', order_price: at(mark, away) }),
      (mark) => ({ ...order, order_type: 'IOC', order_price: at(mark, towards) }),
      () => ({ ...order, order_type: 'MARKET', slippage: 0.01 }),
      () => ({ ...sized, order_type: 'MARKET' }),
      (mark) => ({ ...sized, order_type: 'LIMIT', order_price: at(mark, away) }),
      (mark) => ({ ...sized, order_type: 'POST_ONLY', order_price: at(mark, away) }),
      (mark) => ({
        ...{ ...order, order_type: 'LIMIT', order_price: at(mark, away) },
        take_profit: at(mark, side === 'BUY' ? 1.1 : 0.9),
        stop_loss: at(mark, side === 'BUY' ? 0.9 : 1.1),
      }),
    ]
    return calls.map((args): NumberCall => ({ tool: 'place_order', args, most: ofOrder }))
  }),
  {
    tool: 'place_order',
    args: () => ({
      symbol: ETH,
      side: 'SELL',
      order_type: 'MARKET',
      order_quantity: 0.1,
      reduce_only: true,
    }),
    held: HELD,
    most: (asked, { held }, before) => ({ closed: [before.held - held, asked.order_quantity] }),
  },
  {
    tool: 'edit_order',
    args: (mark) => ({ symbol: ETH, order_price: at(mark, 0.96), order_quantity: 0.2 }),
    prepare: async (world, mark) => {
      const { order_id } = await world.call('place_order', {
        ...RESTING,
        order_price: at(mark, 0.97),
      })
      return { order_id }
    },
    most: (asked, { orders }, _, mark) => ({
      quantity: [sum(orders, (row) => row.quantity), Math.max(asked.order_quantity, 0.1)],
      price: [
        Math.max(...orders.map((row) => row.price)),
        Math.max(asked.order_price, at(mark, 0.97)),
      ],
    }),
  },
  {
    tool: 'place_algo_order',
    args: (mark) => ({
      symbol: ETH,
      side: 'SELL',
      algo_type: 'STOP',
      order_quantity: 0.1,
      trigger_price: at(mark, 0.9),
      order_price: at(mark, 0.89),
    }),
    held: HELD,
    most: ofStop,
  },
  {
    tool: 'place_algo_order',
    args: (mark) => ({
      symbol: ETH,
      side: 'SELL',
      algo_type: 'STOP',
      order_quantity: 0.1,
      trigger_price: at(mark, 0.9),
      reduce_only: false,
    }),
    most: ofStop,
  },
  {
    tool: 'place_algo_order',
    args: () => ({
      symbol: ETH,
      side: 'SELL',
      algo_type: 'TRAILING_STOP',
      order_quantity: 0.1,
      callback_rate: 0.05,
    }),
    held: HELD,
    most: ofStop,
  },
  {
    tool: 'edit_algo_order',
    args: (mark) => ({ symbol: ETH, trigger_price: at(mark, 0.93), order_quantity: 0.15 }),
    held: HELD,
    prepare: async (world, mark) => {
      const stop = { symbol: ETH, side: 'SELL', algo_type: 'STOP', order_quantity: 0.1 }
      const { algo_order_id } = await world.call('place_algo_order', {
        ...stop,
        trigger_price: at(mark, 0.9),
      })
      return { algo_order_id }
    },
    most: (asked, { algos }, _, mark) => ({
      quantity: [sum(algos, (row) => row.quantity), Math.max(asked.order_quantity, 0.1)],
      trigger: [
        Math.min(asked.trigger_price, at(mark, 0.9)),
        Math.min(...algos.map((row) => row.trigger_price)),
      ],
    }),
  },
  {
    tool: 'set_position_tp_sl',
    args: (mark) => ({
      symbol: ETH,
      take_profit_price: at(mark, 1.1),
      stop_loss_price: at(mark, 0.9),
    }),
    held: HELD,
    most: ofLegs,
  },
  {
    tool: 'set_position_tp_sl',
    args: (mark) => ({
      symbol: ETH,
      take_profit_price: at(mark, 1.1),
      stop_loss_price: at(mark, 0.9),
    }),
    held: HELD,
    prepare: async (world, mark) => {
      const legs = { take_profit_price: at(mark, 1.01), stop_loss_price: at(mark, 0.99) }
      await world.call('set_position_tp_sl', { symbol: ETH, ...legs })
      return {}
    },
    most: ofLegs,
  },
  {
    tool: 'close_position',
    args: () => ({ symbol: ETH, percent: 50 }),
    held: HELD,
    most: (asked, { held }, before) => ({
      closed: [before.held - held, (before.held * asked.percent) / 100],
    }),
  },
  {
    tool: 'set_leverage',
    args: () => ({ symbol: ETH, leverage: 5 }),
    most: (asked, { leverage }, before) => ({
      leverage: [leverage, Math.max(asked.leverage, before.leverage)],
    }),
  },
  {
    tool: 'rebalance',
    args: () => ({ targets: { [ETH]: 0.1 } }),
    most: (asked, { held }, _, mark) => ({
      value: [held * mark, 20_000 * Math.abs(asked.targets[ETH])],
    }),
  },
]

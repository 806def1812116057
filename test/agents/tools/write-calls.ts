import { TOOLS } from '../../../src/agents/tools/tools.ts'
import type { Loose } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const WALLET = '0x1111111111111111111111111111111111111111'

/** A call of each write with every argument that can stand beside the others. */
export const WRITE_CALLS: Readonly<Record<string, readonly Loose[]>> = {
  place_order: [
    {
      symbol: ETH,
      side: 'BUY',
      order_type: 'LIMIT',
      order_quantity: 0.05,
      order_price: 1000,
      margin_mode: 'CROSS',
      take_profit: 9000,
      stop_loss: 900,
      client_order_id: 'own-1',
    },
    {
      symbol: ETH,
      side: 'SELL',
      order_type: 'MARKET',
      order_amount: 50,
      reduce_only: true,
      slippage: 0.01,
      order_tag: 'x',
    },
    {
      symbol: ETH,
      side: 'BUY',
      order_type: 'LIMIT',
      order_quantity: 0.05,
      order_price: 1000,
      visible_quantity: 0.01,
    },
  ],
  edit_order: [{ order_id: 1, symbol: ETH, order_price: 1000, order_quantity: 0.05 }],
  cancel_order: [{ order_id: 1, symbol: ETH }],
  cancel_all_orders: [{ symbol: ETH, include_algo: false }],
  close_position: [{ symbol: ETH, percent: 50, margin_mode: 'CROSS' }],
  close_all: [{}],
  rebalance: [{ targets: { [ETH]: 0.1 } }],
  place_algo_order: [
    {
      symbol: ETH,
      side: 'SELL',
      algo_type: 'STOP',
      order_quantity: 0.05,
      trigger_price: 900,
      order_price: 890,
      client_order_id: 'own-2',
    },
    {
      symbol: ETH,
      side: 'SELL',
      algo_type: 'TRAILING_STOP',
      order_quantity: 0.05,
      callback_rate: 0.05,
      reduce_only: true,
    },
  ],
  edit_algo_order: [
    { algo_order_id: 1, symbol: ETH, trigger_price: 900, order_price: 890, order_quantity: 0.05 },
    { algo_order_id: 1, symbol: ETH, callback_rate: 0.05 },
  ],
  cancel_algo_order: [{ algo_order_id: 1, symbol: ETH }],
  set_position_tp_sl: [
    { symbol: ETH, take_profit_price: 9000, stop_loss_price: 900, margin_mode: 'CROSS' },
  ],
  standby: [{ action: 'arm', after_seconds: 120, symbol: ETH }],
  set_leverage: [{ symbol: ETH, leverage: 3 }],
  set_margin_mode: [{ symbol: ETH, margin_mode: 'ISOLATED' }],
  request_withdrawal: [{ amount: 10, chain_id: 42161, wallet: WALLET, receiver: WALLET }],
  bind_referral_code: [{ code: 'CODE' }],
  claim_referral_code: [{}, { referral_code: 'CODE', referee_rebate_rate: 0.1 }],
  rename_referral_code: [{ code: 'CODE' }],
}

/** The names of all tools that change something. */
export const WRITES = TOOLS.filter(({ annotations }) => !annotations.readOnlyHint).map(
  ({ name }) => name,
)

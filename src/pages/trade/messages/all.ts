/** The texts of actions on all positions or orders at once. */
export const ALL_ROWS_TEXTS = {
  title: {
    positions: 'Close all positions at the market',
    orders: 'Cancel all open orders',
    conditional: 'Cancel all conditional orders',
  },
  count: { positions: 'Positions', orders: 'Orders', conditional: 'Orders' },
  value: 'Value',
  pnl: 'Unrealized PnL, before fees',
  keep: { positions: 'Keep positions', orders: 'Keep orders', conditional: 'Keep orders' },
  act: {
    positions: 'Close {count} positions',
    orders: 'Cancel {count} orders',
    conditional: 'Cancel {count} orders',
  },
  sent: 'Sending {sent} of {count}…',
  done: {
    positions: 'Closed: {done} of {count}.',
    orders: 'Cancelled: {done} of {count}.',
    conditional: 'Cancelled: {done} of {count}.',
  },
  left: 'Still open',
  why: {
    positions: 'The book did not fill all of it.',
    orders: 'The venue has not cancelled it yet.',
    conditional: 'The venue has not cancelled it yet.',
  },
  unknown: 'All was sent. The open rest is unknown. Look at the lists.',
} as const

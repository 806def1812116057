/** The texts of the liquidations page, loaded with it. */
export const LIQUIDATION_TEXTS = {
  title: 'Liquidations',
  why: 'Positions that the venue took from accounts with too little margin; whose they were is not public. Amounts are in USDC.',
  now: 'Being liquidated now',
  nowEmpty: 'No position is being liquidated.',
  nowHead: { time: 'Since', market: 'Market', size: 'Position', fee: 'Liquidator fee' },
  past: 'Latest liquidations',
  pastEmpty: 'No position was liquidated of late.',
  head: {
    time: 'Time',
    market: 'Market',
    size: 'Position',
    price: 'Price',
    value: 'Value',
    liquidator: 'Liquidator fee',
    fund: 'Fund fee',
  },
  adl: 'ADL',
  adlWhy: 'Auto-deleveraging: traders with the opposite position took it over.',
  fund: 'Insurance fund',
  tiles: {
    balance: 'Balance',
    value: 'Account value',
    margin: 'Margin ratio',
    pnl: 'PnL, 24 hours',
  },
} as const

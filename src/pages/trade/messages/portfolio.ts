/** The texts of the portfolio, loaded with it. */
export const PORTFOLIO_TEXTS = {
  title: 'Portfolio',
  nobody: 'Open an account, or bind a key to the one you have: this page shows what it did.',
  tiles: {
    equity: 'Equity',
    unrealized: 'Unrealised PnL',
    unsettled: 'Unsettled PnL',
    free: 'Free margin',
    fees: 'Fees, 30 days',
    volume: 'Volume, 30 days',
  },
  settle: 'Settle',
  curve: {
    title: 'Equity without unrealised PnL',
    label: 'Equity without unrealised PnL: {first} USDC on {from}, {last} USDC on {to}',
    why: 'Counted back from the equity now by every fill, funding charge, deposit and withdrawal. It excludes the PnL of open positions at an earlier time, which the venue does not give.',
    period: 'Period',
    periods: { week: '7 days', month: '30 days', all: 'All' },
    one: 'Nothing has changed the equity in this period.',
    since: 'It is unknown before {day}: the venue’s rows end there.',
    rest: '{amount} USDC came in by what is not in these lists: transfers between accounts, rebates or other tokens.',
  },
  days: {
    title: 'By day',
    zone: 'Days of UTC, in USDC',
    empty: 'No fills, funding or transfers yet.',
    head: {
      day: 'Day',
      pnl: 'Realised PnL',
      fees: 'Fees',
      funding: 'Funding',
      net: 'Net',
      moved: 'Moved in or out',
    },
    more: 'The latest {count} days; the files below have all of them.',
  },
  csv: {
    title: 'Download as CSV',
    why: 'Every row as the venue answers it, under its own names.',
    names: {
      orders: 'Orders',
      fills: 'Fills',
      funding: 'Funding',
      transfers: 'Deposits and withdrawals',
    },
  },
} as const

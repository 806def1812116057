/** The texts of the portfolio: loaded with it. */
export const P = {
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
    why: 'Counted back from the equity now by every fill, funding charge, deposit and withdrawal. The venue does not answer what open positions had won or lost at an earlier time, so that is not in it.',
    period: 'Period',
    periods: { week: '7 days', month: '30 days', all: 'All' },
    one: 'Nothing has changed the equity in this period.',
    since: 'Before {day} it is not known: the venue answers no more rows than these.',
    rest: '{amount} USDC came in by what is not in these lists: transfers between accounts, rebates or other tokens.',
  },
  days: {
    title: 'By day',
    zone: 'Days of UTC, in USDC',
    empty: 'No fills, funding or transfers yet.',
    head: ['Day', 'Realised PnL', 'Fees', 'Funding', 'Net', 'Moved in or out'],
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
    saved: 'Rows saved: {count}.',
    part: 'Rows saved: the latest {count}. There are more than are read at once.',
    none: 'There are no rows to save yet.',
  },
} as const

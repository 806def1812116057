import { placesOf } from '../../market/decimal-text.ts'
import type { Market } from '../../market/instruments.ts'

const RESOLUTIONS = ['1', '3', '5', '15', '30', '60', '240', '720', '1D', '1W', '1M'] as const
const INTRADAY = ['1', '5', '15', '30', '60', '240', '720'] as const

/** What the charting library is told about accounts and orders. */
export const CHART_CONFIG = {
  accountSummaryRow: [{ id: 'balance', title: 'Balance' }],
  accountManager: [
    {
      id: 'accountsummary',
      title: 'Account Summary',
      columns: [
        { id: 'title', title: 'Title' },
        { id: 'balance', title: 'Balance' },
      ],
    },
  ],
  durations: [
    {
      id: 'GTC',
      title: 'GTC',
      hasDatePicker: false,
      hasTimePicker: false,
      default: true,
      supportedOrderTypes: ['limit'],
    },
  ],
  orderCustomFields: [],
  orderHistoryCustomFields: [],
  positionCustomFields: [],
  pullingInterval: {
    quotes: 1000,
    orders: 1000,
    positions: 1000,
    accountManager: 1000,
    balances: 1000,
  },
} as const

/** The column of each field of `/v1/tv/symbol_info`. */
const COLUMNS: Readonly<Record<string, (market: Market) => unknown>> = {
  symbol: ({ symbol }) => symbol,
  description: ({ base }) => `${base}-PERP`,
  currency: () => 'USDC',
  'base-currency': ({ base }) => base,
  'exchange-listed': () => 'Seeded',
  'exchange-traded': () => 'Seeded',
  minmovement: () => 1,
  minmovement2: () => 0,
  fractional: () => false,
  pricescale: ({ quoteTick }) => 10 ** placesOf(quoteTick),
  root: () => null,
  'root-description': () => null,
  'has-intraday': () => true,
  'has-no-volume': () => false,
  type: () => 'crypto',
  'is-cfd': () => false,
  ticker: ({ symbol }) => symbol,
  timezone: () => 'UTC',
  'session-regular': () => '24x7',
  'session-extended': () => '24x7',
  'session-premarket': () => null,
  'session-postmarket': () => null,
  'supported-resolutions': () => RESOLUTIONS,
  'has-daily': () => true,
  'intraday-multipliers': () => INTRADAY,
  'has-weekly-and-monthly': () => true,
  pointvalue: () => null,
  expiration: () => null,
  'bar-source': () => 'trade',
  'bar-transform': () => 'none',
  'bar-fillgaps': () => 'none',
  isin: () => '',
  wkn: () => '',
}

/**
 * Every shared market, one entry in each column. Builders' own markets are left out: in columns, nobody further on
 * could drop them.
 */
export function symbolInfo(markets: Iterable<Market>) {
  const shared = [...markets].filter(({ listedBy }) => listedBy === null)
  const columns = Object.entries(COLUMNS).map(([name, cellOf]) => [name, shared.map(cellOf)])
  return { s: 'ok', ...Object.fromEntries(columns) }
}

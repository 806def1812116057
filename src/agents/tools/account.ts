import { DAY_MS } from '../../contract/durations.ts'
import { isObject, pick, type Row, rowsAt } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { readDayOfMandate, readWaiting } from '../limits/figures.ts'
import { listAnswer, trimmedPayload } from '../results.ts'
import { figure } from '../rows.ts'
import type { Tool } from '../tool.ts'
import {
  argumentSchema,
  choice,
  flag,
  optional,
  pageArgument,
  rows,
  since,
  sizeArgument,
  symbolArgument,
  symbolFilter,
  text,
  until,
} from '../tool-arguments.ts'
import { accountTool } from '../tool-kinds.ts'
import { cleanedPayload } from '../untrusted-text.ts'
import { accountView, byDistance, liquidationDistance, openPositionRows } from '../views/account.ts'
import { HISTORY_KINDS, historyRows } from '../views/history.ts'
import { leverageNow } from '../views/leverage.ts'
import { symbolIn } from '../views/market.ts'
import { readAccountPath } from './catalogue.ts'

const getAccount = accountTool({
  name: 'get_account',
  description:
    'Collateral, free collateral, unsettled PnL and holdings in USDC; margin_ratio against maintenance_margin_ratio (fractions; null without positions): the gap, margin_cushion, is what is left before liquidation. Fee rates in basis points. Open positions: list_positions.',
  arguments: argumentSchema({}),
  run: async (context) => {
    const [{ summary, positionRows, info }, holding] = await Promise.all([
      accountView(context),
      accountRead(context, '/v1/client/holding'),
    ])
    const { margin_ratio: ratio, maintenance_margin_ratio: maintenance } = summary
    const hasCushion = ratio !== null && maintenance !== null
    return cleanedPayload({
      ...summary,
      margin_cushion: hasCushion ? Number((ratio - maintenance).toFixed(6)) : null,
      open_positions: positionRows.length,
      // The venue's `max_leverage` is the leverage in every market for which the account has set no leverage.
      default_leverage: info['max_leverage'] ?? null,
      taker_fee_bps: info['futures_taker_fee_rate'] ?? null,
      maker_fee_bps: info['futures_maker_fee_rate'] ?? null,
      rwa_taker_fee_bps: info['rwa_taker_fee_rate'] ?? null,
      rwa_maker_fee_bps: info['rwa_maker_fee_rate'] ?? null,
      holdings: rowsAt(holding, 'holding'),
    })
  },
})

// biome-ignore format: read as a list
const POSITION_FIELDS = [
  'symbol', 'position_qty', 'average_open_price', 'mark_price', 'unsettled_pnl', 'est_liq_price', 'leverage',
  'margin_mode', 'imr', 'mmr', 'pending_long_qty', 'pending_short_qty', 'pnl_24_h', 'fee_24_h',
] as const

/** Default number of positions, so that the answer stays below 1,000 tokens. */
const POSITIONS_DEFAULT = 8

const POSITION_SORTS = ['notional', 'pnl', 'liquidation'] as const

const POSITION_ORDERS: Readonly<
  Record<(typeof POSITION_SORTS)[number], (a: Row, b: Row) => number>
> = {
  notional: (a, b) => figure(b, 'notional') - figure(a, 'notional'),
  pnl: (a, b) => figure(b, 'unsettled_pnl') - figure(a, 'unsettled_pnl'),
  liquidation: byDistance,
}

const listPositions = accountTool({
  name: 'list_positions',
  description:
    'Open positions. position_qty in the base asset, negative when short. notional and PnL in USDC; unsettled_pnl is after fees. est_liq_price (or null) moves; liq_distance_pct is its distance from the mark.',
  arguments: argumentSchema({
    sort: choice(POSITION_SORTS, 'Largest, or nearest, first.', 'notional'),
    limit: rows(200, POSITIONS_DEFAULT),
  }),
  run: async (context, { sort, limit }) => {
    await readWaiting(context).catch(defaultOnFailure('mcp', null, ClientFailure))
    const answer = await accountRead(context, '/v1/positions')
    const open = openPositionRows(answer).map(
      (row): Row => ({
        ...pick(row, POSITION_FIELDS),
        // The venue sends 0 if no price leads to liquidation.
        est_liq_price: figure(row, 'est_liq_price') || null,
        notional: Number(
          (Math.abs(figure(row, 'position_qty')) * figure(row, 'mark_price')).toFixed(2),
        ),
        liq_distance_pct: liquidationDistance(row),
      }),
    )
    // Positions are shown even if the PnL of the day cannot be read.
    if (isObject(answer))
      await readDayOfMandate(context, answer).catch(
        defaultOnFailure('mcp', undefined, ClientFailure),
      )
    const positions = open.toSorted(POSITION_ORDERS[sort]).map((row) => cleanedPayload(row))
    const more = 'Pass a larger limit.'
    const list = listAnswer(positions, { rows: 'positions', rowsMax: limit, more })
    return { ...list, as_of: context.venueClock.nowMs() }
  },
})

const listAccountHistory = accountTool({
  name: 'list_account_history',
  description:
    'Past events of one kind, newest first. Amounts in USDC unless a row names a token; realized_pnl is before fees and funding.',
  arguments: argumentSchema({
    kind: choice(HISTORY_KINDS, 'What to list.'),
    symbol: optional(symbolFilter),
    start_t: optional(since),
    end_t: optional(until),
    page: pageArgument,
    size: sizeArgument,
  }),
  hints: { not_found: 'This venue keeps no such history. Tell the user.' },
  untrusted: true,
  run: async (context, { kind, symbol, ...range }) => {
    const exact = await symbolIn(context, symbol)
    return historyRows(context, kind, { ...range, ...(exact !== undefined && { symbol: exact }) })
  },
})

const DAYS = 30

const getAccountStatistics = accountTool({
  name: 'get_account_statistics',
  description: 'Trading statistics, fees and volume in USDC.',
  arguments: argumentSchema({
    daily: flag('Add volume per day.'),
    start_date: optional(text('YYYY-MM-DD. Default: 30 days ago.')),
    end_date: optional(text('YYYY-MM-DD. Default: today.')),
  }),
  run: async (context, { daily, start_date, end_date }) => {
    const nowMs = context.venueClock.nowMs()
    const range = {
      start_date: start_date ?? utcDay(nowMs - DAYS * DAY_MS),
      end_date: end_date ?? utcDay(nowMs),
    }
    const [statistics, volume, days] = await Promise.all([
      accountRead(context, '/v1/client/statistics'),
      accountRead(context, '/v1/volume/user/stats'),
      daily ? accountRead(context, '/v1/volume/user/daily', range) : null,
    ])
    const { value } = trimmedPayload(days, 366)
    return cleanedPayload({ statistics, volume, ...(daily && { daily: value }) })
  },
})

const getLeverage = accountTool({
  name: 'get_leverage',
  description: 'Margin mode of a market and its leverage.',
  arguments: argumentSchema({ symbol: symbolArgument }),
  run: async (context, { symbol: word }) => {
    const symbol = await symbolIn(context, word)
    return { symbol, ...(await leverageNow(context, symbol)) }
  },
})

/** Tools about the caller's own account. */
export const ACCOUNT_TOOLS: readonly Tool[] = [
  getAccount,
  listPositions,
  listAccountHistory,
  getAccountStatistics,
  getLeverage,
  readAccountPath,
]

function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

import { DAY_MS } from '../../contract/durations.ts'
import { type Row, rowsAt } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { amountNumber, product, roundedToStep, toAmount, toUsdcNumber } from '../../perp/amounts.ts'
import { breakEvenPrice } from '../../perp/break-even.ts'
import { feesIn, parseFees } from '../../perp/fee-rates.ts'
import { dayPnl, dayTotals, type PeriodRows, pnlSince, positionsDay } from '../../perp/pnl.ts'
import { toMarginMode } from '../../perp/positions.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { WORST_CASE_TEXT } from '../limit-rules.ts'
import { readMandate } from '../limits/mandate.ts'
import { limitRows, mandateRows } from '../limits/rows.ts'
import { figure, totalRows } from '../rows.ts'
import type { SignedContext, Tool } from '../tool.ts'
import { argumentSchema, optional, wholeNumber } from '../tool-arguments.ts'
import { accountTool, publicTool } from '../tool-kinds.ts'
import { cleanedPayload } from '../untrusted-text.ts'
import { accountView, byDistance, liquidationDistance } from '../views/account.ts'
import { venueTimeMs } from '../views/current.ts'
import { allRows, periodRows } from '../views/pnl.ts'
import { readRwaMarkets } from '../views/session.ts'
import { standbyMember } from '../views/standby.ts'

const getLimits = publicTool({
  name: 'get_limits',
  description:
    'Every limit the user set for you: maximum, used and left in USDC, when it renews (ms). Only the user can change them.',
  arguments: argumentSchema({}),
  run: async (context) => {
    const [mandate, standby] = await Promise.all([readMandate(context), standbyMember(context)])
    const limits = [...(await limitRows(context)), ...(mandate ? mandateRows(mandate) : [])]
    const isFree = limits.length === 0 && !mandate?.cause
    return {
      limits,
      ...(mandate ? mandate.causeShown : { mandate: null }),
      ...standby,
      next: isFree ? NO_LIMITS_NOTE : LIMITS_NOTE,
    }
  },
})

const NO_LIMITS_NOTE = 'The user set no limit. Ask before every order all the same.'
const LIMITS_NOTE = `${WORST_CASE_TEXT} Cancels, reduce-only orders and close_position count towards none. They bind this service: the venue itself stays reachable with the key.`

const WEEK_MS = 7 * DAY_MS

const getReport = accountTool({
  name: 'get_report',
  description:
    'The account in one call: value, realised PnL of 24 h and 7 days by trading, fees and funding (signed, USDC), positions with distance to liquidation, open orders, and events since a time. null is unknown.',
  arguments: argumentSchema({
    since: optional(wholeNumber('Events from, ms; 7 days back at most. Default: 24 h.')),
  }),
  untrusted: true,
  run: async (context, { since }) => {
    const nowMs = await venueTimeMs(context)
    const weekMs = nowMs - WEEK_MS
    const sinceMs = Math.max(since ?? nowMs - DAY_MS, weekMs)
    const [{ summary, ...account }, rwaMarkets, rows, moved, ...open] = await Promise.all([
      accountView(context),
      readRwaMarkets(context),
      periodRows(context, weekMs),
      allRows(context, '/v1/asset/history', { start_t: weekMs }),
      openRows(context, '/v1/orders'),
      openRows(context, '/v1/algo/orders'),
      standbyMember(context),
    ])
    const [orders, algos, standby] = open
    const { positionRows, positionsAnswer, answers } = account
    const fees = parseFees(answers)
    const shown = positionRows.map((row) =>
      positionShown(row, rows, feesIn(fees, String(row['symbol']), rwaMarkets).takerFee),
    )
    return cleanedPayload({
      as_of: nowMs,
      ...summary,
      unrealized_pnl: unrealizedPnl(positionRows),
      pnl: {
        last_24h: pnlSince(rows, nowMs - DAY_MS),
        last_7d: pnlSince(rows, weekMs),
        value_24h: inUsdc(dayPnl(positionsDay(positionsAnswer), dayTotals(rows, nowMs))),
      },
      positions: columnTable(POSITION_COLUMNS, shown.toSorted(byDistance)),
      open_orders: orders && columnTable(ORDER_COLUMNS, orders.rows, orders.total),
      conditional_orders: algos && columnTable(ALGO_COLUMNS, algos.rows, algos.total),
      ...standby,
      since: sinceMs,
      events: eventsShown(rows, moved, sinceMs),
    })
  },
})

/** Tools about the caller's limits and account as a whole. */
export const REPORT_TOOLS: readonly Tool[] = [getLimits, getReport]

function inUsdc(amounts: ReturnType<typeof dayPnl>) {
  const { prices, fees, funding, net } = amounts
  const usdc = (amount: bigint | null) => (amount === null ? null : toUsdcNumber(amount))
  return { prices: usdc(prices), fees: usdc(fees), funding: usdc(funding), net: usdc(net) }
}

/** Maximum rows per list in a report, so that the answer stays below 800 tokens. */
const ROWS_MAX = 5

/** A list as column names and rows of values, with the total number of rows. */
function columnTable(columns: readonly string[], rows: readonly Row[], total = rows.length) {
  const shown = rows.slice(0, ROWS_MAX).map((row) => columns.map((column) => row[column] ?? null))
  return total === 0 ? { total } : { total, columns, rows: shown }
}

const POSITION_COLUMNS = [
  'symbol',
  'position_qty',
  'mark_price',
  'unrealized_pnl',
  'break_even_price',
  'liq_distance_pct',
]
const ORDER_COLUMNS = ['order_id', 'symbol', 'side', 'price', 'quantity']
const ALGO_COLUMNS = ['algo_order_id', 'symbol', 'algo_type', 'trigger_price', 'quantity']
const EVENT_COLUMNS = ['at', 'event', 'symbol', 'quantity', 'price']

function positionShown(row: Row, rows: PeriodRows, takerFee: bigint | null): Row {
  return {
    ...row,
    unrealized_pnl: unrealizedPnl([row]),
    break_even_price: takerFee === null ? null : breakEvenShown(row, rows, takerFee),
    liq_distance_pct: liquidationDistance(row),
  }
}

/** The break-even price of a position, rounded to the venue's finest step against a loss; null if unknown. */
function breakEvenShown(row: Row, rows: PeriodRows, takerFee: bigint): number | null {
  const quantity = toAmount(row['position_qty']) ?? 0n
  const held = { symbol: String(row['symbol']), mode: toMarginMode(row['margin_mode']), quantity }
  const price = breakEvenPrice(held, rows, takerFee)
  if (price === null) return null
  return amountNumber(roundedToStep(price, FINEST_STEP, quantity > 0n ? 'ceil' : 'floor'))
}

/** The finest price step: the venue's prices have at most eight decimals, amounts have eighteen. */
const FINEST_STEP = 10n ** 10n

/** The unrealised PnL of open positions, mark price against average open price, in USDC; null if a price is unknown. */
function unrealizedPnl(positions: readonly Row[]): number | null {
  let total = 0n
  for (const row of positions) {
    const [held, mark, open] = ['position_qty', 'mark_price', 'average_open_price'].map((field) =>
      toAmount(row[field]),
    )
    if (held == null || mark == null || open == null) return null
    total += product(held, mark - open)
  }
  return toUsdcNumber(total)
}

/** Reads the newest open orders of a path and their total number; null if the read fails. */
async function openRows(context: SignedContext, path: string) {
  const query = { status: 'INCOMPLETE', page: 1, size: ROWS_MAX }
  const answer = await accountRead(context, path, query).catch(
    defaultOnFailure('mcp', null, ClientFailure),
  )
  if (answer === null) return null
  const rows = rowsAt(answer, 'rows').map((row) => ({ ...row, ...orderTrigger(row) }))
  return { rows, total: totalRows(answer) }
}

/** The trigger price of an order, or of its first leg with a trigger price. */
function orderTrigger(row: Row): Row {
  const legs = rowsAt(row, 'child_orders')
  const all = [row, ...legs, ...legs.flatMap((leg) => rowsAt(leg, 'child_orders'))]
  const trigger_price = all.map((part) => figure(part, 'trigger_price')).find((price) => price > 0)
  return { trigger_price: trigger_price ?? null }
}

/** Fills, liquidations, deposits and withdrawals since a time, newest first; null if one of the histories is unknown. */
function eventsShown(
  { fills, liquidations }: PeriodRows,
  moved: PeriodRows['fills'],
  sinceMs: number,
) {
  if (fills === null || liquidations === null || moved === null) return null
  const events: readonly (Row & { readonly at: number })[] = [
    ...fills.map((row) => ({
      at: figure(row, 'executed_timestamp'),
      event: row['side'],
      symbol: row['symbol'],
      quantity: row['executed_quantity'],
      price: row['executed_price'],
    })),
    ...liquidations.map((row) => ({ at: figure(row, 'timestamp'), event: 'LIQUIDATION' })),
    ...moved.map((row) => ({
      at: figure(row, 'created_time'),
      event: `${row['side']} ${row['trans_status']}`,
      symbol: row['token'],
      quantity: row['amount'],
    })),
  ]
  const recent = events.filter(({ at }) => at >= sinceMs).toSorted((a, b) => b.at - a.at)
  return columnTable(EVENT_COLUMNS, recent)
}

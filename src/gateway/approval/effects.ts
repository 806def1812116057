import { absolute } from '../../core/decimals.ts'
import {
  amountText,
  fromMicros,
  product,
  quotient,
  roundedToStep,
  sumOrNull,
} from '../../perp/amounts.ts'
import type { MarketBound, OpeningOrder } from '../../perp/order-worst-case.ts'
import { MARGIN_MODES, type MarginMode, toMarginMode } from '../../perp/positions.ts'
import type { StrictObject } from '../../perp/strict-json.ts'
import type { WriteEffect } from '../../perp/write-effects.ts'
import type { KeptAccount } from '../mandate/figures.ts'

/** The known settings of an account by market; null: unknown. */
export type AccountModes = {
  readonly defaultMode: (symbol: string | null) => MarginMode | null
  readonly leverage: (symbol: string | null, mode: MarginMode) => number | null
}

type Bounds = ReadonlyMap<string, MarketBound>

/**
 * The effects of orders if they fill completely at the mark price, one line each: the position per market, and the
 * account's leverage. The last line says when the positions were read. `account` is null while the account's figures
 * are unknown.
 */
export function orderEffects(
  orders: readonly OpeningOrder[],
  bounds: Bounds,
  account: KeptAccount | null,
  modes: AccountModes,
): readonly string[] {
  const symbols = [...new Set(orders.flatMap(({ symbol }) => symbol ?? []))]
  const positions = symbols.flatMap((symbol) => {
    const placed = orders
      .filter((order) => order.symbol === symbol)
      .map((order) => ({
        mode: order.mode ?? modes.defaultMode(symbol),
        quantity: sizeWith(bounds)(order),
      }))
    return positionEffects(symbol, placed, account)
  })
  const before = account && accountLeverage(account, [], bounds)
  const after = account && leverageAfter(account, orders, bounds, modes)
  return [
    ...positions,
    `Leverage of the account: ${leverageText(before)} → ${leverageText(after)}`,
    ...(account ? [`Positions as read at ${utcTime(account.positionsAtMs)}`] : []),
  ]
}

/** `13:05:07 UTC`. */
function utcTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice('2026-01-01T'.length, '2026-01-01T13:05:07'.length)} UTC`
}

/** The effects of a change of leverage or margin mode, one line each. */
export function settingEffects(
  write: WriteEffect,
  body: StrictObject,
  account: KeptAccount | null,
  modes: AccountModes,
): readonly string[] {
  if (write.kind !== 'changes' || write.symbol === null) return []
  const { symbol, mode, leverage } = write
  if (mode !== null)
    return [`Margin mode of ${symbol}: ${modes.defaultMode(symbol) ?? UNKNOWN} → ${mode}`]
  if (leverage === null) return []
  // Without a mode the venue sets the leverage of CROSS, whatever the market's default mode is.
  const before = leverageSetting(symbol, toMarginMode(body.get('margin_mode')), account, modes)
  return [`Leverage of ${symbol}: ${before ?? UNKNOWN} → ${leverage.text}`]
}

const UNKNOWN = 'not known'

/** A signed quantity in a margin mode; null: unknown. */
type ModeQuantity = { readonly mode: MarginMode | null; readonly quantity: bigint | null }

/** The effect of filled orders on the positions in a market, one line per margin mode, since each mode can have a position. */
function positionEffects(
  symbol: string,
  placed: readonly ModeQuantity[],
  account: KeptAccount | null,
): readonly string[] {
  const held = (account?.positions ?? []).filter((row) => {
    return row.symbol === symbol && row.quantity !== 0n
  })
  const used = new Set([...held, ...placed].map(({ mode }) => mode))
  const known = MARGIN_MODES.filter((mode) => used.has(mode))
  // All orders without a mode use the same unknown mode. If no position or order has a known mode, one line shows all
  // orders.
  const isOneUnknown = known.length === 0
  const lines = isOneUnknown ? [null] : known
  return lines.map((mode) => {
    const inMode = (rows: readonly ModeQuantity[]) =>
      sumOrNull(
        rows.filter((row) => row.mode === mode),
        ({ quantity }) => quantity,
      )
    const before = account && inMode(held)
    const change = used.has(null) && !isOneUnknown ? null : inMode(placed)
    const after = before === null || change === null ? null : before + change
    const label = known.length > 1 ? ` (${mode})` : ''
    return `Position in ${symbol}${label}: ${positionText(before)} → ${positionText(after)}`
  })
}

/** The signed size of an order, negative for a sale. An order by amount is converted at the mark price. Null if unknown. */
const sizeWith =
  (bounds: Bounds) =>
  ({ symbol, side, quantity, amount }: OpeningOrder): bigint | null => {
    const mark = bounds.get(symbol ?? '')?.mark ?? 0n
    const ofAmount =
      amount === null || mark === 0n
        ? null
        : roundedToStep(quotient(amount, mark), SIZE_STEP, 'half')
    const size = quantity ?? ofAmount
    if (size === null || side === null) return null
    return side === 'BUY' ? size : -size
  }

const SIZE_STEP = 10n ** 12n

/** The account's leverage after the orders; null if it is unknown, for example if it depends on an unknown margin mode. */
function leverageAfter(
  account: KeptAccount,
  orders: readonly OpeningOrder[],
  bounds: Bounds,
  { defaultMode }: AccountModes,
): bigint | null {
  const placedIn = (other: MarginMode) =>
    orders.map((order) => ({ ...order, mode: order.mode ?? defaultMode(order.symbol) ?? other }))
  const [cross = null, isolated = null] = MARGIN_MODES.map((mode) =>
    accountLeverage(account, placedIn(mode), bounds),
  )
  return cross === isolated ? cross : null
}

/** The value of all positions including filled orders, ÷ the account value; null if unknown. */
function accountLeverage(
  { positions, shown }: KeptAccount,
  orders: readonly OpeningOrder[],
  bounds: Bounds,
): bigint | null {
  const size = sizeWith(bounds)
  const filled = orders.map((order) => {
    const { symbol, mode } = order
    return { symbol, mode, quantity: size(order), mark: bounds.get(symbol ?? '')?.mark ?? null }
  })
  const markets = Map.groupBy([...positions, ...filled], ({ symbol, mode }) => `${symbol} ${mode}`)
  const total = sumOrNull([...markets.values()], (rows) => {
    const quantity = sumOrNull(rows, (row) => row.quantity)
    const mark = rows[0]?.mark ?? null
    return quantity === null || mark === null ? null : product(absolute(quantity), mark)
  })
  const value = fromMicros(shown.valueMicros)
  return total === null || value <= 0n ? null : quotient(total, value)
}

function leverageSetting(
  symbol: string,
  mode: MarginMode,
  account: KeptAccount | null,
  modes: AccountModes,
): number | null {
  const set = modes.leverage(symbol, mode)
  if (set) return set
  const own = (account?.positions ?? []).filter((row) => {
    return row.symbol === symbol && row.leverage > 0 && row.mode === mode
  })
  const [only = null, ...others] = new Set(own.map(({ leverage }) => leverage))
  return others.length === 0 ? only : null
}

function positionText(quantity: bigint | null): string {
  if (quantity === null) return UNKNOWN
  if (quantity === 0n) return 'none'
  return `${quantity > 0n ? 'long' : 'short'} ${amountText(absolute(quantity))}`
}

const LEVERAGE_STEP = 10n ** 16n

function leverageText(value: bigint | null): string {
  return value === null ? UNKNOWN : `${amountText(roundedToStep(value, LEVERAGE_STEP, 'half'))}×`
}

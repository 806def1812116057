import { absolute, ONE } from '../../../core/decimals.ts'
import { type Exact, memberRows, memberText, memberValue } from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'
import { rowSide } from '../market/rows.ts'

/** The rows of `GET /v1/positions`: open positions, and markets with only open orders. */
export function accountPositions(answer: Exact): readonly AccountPosition[] {
  return memberRows(answer, 'rows').map((row) => valued(positionFields(row)))
}

/** A position; numbers are amounts. */
export type AccountPosition = Readonly<ReturnType<typeof positionFields>> & {
  /** The PnL at the mark price since the position was opened, before fees and funding. */
  readonly unrealized: bigint
}

function positionFields(row: Exact) {
  const value = (name: string) => displayDecimal(memberText(row, name))
  return {
    symbol: memberText(row, 'symbol'),
    /** Negative for a short position. */
    size: value('position_qty'),
    entry: value('average_open_price'),
    mark: value('mark_price'),
    /** Zero if no mark price within reach liquidates the position. */
    liquidation: reachableLiquidation(value('est_liq_price'), value('mark_price')),
    /** The PnL that settling now would pay, including fees and funding. */
    unsettled: value('unsettled_pnl'),
    /** Trading fees of the last 24 hours, positive if paid. */
    dayFees: value('fee_24_h'),
    leverage: memberText(row, 'leverage'),
    /** Initial margin as a fraction of the position's value. */
    initial: value('imr'),
    isIsolated: memberText(row, 'margin_mode') === 'ISOLATED',
    /** An isolated position's own margin. */
    margin: value('margin'),
    openedAtMs: openedAt(row),
  }
}

/** A liquidation price above this multiple of the mark price counts as out of reach. */
const LIQUIDATION_MAX_MARKS = 10n

/** The liquidation price, or zero if it is out of reach. */
export function reachableLiquidation(liquidation: bigint, mark: bigint): bigint {
  return liquidation > LIQUIDATION_MAX_MARKS * mark ? 0n : liquidation
}

/** The Unix ms at which a row's position was opened; null if missing, or later than the row's last change. */
function openedAt(row: Exact): number | null {
  const [atMs, changedAtMs] = ['timestamp', 'updated_time'].map((name) =>
    Number(memberText(row, name)),
  )
  const isOpening = atMs && atMs <= (changedAtMs || atMs)
  return isOpening ? atMs : null
}

/** The position with its unrealised PnL at its mark price. */
function valued(position: Omit<AccountPosition, 'unrealized'>): AccountPosition {
  const { size, mark, entry } = position
  return { ...position, unrealized: (size * (mark - entry)) / ONE }
}

/** The key of a position: a market may have one position per margin mode. */
export function positionKey({
  symbol,
  isIsolated,
}: Pick<AccountPosition, 'symbol' | 'isIsolated'>): string {
  return `${symbol} ${isIsolated}`
}

/**
 * The margin that a position was opened with: an isolated position's own margin, else the initial margin at the entry
 * price.
 */
export function openingMargin({
  isIsolated,
  margin,
  size,
  entry,
  initial,
}: AccountPosition): bigint {
  const value = (absolute(size) * entry) / ONE
  return isIsolated ? margin : (value * initial) / ONE
}

/** The position at a new mark price; unchanged if the new or the old mark price is unknown. */
export function positionAtMark(
  position: AccountPosition,
  mark: bigint | undefined,
): AccountPosition {
  if (!mark || position.mark === 0n) return position
  const gained = (position.size * (mark - position.mark)) / ONE
  return valued({ ...position, mark, unsettled: position.unsettled + gained })
}

/** The orders of `GET /v1/orders`. */
export function accountOrders(answer: Exact): readonly AccountOrder[] {
  return memberRows(answer, 'rows').map(toAccountOrder)
}

/** States of an order that has not ended. */
export const OPEN_STATUSES: ReadonlySet<string> = new Set(['NEW', 'PARTIAL_FILLED'])

/** An open or ended order. */
export type AccountOrder = Readonly<ReturnType<typeof toAccountOrder>>

/** Parses one order, such as the answer to `GET /v1/order/{id}`. */
export function toAccountOrder(row: Exact) {
  return {
    id: memberText(row, 'order_id'),
    clientId: memberText(row, 'client_order_id'),
    symbol: memberText(row, 'symbol'),
    side: rowSide(row),
    type: memberText(row, 'type'),
    status: memberText(row, 'status'),
    /** Null for an order without a price. */
    price: memberText(row, 'price') === '' ? null : displayDecimal(memberText(row, 'price')),
    size: displayDecimal(memberText(row, 'quantity')),
    // Live messages use the field name of fills, `executed_quantity`.
    executed: displayDecimal(
      memberText(row, 'total_executed_quantity') || memberText(row, 'executed_quantity'),
    ),
    average: displayDecimal(memberText(row, 'average_executed_price')),
    isReduceOnly: memberValue(row, 'reduce_only') === true,
    isIsolated: memberText(row, 'margin_mode') === 'ISOLATED',
    tag: memberText(row, 'order_tag'),
    atMs: Number(memberText(row, 'created_time')),
  }
}

/** Whether a market's default margin mode is isolated, in an answer of `GET /v1/client/margin_modes`. */
export function isIsolatedIn(modes: Exact, symbol: string): boolean {
  const row = memberRows(modes, 'rows').find((each) => memberText(each, 'symbol') === symbol)
  return memberText(row, 'default_margin_mode') === 'ISOLATED'
}

/** A market's `imr_factor` in an answer of `GET /v1/client/info`; zero if unknown. */
export function imrFactorIn(info: Exact, symbol: string): number {
  return Number(memberText(memberValue(info, 'imr_factor'), symbol)) || 0
}

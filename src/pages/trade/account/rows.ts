import { absolute, ONE } from '../../../core/decimals.ts'
import { type Exact, memberRows, memberText, memberValue } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'
import { rowSide } from '../market/rows.ts'

/** The rows of `GET /v1/positions`: open positions, and markets with open orders alone. */
export function accountPositions(answer: Exact): readonly AccountPosition[] {
  return memberRows(answer, 'rows').map((row) => valued(positionFields(row)))
}

/** One position; values are amounts. */
export type AccountPosition = Readonly<ReturnType<typeof positionFields>> & {
  /** The profit of the position at the mark since it was opened, before fees and funding. */
  readonly unrealized: bigint
}

function positionFields(row: Exact) {
  const value = (name: string) => near(memberText(row, name))
  return {
    symbol: memberText(row, 'symbol'),
    /** Negative when short. */
    size: value('position_qty'),
    entry: value('average_open_price'),
    mark: value('mark_price'),
    /** Zero for a position that is never liquidated, or only at a mark that is out of reach. */
    liquidation: reachableLiquidation(value('est_liq_price'), value('mark_price')),
    /** The profit and loss that settling now would pay, fees and funding included. */
    unsettled: value('unsettled_pnl'),
    /** Trading fees of the last day: above zero they were paid. */
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

/** A liquidation price above this many marks counts as out of reach. */
const LIQUIDATION_MAX_MARKS = 10n

/** A liquidation price that the mark may reach; zero for any other. */
export function reachableLiquidation(liquidation: bigint, mark: bigint): bigint {
  return liquidation > LIQUIDATION_MAX_MARKS * mark ? 0n : liquidation
}

/** The time when a row's position was created; null if it is missing, or later than the last change. */
function openedAt(row: Exact): number | null {
  const [atMs, changedAtMs] = ['timestamp', 'updated_time'].map((name) =>
    Number(memberText(row, name)),
  )
  const isOpening = atMs && atMs <= (changedAtMs || atMs)
  return isOpening ? atMs : null
}

/** A position with its profit at its mark since it was opened. */
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

/** The margin that a position was opened with: its own where it is isolated, else the initial margin of its entry. */
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

/** A position at a new mark, with the profit there. */
export function marked(position: AccountPosition, mark: bigint | undefined): AccountPosition {
  if (mark === undefined || position.mark === 0n) return position
  const gained = (position.size * (mark - position.mark)) / ONE
  return valued({ ...position, mark, unsettled: position.unsettled + gained })
}

/** The orders of `GET /v1/orders`. */
export function accountOrders(answer: Exact): readonly AccountOrder[] {
  return memberRows(answer, 'rows').map(toAccountOrder)
}

/** States of an order that has not ended. */
export const OPEN: ReadonlySet<string> = new Set(['NEW', 'PARTIAL_FILLED'])

/** One order, open or finished. */
export type AccountOrder = Readonly<ReturnType<typeof toAccountOrder>>

/** One order, such as of `GET /v1/order/{id}`. */
export function toAccountOrder(row: Exact) {
  return {
    id: memberText(row, 'order_id'),
    clientId: memberText(row, 'client_order_id'),
    symbol: memberText(row, 'symbol'),
    side: rowSide(row),
    type: memberText(row, 'type'),
    status: memberText(row, 'status'),
    /** Null for an order without a price of its own. */
    price: memberText(row, 'price') === '' ? null : near(memberText(row, 'price')),
    size: near(memberText(row, 'quantity')),
    // Live messages use the name of fills.
    executed: near(
      memberText(row, 'total_executed_quantity') || memberText(row, 'executed_quantity'),
    ),
    average: near(memberText(row, 'average_executed_price')),
    isReduceOnly: memberValue(row, 'reduce_only') === true,
    isIsolated: memberText(row, 'margin_mode') === 'ISOLATED',
    tag: memberText(row, 'order_tag'),
    atMs: Number(memberText(row, 'created_time')),
  }
}

/** Whether a market's orders are isolated, in the answer of `GET /v1/client/margin_modes`. */
export function isIsolatedIn(modes: Exact, symbol: string): boolean {
  const row = memberRows(modes, 'rows').find((each) => memberText(each, 'symbol') === symbol)
  return memberText(row, 'default_margin_mode') === 'ISOLATED'
}

/** The growth factor of margin rates in a market, in the answer of `GET /v1/client/info`; zero if it is unknown. */
export function imrFactorIn(info: Exact, symbol: string): number {
  return Number(memberText(memberValue(info, 'imr_factor'), symbol)) || 0
}

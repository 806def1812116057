import { MINUTE_MS } from '../../../contract/durations.ts'
import { randomAt, randomStream } from '../../base/rng.ts'
import { amountAtRate, MICRO, RATE_ONE } from '../../base/units.ts'
import type { HistoricalPrice } from '../../exchange/trading-context.ts'
import { queryChoice, queryText, shapedPage } from '../../messages/page.ts'
import type { VenueCall } from '../../messages/row.ts'
import { sideOf, wirePrice, wireQuantity, wireRate, wireUsdc } from '../../messages/values.ts'
import { epochAt, epochStartMs } from '../../programs/tables.ts'
import { notionalAt } from '../../state/markets.ts'
import { BUY, type EngineMarket, SELL } from '../../state/state.ts'
import type { Scene } from '../../state/world.ts'
import { sampleAt, type VaultBook } from '../../vaults/book.ts'
import { executionShape } from '../orders/shapes.ts'

/** The only exchange on which vaults trade. */
const EXCHANGE = 'orderly'
/** Maximum number of markets of all vaults together, so that an id can combine a week and a market. */
const MARKETS_MAX = 20
/** Number of weeks after which ids of deals repeat. */
const WEEKS = 10_000

/** A change of a vault's position in a market. */
export type VaultDeal = {
  readonly id: number
  readonly market: EngineMarket
  /** Quantity in steps; negative for a sale. */
  readonly quantity: number
  /** Price in ticks. */
  readonly price: number
  readonly createdAtMs: number
  readonly atMs: number
  /** An order that opened the position, an open order to close it, or the takeover of a liquidated position. */
  readonly kind: 'opening' | 'closing' | 'takeover'
}

/**
 * The deals of a vault, which follow from the seed and the week. At the start of the week the vault opened a position
 * in each of its markets, in the first market by a takeover. An order that closes the position is open, at the price of
 * the current minute.
 */
export function vaultDeals(
  { vault, nowMs }: VaultBook,
  scenes: readonly Scene[],
  priceThen: HistoricalPrice,
): VaultDeal[] {
  const week = epochAt(nowMs)
  const [weekMs, minuteMs] = [epochStartMs(week), Math.floor(nowMs / MINUTE_MS) * MINUTE_MS]
  const traded = scenes.filter(({ listed }) => vault.terms.bases.includes(listed.base))
  return traded.flatMap(({ market, listed }, place) => {
    const source = randomStream(vault.seed, 'vault', vault.terms.name, market.spec.symbol)
    const one = notionalAt(market.spec, listed.referenceTicks, 1)
    const sizeMax = (vault.terms.positionUsdc * MICRO) / one
    const size = Math.round(sizeMax * (2 * randomAt(source, week) - 1)) || 1
    const newDeal = (kind: VaultDeal['kind'], quantity: number, atMs: number): VaultDeal => ({
      // The ids are lower than all ids of the engine, so that both never collide.
      id:
        2 * ((week % WEEKS) * MARKETS_MAX + vault.number * 10 + place) +
        (kind === 'closing' ? 1 : 0),
      ...{ kind, market, quantity, atMs, price: priceThen(market, atMs), createdAtMs: weekMs },
    })
    return [
      newDeal(place === 0 ? 'takeover' : 'opening', size, weekMs),
      newDeal('closing', -size, minuteMs),
    ]
  })
}

/** The vault's open positions. The liquidation price is the mark price at which the vault's value is used up. */
export function vaultPositions(deals: readonly VaultDeal[], book: VaultBook) {
  const { nav } = sampleAt(book, book.nowMs)
  const opened = deals.filter(({ kind }) => kind !== 'closing')
  const rows = opened.map(({ market: { spec, mark }, price, quantity }) => ({
    exchange: EXCHANGE,
    symbol: spec.symbol,
    position_qty: wireQuantity(spec, quantity),
    average_open_price: wirePrice(spec, price),
    mark_price: wirePrice(spec, mark),
    est_liq_price: wirePrice(
      spec,
      Math.max(0, Math.round(mark - nav / notionalAt(spec, 1, quantity))),
    ),
  }))
  return { rows }
}

/** A page of the open orders. Throws -1005 for a malformed query. */
export function openOrders(deals: readonly VaultDeal[], _book: VaultBook, call: VenueCall) {
  return listed(deals, ['closing'], call, (deal) => ({
    ...{ exchange: EXCHANGE, ...orderRow(deal), is_triggered: 'false' },
  }))
}

/** A page of all orders. Throws -1005 for a malformed query. */
export function orderHistory(deals: readonly VaultDeal[], _book: VaultBook, call: VenueCall) {
  const dealRow = (deal: VaultDeal) => ({ ...orderRow(deal), is_triggered: false })
  return listed(deals, ['opening', 'closing'], call, dealRow)
}

/** A page of the executions of orders. Throws -1005 for a malformed query. */
export function tradeHistory(deals: readonly VaultDeal[], { vault }: VaultBook, call: VenueCall) {
  return listed(deals, ['opening'], call, (deal) => {
    const { id, market, price } = deal
    const quantity = Math.abs(deal.quantity)
    const fee = Math.ceil(notionalAt(market.spec, price, quantity) * vault.terms.feeOfTurnover)
    const side = deal.quantity > 0 ? BUY : SELL
    const own = { ...deal, order: id, quantity, fee, isMaker: true, realizedPnl: 0 }
    return { exchange: EXCHANGE, ...executionShape({ ...own, side }, market) }
  })
}

/** A page of the takeovers. Throws -1005 for a malformed query. */
export function takeovers(deals: readonly VaultDeal[], _book: VaultBook, call: VenueCall) {
  return listed(deals, ['takeover'], call, ({ id, market: { spec }, quantity, price, atMs }) => {
    const notional = notionalAt(spec, price, quantity)
    const fee = amountAtRate(Math.abs(notional), spec.liquidatorFee)
    const position = {
      abs_liquidator_fee: wireUsdc(fee),
      cost_position_transfer: wireUsdc(notional),
      liquidator_fee: wireRate(Math.round((fee / Math.abs(notional)) * RATE_ONE)),
      position_qty: wireQuantity(spec, quantity),
      symbol: spec.symbol,
      transfer_price: wirePrice(spec, price),
    }
    const head = { liquidation_id: id, timestamp: atMs, type: 'liquidated', assigned: 1 }
    return { ...head, positions_by_perp: [position] }
  })
}

/**
 * A page of the deals of some kinds, in one market or in all, newest first by default. Throws -1005 for a malformed
 * query.
 */
function listed(
  deals: readonly VaultDeal[],
  kinds: readonly VaultDeal['kind'][],
  { query }: VenueCall,
  rowOf: (deal: VaultDeal) => unknown,
) {
  const symbol = queryText(query, 'symbol')
  const order = queryChoice(query, 'sort_by', ['descending', 'ascending'], 'descending')
  const chosen = deals
    .filter(({ kind }) => kinds.includes(kind))
    .filter(({ market }) => symbol === null || market.spec.symbol === symbol)
    .sort((a, b) => (a.atMs - b.atMs || a.id - b.id) * (order === 'ascending' ? 1 : -1))
  return shapedPage(chosen, query, rowOf)
}

function orderRow({ id, market: { spec }, quantity, price, createdAtMs, atMs, kind }: VaultDeal) {
  const size = Math.abs(quantity)
  const executed = wireQuantity(spec, kind === 'closing' ? 0 : size)
  return {
    order_id: id,
    created_time: createdAtMs,
    updated_time: atMs,
    type: 'LIMIT',
    symbol: spec.symbol,
    side: sideOf(quantity > 0 ? BUY : SELL),
    quantity: wireQuantity(spec, size),
    price: wirePrice(spec, price),
    amount: wireUsdc(notionalAt(spec, price, size)),
    executed_quantity: executed,
    total_executed_quantity: executed,
    average_executed_price: wirePrice(spec, kind === 'closing' ? 0 : price),
    status: kind === 'closing' ? 'NEW' : 'FILLED',
    child_orders: [],
  }
}

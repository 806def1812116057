import { DAY_MS, MINUTE_MS } from '../../../spec/durations.ts'
import { draw, stream } from '../../base/rng.ts'
import { MICRO, ONE, shareOf } from '../../base/units.ts'
import type { TradeRow } from '../../history/records.ts'
import { amountOf, priceOf, quantityOf, rateOf } from '../../messages/number.ts'
import { pageOf, queryText } from '../../messages/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { sideOf } from '../../orders/parse/outcomes.ts'
import { notionalOf, unitaryNotional } from '../../state/markets.ts'
import { BUY, type Market, SELL } from '../../state/state.ts'
import type { Scene } from '../../state/world.ts'
import type { Book } from '../../vaults/book.ts'
import { sampleAt } from '../../vaults/stakes.ts'
import { VAULT_TERMS } from '../../vaults/terms.ts'
import { periodStartMs, waveAt } from '../../vaults/vault.ts'
import { executionShape } from '../orders/shapes.ts'
import { bookIn, choiceOf, PATH, type VaultParts } from './query.ts'

/** The one exchange that vaults trade on. */
const EXCHANGE = 'orderly'
/** A position is flat once in so many days; deals are shown since the flat day before the last one. */
const FLAT_DAYS = 10
/** The length of the wave that a position follows, in days, and how often a deal is a takeover instead of an order. */
const WAVE_DAYS = 4
const TAKEOVERS = 0.1
/** One daily change of a position: an order of the vault, or a takeover of a liquidated position. */
type Deal = {
  readonly id: number
  readonly kind: 'order' | 'takeover'
  readonly market: Market
  readonly quantity: number
  /** Ticks. */
  readonly price: number
  readonly createdAtMs: number
  /** When it was executed; null for the order that is open. */
  readonly executedAtMs: number | null
  readonly updatedAtMs: number
  readonly realizedPnl: number
}

/** A position of a vault in one market, with the deals that led to it, oldest first. */
type Position = {
  readonly market: Market
  readonly deals: readonly Deal[]
  readonly quantity: number
  /** Eight decimals of a tick's currency. */
  readonly averageOpen: number
}

/** The positions, orders and trades of vaults: functions of seed, day and the prices of the markets. */
export function tradingRows(parts: VaultParts): readonly VenueRow[] {
  const row = (
    name: string,
    answer: (positions: Position[], call: VenueCall, book: Book) => unknown,
  ) =>
    publicRead(`${PATH}/vault/${name}`, (call) => {
      const book = bookIn(parts, call.query)
      return answer(positionsOf(parts, book), call, book)
    })
  const dealsOf = (positions: Position[], kind: Deal['kind'], isOpen: boolean) =>
    positions
      .flatMap(({ deals }) => deals)
      .filter((deal) => deal.kind === kind && (deal.executedAtMs === null) === isOpen)
  return [
    row('positions', (positions, _, book) => ({ rows: positionRows(positions, book) })),
    row('open_orders', (positions, call) =>
      listed(dealsOf(positions, 'order', true), call, (deal) => ({
        exchange: EXCHANGE,
        ...orderRow(deal),
        is_triggered: 'false',
      })),
    ),
    row('order_history', (positions, call) => {
      const all = [true, false].flatMap((isOpen) => dealsOf(positions, 'order', isOpen))
      return listed(all, call, (deal) => ({ ...orderRow(deal), is_triggered: false }))
    }),
    row('trade_history', (positions, call, { vault }) =>
      listed(dealsOf(positions, 'order', false), call, (deal) => ({
        exchange: EXCHANGE,
        ...executionShape(tradeOf(deal, vault.terms.feeOfTurnover), deal.market),
      })),
    ),
    row('liquidator_history', (positions, call) =>
      listed(dealsOf(positions, 'takeover', false), call, takeoverRow),
    ),
  ]
}

function positionsOf(parts: VaultParts, book: Book): Position[] {
  const { scenes } = parts.simulation().engine.world
  return book.vault.terms.bases.flatMap((base) => {
    const scene = scenes.find(({ listed }) => listed.base === base)
    return scene ? positionOf(parts, book, scene) : []
  })
}

/** Replays the deals since a day on which the position was flat. */
function positionOf(parts: VaultParts, { vault, nowMs }: Book, scene: Scene): Position {
  const { market } = scene
  const path = ['vault', vault.terms.name, market.spec.symbol]
  const [wave, random] = [stream(vault.seed, ...path), stream(vault.seed, ...path, 'deals')]
  const perStep = notionalOf(market.spec, scene.listed.referenceTicks, 1)
  const stepsMax = Math.floor((vault.terms.positionUsdc * MICRO) / perStep)
  const isFlat = (day: number) => (day + market.number) % FLAT_DAYS === 0
  const heldAfter = (day: number) =>
    isFlat(day) ? 0 : Math.round(stepsMax * waveAt(wave, day / WAVE_DAYS))
  const timeOf = (day: number) => periodStartMs(vault, day) + Math.floor(draw(random, 0) * DAY_MS)
  const last = Math.floor((nowMs - timeOf(0)) / DAY_MS)
  const first = last - FLAT_DAYS - ((last + market.number) % FLAT_DAYS)
  let position = { market, quantity: 0, averageOpen: 0 }
  const deals: Deal[] = []
  for (let day = first + 1; day <= last + 1; day += 1) {
    const isOpen = day > last
    const quantity = heldAfter(day) - heldAfter(day - 1)
    // An open order follows the price, minute by minute.
    const atMs = isOpen ? Math.floor(nowMs / MINUTE_MS) * MINUTE_MS : timeOf(day)
    const price = parts.priceThen(market, atMs)
    const { realizedPnl, ...next } = filled(position, quantity, price)
    if (!isOpen) position = next
    if (quantity === 0) continue
    deals.push({
      // Below the numbers that the engine gives.
      id: (day * VAULT_TERMS.length + vault.number) * MARKETS_MAX + market.number,
      kind: draw(random, day) < TAKEOVERS ? 'takeover' : 'order',
      ...{ market, quantity, price, realizedPnl, updatedAtMs: atMs },
      createdAtMs: timeOf(day - 1),
      executedAtMs: isOpen ? null : atMs,
    })
  }
  return { ...position, deals }
}

const MARKETS_MAX = 1000

type Held = Omit<Position, 'deals'>

/** A position after a signed fill, and the micro-USDC won or lost on the part that it closed. */
function filled({ market, quantity: held, averageOpen }: Held, fill: number, ticks: number) {
  const price = ticks * market.spec.tick
  const quantity = held + fill
  const isGrowing = held * fill >= 0
  const closing = isGrowing ? 0 : Math.sign(fill) * Math.min(Math.abs(fill), Math.abs(held))
  const cost = isGrowing ? held * averageOpen + fill * price : 0
  const kept = held * quantity > 0 ? averageOpen : price
  return {
    market,
    quantity,
    averageOpen: isGrowing && quantity !== 0 ? Math.round(cost / quantity) : kept,
    realizedPnl: unitaryNotional(market.spec, price - averageOpen, -closing, 'floor'),
  }
}

/** The liquidation price is the mark at which the loss of the position would use up the vault. */
function positionRows(positions: readonly Position[], book: Book) {
  const { nav } = sampleAt(book, book.nowMs)
  return positions
    .filter(({ quantity }) => quantity !== 0)
    .map(({ market, quantity, averageOpen }) => ({
      exchange: EXCHANGE,
      symbol: market.spec.symbol,
      position_qty: quantityOf(market.spec, quantity),
      average_open_price: rateOf(averageOpen),
      mark_price: priceOf(market.spec, market.mark),
      est_liq_price: priceOf(
        market.spec,
        Math.max(0, Math.round(market.mark - nav / notionalOf(market.spec, 1, quantity))),
      ),
    }))
}

/** A page of the deals in a symbol or in all, the newest first unless asked otherwise. Throws -1005. */
function listed(deals: readonly Deal[], { query }: VenueCall, rowOf: (deal: Deal) => unknown) {
  const [symbol, order] = [queryText(query, 'symbol'), queryText(query, 'sort_by')]
  const isAscending =
    order !== null && choiceOf(query, 'sort_by', ['ascending', 'descending']) === 'ascending'
  const chosen = deals
    .filter(({ market }) => symbol === null || market.spec.symbol === symbol)
    .sort((a, b) => (a.updatedAtMs - b.updatedAtMs || a.id - b.id) * (isAscending ? 1 : -1))
  const { meta, rows } = pageOf(chosen, query)
  return { meta, rows: rows.map(rowOf) }
}

function orderRow({ id, market, quantity, price, createdAtMs, updatedAtMs, executedAtMs }: Deal) {
  const { spec } = market
  const isFilled = executedAtMs !== null
  const [size, executed] = [Math.abs(quantity), isFilled ? Math.abs(quantity) : 0]
  return {
    order_id: id,
    created_time: createdAtMs,
    updated_time: updatedAtMs,
    type: 'LIMIT',
    symbol: spec.symbol,
    side: sideOf(quantity > 0 ? BUY : SELL),
    quantity: quantityOf(spec, size),
    price: priceOf(spec, price),
    amount: amountOf(notionalOf(spec, price, size)),
    executed_quantity: quantityOf(spec, executed),
    total_executed_quantity: quantityOf(spec, executed),
    average_executed_price: priceOf(spec, isFilled ? price : 0),
    status: isFilled ? 'FILLED' : 'NEW',
    child_orders: [],
  }
}

function tradeOf(deal: Deal, feeRate: number): TradeRow {
  const { id, market, price, realizedPnl, updatedAtMs } = deal
  const quantity = Math.abs(deal.quantity)
  return {
    ...{ id, order: id, market: market.number, price, quantity, realizedPnl, atMs: updatedAtMs },
    side: deal.quantity > 0 ? BUY : SELL,
    fee: Math.ceil(notionalOf(market.spec, price, quantity) * feeRate),
    ...{ enumFee: 0, enumRate: 0, isMaker: true, isolated: false, orderTag: null },
  }
}

function takeoverRow({ id, market, quantity, price, updatedAtMs }: Deal) {
  const { spec } = market
  const notional = notionalOf(spec, price, quantity)
  const fee = shareOf(Math.abs(notional), spec.liquidatorFee)
  return {
    liquidation_id: id,
    timestamp: updatedAtMs,
    type: 'liquidated',
    assigned: 1,
    positions_by_perp: [
      {
        abs_liquidator_fee: amountOf(fee),
        cost_position_transfer: amountOf(notional),
        liquidator_fee: rateOf(Math.round((fee / Math.abs(notional)) * ONE)),
        position_qty: quantityOf(spec, quantity),
        symbol: spec.symbol,
        transfer_price: priceOf(spec, price),
      },
    ],
  }
}

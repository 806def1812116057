import { DAY_MS, MINUTE_MS } from '../../../spec/durations.ts'
import { draw, stream, waveAt } from '../../base/rng.ts'
import { MICRO, ONE, shareOf } from '../../base/units.ts'
import { choiceOf, queryText, shapedPage } from '../../messages/page.ts'
import type { VenueCall, VenueRow } from '../../messages/row.ts'
import { amountOf, priceOf, quantityOf, rateOf, sideOf } from '../../messages/values.ts'
import { notionalOf } from '../../state/markets.ts'
import { BUY, type Market, SELL } from '../../state/state.ts'
import type { Scene } from '../../state/world.ts'
import { type Book, sampleAt } from '../../vaults/book.ts'
import { VAULT_TERMS } from '../../vaults/terms.ts'
import { executionShape } from '../orders/shapes.ts'
import { oneVaultReads, type VaultParts } from './query.ts'

/** The one exchange that vaults trade on. */
const EXCHANGE = 'orderly'
/** A vault opens a position in each of its markets, closes it after a turn, and opens the next after another one. */
const TURN_MS = 1.25 * DAY_MS
/** How many closed positions are shown, the wave of positions that their size follows, and how many are takeovers. */
const CLOSED_SHOWN = 4
const WAVE = 5
const TAKEOVERS = 0.15
const MARKETS_MAX = 1000

/** A change of a vault's position: an order of the vault, or a takeover of a liquidated position. */
type Deal = {
  readonly id: number
  readonly market: Market
  /** Steps; below zero of a sale. */
  readonly quantity: number
  /** Ticks. */
  readonly price: number
  readonly createdAtMs: number
  readonly atMs: number
  readonly realizedPnl: number
  readonly isOpening: boolean
  readonly isTakeover: boolean
  /** The last one is an order that is not executed yet. */
  readonly isExecuted: boolean
}

/** The positions, orders and trades of vaults: functions of seed, time and the prices of the markets. */
export function tradingRows(parts: VaultParts): readonly VenueRow[] {
  const dealsIn = ({ vault, nowMs }: Book) =>
    parts
      .simulation()
      .engine.world.scenes.flatMap((scene) =>
        vault.terms.bases.includes(scene.listed.base)
          ? dealsOf(parts, { vault, nowMs }, scene)
          : [],
      )
  const ordersIn = (book: Book) => dealsIn(book).filter(({ isTakeover }) => !isTakeover)
  const isOpen = ({ isExecuted }: Deal) => !isExecuted
  return oneVaultReads(parts, {
    'vault/positions': (book) => ({ rows: positionRows(dealsIn(book), book) }),
    'vault/open_orders': (book, call) =>
      listed(ordersIn(book).filter(isOpen), call, (deal) => ({
        exchange: EXCHANGE,
        ...orderRow(deal),
        is_triggered: 'false',
      })),
    'vault/order_history': (book, call) =>
      listed(ordersIn(book), call, (deal) => ({ ...orderRow(deal), is_triggered: false })),
    'vault/trade_history': (book, call) =>
      listed(
        ordersIn(book).filter(({ isExecuted }) => isExecuted),
        call,
        (deal) => ({ exchange: EXCHANGE, ...tradeRow(deal, book.vault.terms.feeOfTurnover) }),
      ),
    'vault/liquidator_history': (book, call) =>
      listed(
        dealsIn(book).filter(({ isTakeover }) => isTakeover),
        call,
        takeoverRow,
      ),
  })
}

/** The deals of a vault in one market, oldest first: the first one opens a position, and so does every other one. */
function dealsOf(parts: VaultParts, { vault, nowMs }: Pick<Book, 'vault' | 'nowMs'>, scene: Scene) {
  const { market, listed } = scene
  const path = ['vault', vault.terms.name, market.spec.symbol]
  const [wave, random] = [stream(vault.seed, ...path), stream(vault.seed, ...path, 'deals')]
  const sizeMax =
    (vault.terms.positionUsdc * MICRO) / notionalOf(market.spec, listed.referenceTicks, 1)
  const timeOf = (turn: number) =>
    vault.startedAtMs + Math.floor((turn + draw(random, -1)) * TURN_MS)
  const last = Math.floor((nowMs - timeOf(0)) / TURN_MS)
  // An open order's price follows the market every minute.
  const priceOfTurn = (turn: number) =>
    parts.priceThen(market, turn > last ? Math.floor(nowMs / MINUTE_MS) * MINUTE_MS : timeOf(turn))
  const firstSwing = Math.floor(last / 2) - CLOSED_SHOWN
  const deals: Deal[] = []
  for (let turn = 2 * firstSwing; turn <= last + 1; turn += 1) {
    const swing = Math.floor(turn / 2)
    const isOpening = turn % 2 === 0
    const size = Math.round(sizeMax * waveAt(wave, swing / WAVE)) || 1
    const price = priceOfTurn(turn)
    const won = isOpening ? 0 : price - (deals.at(-1)?.price ?? price)
    deals.push({
      // Below the engine's numbers.
      id: (turn * VAULT_TERMS.length + vault.number) * MARKETS_MAX + market.number,
      ...{ market, price, isOpening, quantity: isOpening ? size : -size },
      createdAtMs: timeOf(turn - 1),
      atMs: turn > last ? Math.floor(nowMs / MINUTE_MS) * MINUTE_MS : timeOf(turn),
      realizedPnl: notionalOf(market.spec, won, size),
      isTakeover: isOpening && turn <= last && draw(random, swing) < TAKEOVERS,
      isExecuted: turn <= last,
    })
  }
  return deals
}

/** The deals that wait to be closed. The liquidation price is the mark at which the loss would use up the vault. */
function positionRows(deals: readonly Deal[], book: Book) {
  const { nav } = sampleAt(book, book.nowMs)
  const closing = deals.filter(({ isOpening, isExecuted }) => !isOpening && !isExecuted)
  return closing.map(({ market, id, quantity }) => {
    const opened = deals.findLast((deal) => deal.market === market && deal.id < id)
    const { spec, mark } = market
    const liquidation = Math.round(mark + nav / notionalOf(spec, 1, quantity))
    return {
      exchange: EXCHANGE,
      symbol: spec.symbol,
      position_qty: quantityOf(spec, -quantity),
      average_open_price: priceOf(spec, opened?.price ?? 0),
      mark_price: priceOf(spec, mark),
      est_liq_price: priceOf(spec, Math.max(0, liquidation)),
    }
  })
}

/** A page of the deals in a symbol or in all, the newest first unless asked otherwise. Throws -1005. */
function listed(deals: readonly Deal[], { query }: VenueCall, rowOf: (deal: Deal) => unknown) {
  const symbol = queryText(query, 'symbol')
  const order = choiceOf(query, 'sort_by', ['descending', 'ascending'], 'descending')
  const chosen = deals
    .filter(({ market }) => symbol === null || market.spec.symbol === symbol)
    .sort((a, b) => (a.atMs - b.atMs || a.id - b.id) * (order === 'ascending' ? 1 : -1))
  return shapedPage(chosen, query, rowOf)
}

function orderRow({ id, market, quantity, price, createdAtMs, atMs, isExecuted }: Deal) {
  const { spec } = market
  const size = Math.abs(quantity)
  const executed = quantityOf(spec, isExecuted ? size : 0)
  return {
    order_id: id,
    created_time: createdAtMs,
    updated_time: atMs,
    type: 'LIMIT',
    symbol: spec.symbol,
    side: sideOf(quantity > 0 ? BUY : SELL),
    quantity: quantityOf(spec, size),
    price: priceOf(spec, price),
    amount: amountOf(notionalOf(spec, price, size)),
    executed_quantity: executed,
    total_executed_quantity: executed,
    average_executed_price: priceOf(spec, isExecuted ? price : 0),
    status: isExecuted ? 'FILLED' : 'NEW',
    child_orders: [],
  }
}

function tradeRow(deal: Deal, feeRate: number) {
  const { id, market, price } = deal
  const quantity = Math.abs(deal.quantity)
  const fee = Math.ceil(notionalOf(market.spec, price, quantity) * feeRate)
  const side = deal.quantity > 0 ? BUY : SELL
  return executionShape({ ...deal, order: id, quantity, fee, side, isMaker: true }, market)
}

function takeoverRow({ id, market, quantity, price, atMs }: Deal) {
  const { spec } = market
  const notional = notionalOf(spec, price, quantity)
  const fee = shareOf(Math.abs(notional), spec.liquidatorFee)
  return {
    liquidation_id: id,
    timestamp: atMs,
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

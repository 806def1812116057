import { MINUTE_MS } from '../../../contract/durations.ts'
import { addToBook } from '../../book/ladder.ts'
import { addOpenOrder, beginOrder, changePending } from '../../book/open-orders.ts'
import type { AlgoRow } from '../../history/algos.ts'
import { type BarRow, barsByStart, toBar } from '../../history/minute-archive.ts'
import type { Market as Listed } from '../../listing/instruments.ts'
import { arm } from '../../orders/conditional/mark.ts'
import { algoSubtree, isAwaitingMark } from '../../orders/conditional/tree.ts'
import {
  accountAt,
  applyLeverage,
  modeKey,
  openAccount,
  openMarketAccount,
} from '../../state/accounts.ts'
import { createExchange, type ExchangeState } from '../../state/exchange.ts'
import { BLOCK_MS, type Trade } from '../../state/market-history.ts'
import { marketSpec, openMarket } from '../../state/markets.ts'
import {
  type Account,
  type AlgoOrder,
  BUY,
  type EngineOrder,
  leftQuantity,
  SELL,
} from '../../state/state.ts'
import type { Playback, TapeToPlay } from '../../state/tape.ts'
import type { EngineWorld, IndexSource, Scene } from '../../state/world.ts'
import { openPlayback } from '../../tape/play.ts'
import type { MarketHistoryRows, Snapshot } from './snapshot.ts'

type AccountRow = Snapshot['accounts'][number]
type SceneRow = Snapshot['scenes'][number]

/** A stored world. Its trades and candles are in `histories`, or in the scenes if version 6 stored it. */
export type StoredWorld = {
  readonly world: Snapshot
  readonly histories?: Readonly<Record<string, StoredHistory>>
}

type StoredHistory = Record<keyof MarketHistoryRows[string], BarRow[]>

/** The data that a world needs in addition to its snapshot. */
type Outside = {
  readonly prices: IndexSource
  readonly tape: TapeToPlay | null
  readonly listings: ReadonlyMap<string, Listed>
}

/** The snapshot of a stored world, with the trades and candles in its scenes. */
export function storedSnapshot({ world, histories }: StoredWorld): Snapshot {
  if (!histories) return world
  const scenes = world.scenes.map((scene, number) => {
    const { trades = [], ...bars } = histories[number] ?? { minutes: [], blocks: [] }
    return { ...scene, history: { ...scene.history, ...bars, trades: trades.map(toTrade) } }
  })
  return { ...world, scenes }
}

function toTrade([id = 0, atMs = 0, side, price = 0, quantity = 0]: BarRow): Trade {
  return { id, atMs, side: side === SELL ? SELL : BUY, price, quantity }
}

/** The world of a snapshot. Throws RangeError if one of its markets does not exist or its tape is missing. */
export function restoreWorld(snapshot: Snapshot, { prices, tape, listings }: Outside): EngineWorld {
  const scenes = restoreScenes(snapshot, listings)
  const exchange = createExchange(scenes.map(({ market }) => market))
  Object.assign(exchange.totals, snapshot.totals)
  for (const move of snapshot.moves) exchange.moves.set(move.id, move)
  for (const [key, rebate] of snapshot.rebates) exchange.rebates.set(key, rebate)
  for (const row of snapshot.accounts) restoreAccount(exchange, row)
  const orders = restoreOrders(exchange, snapshot.scenes)
  for (const row of snapshot.accounts) restoreAlgos(exchange, row, orders)
  for (const [number, { market }] of snapshot.scenes.entries())
    for (const holder of market.holders) {
      const isolated = holder < 0
      const { marketAccounts } = accountAt(exchange, modeKey(holder, isolated))
      const marketAccount = marketAccounts.get(modeKey(number, isolated))
      marketAccount?.market.holders.add(marketAccount)
    }
  exchange.sequence = snapshot.sequence
  const agents = snapshot.agents.map(({ account, quotes, ...agent }) => ({
    ...agent,
    account: accountAt(exchange, account),
    quotes: quotes.map((id) => (id === null ? null : (orders.get(id) ?? null))),
  }))
  const { seed, beginsAtMs, nowMs, counts, factor } = snapshot
  return {
    ...{ seed, beginsAtMs, nowMs, counts, factor, exchange, prices, scenes, agents },
    tape: restoreTape(exchange, snapshot, tape),
    queue: {
      sequence: snapshot.queue.sequence,
      heap: snapshot.queue.heap.map(([atMs, sequence, kind, subject, detail]) => ({
        ...{ atMs, sequence, kind, subject, detail },
      })),
    },
    agentOf: new Map(agents.map((agent) => [agent.account.number, agent])),
    fund: accountAt(exchange, snapshot.fund),
    vaultRequests: snapshot.vaultRequests,
    tokenHolders: new Set(exchange.accounts.filter(({ tokens }) => tokens.size > 0)),
    stale: [],
  }
}

function restoreTape(
  exchange: ExchangeState,
  { tape: row }: Snapshot,
  tape: TapeToPlay | null,
): Playback | null {
  if (!row) return null
  if (!tape) throw new RangeError('the tape of this world is missing')
  const account = accountAt(exchange, row.account)
  return openPlayback(tape, { account, markets: exchange.markets, row })
}

function restoreScenes({ scenes: rows }: Snapshot, listings: ReadonlyMap<string, Listed>): Scene[] {
  return rows.map((row, number) => restoreScene(row, number, listings))
}

function restoreAccount(exchange: ExchangeState, row: AccountRow): void {
  const { marketAccounts, isolatedMarkets, algos, tokens, days, ...fields } = row
  const account = openAccount(exchange, row)
  Object.assign(account, fields)
  account.days.push(...days)
  for (const number of isolatedMarkets) account.isolatedMarkets.add(number)
  for (const [token, amount] of tokens) account.tokens.set(token, amount)
  for (const { market: number, isolated, leverage, ...position } of marketAccounts) {
    const market = exchange.markets[number]
    if (!market) throw new RangeError('no such market')
    const marketAccount = openMarketAccount(account, market, isolated)
    applyLeverage(marketAccount, leverage)
    Object.assign(marketAccount, position)
  }
}

/** The list links of an order that is not in the book. */
const UNCHAINED = { previous: null, next: null, older: null, newer: null } as const

/** Restores orders. They are counted in the order of their ids, and join the book in the stored order. */
function restoreOrders(
  exchange: ExchangeState,
  scenes: readonly SceneRow[],
): Map<number, EngineOrder> {
  const orders = new Map<number, EngineOrder>()
  for (const [number, { market }] of scenes.entries()) {
    for (const { account, isolated, ...row } of market.orders) {
      const { marketAccounts } = accountAt(exchange, account)
      const marketAccount = marketAccounts.get(modeKey(number, isolated))
      if (!marketAccount) throw new RangeError('an order without an account')
      const order = { ...row, marketAccount, level: null, ...UNCHAINED }
      orders.set(order.id, order)
      const { book } = marketAccount.market
      addToBook(order.side === BUY ? book.bids : book.asks, order)
    }
  }
  for (const order of [...orders.values()].sort((a, b) => a.id - b.id)) {
    beginOrder(exchange, order)
    addOpenOrder(order)
    changePending(order, leftQuantity(order))
  }
  return orders
}

function restoreScene(row: SceneRow, number: number, listings: ReadonlyMap<string, Listed>): Scene {
  const { symbol, market: state, history, ...scene } = row
  const listed = listings.get(symbol)
  if (!listed) throw new RangeError(`no market ${symbol}`)
  const { orders, holders, safeHigh, ...fields } = state
  const market = openMarket(number, marketSpec(listed), state.mark)
  Object.assign(market, fields, { safeHigh: safeHigh ?? Number.POSITIVE_INFINITY })
  const minutes = barsByStart(history.minutes.map(toBar), MINUTE_MS)
  const blocks = barsByStart(history.blocks.map(toBar), BLOCK_MS)
  const { trades, minuteStartMs, blockStartMs, archived } = history
  const minute = minutes.get(minuteStartMs) ?? null
  const block = blocks.get(blockStartMs) ?? null
  const bars = { trades, minutes, blocks, minuteStartMs, blockStartMs, minute, block }
  const kept = { ...bars, archived: [...archived], finished: [] }
  // Worlds stored by earlier versions lack a flow and recorded prices.
  const { flow = null, recordedMark = null, recordedRate = null } = scene
  return { ...scene, flow, recordedMark, recordedRate, market, listed, history: kept }
}

/** Restores an account's open algo orders. Arms the orders that wait for the mark price. */
function restoreAlgos(
  exchange: ExchangeState,
  { key, algos }: AccountRow,
  orders: ReadonlyMap<number, EngineOrder>,
): void {
  const account = exchange.byKey.get(key)
  if (!account) throw new RangeError('no such account')
  for (const row of algos) account.algos.set(row.id, restoreAlgo(account, row, null, orders))
  for (const { id, follows } of algos) {
    const algo = account.algos.get(id)
    if (algo && follows !== null) algo.follows = account.algos.get(follows) ?? null
  }
  for (const part of [...account.algos.values()].flatMap(algoSubtree))
    if (isAwaitingMark(part)) arm(exchange, part)
}

function restoreAlgo(
  account: Account,
  row: AlgoRow,
  parent: AlgoOrder | null,
  orders: ReadonlyMap<number, EngineOrder>,
): AlgoOrder {
  const { market, parent: _parent, order, follows: _follows, children, ...terms } = row
  const marketAccount = account.marketAccounts.get(modeKey(market, terms.isolated))
  if (!marketAccount) throw new RangeError('an algo order without an account')
  const algo: AlgoOrder = {
    ...{ ...terms, marketAccount, parent, children: [], follows: null },
    order: order === null ? null : (orders.get(order) ?? null),
  }
  for (const child of children) algo.children.push(restoreAlgo(account, child, algo, orders))
  return algo
}

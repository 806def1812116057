import { restingOrders } from '../../book/ladder.ts'
import { algoRow } from '../../history/algos.ts'
import { type BarRow, barRow } from '../../history/minute-archive.ts'
import type { Bar } from '../../past/bar.ts'
import { modeKey } from '../../state/accounts.ts'
import type { MarketHistory, Trade } from '../../state/market-history.ts'
import type { Account, EngineOrder, MarketAccount } from '../../state/state.ts'
import { playbackRow } from '../../state/tape.ts'
import type { Agent, EngineWorld, Scene } from '../../state/world.ts'

/** The state of a world as plain data, without recorded prices. */
export type Snapshot = ReturnType<typeof worldSnapshot>

/** The trades and candles of the markets as rows, by market number. */
export type MarketHistoryRows = Readonly<Record<string, ReturnType<typeof savedHistory>>>

/** The plain data of a world, without values that can be derived. */
export function worldSnapshot(world: EngineWorld) {
  const { accounts, scenes: _, agents, ...head } = snapshotRows(world)
  const scenes = world.scenes.map(sceneRow)
  return { ...head, accounts: [...accounts], scenes, agents: [...agents] }
}

/**
 * The same data without trades and candles. The rows of long lists are created while they are read; until then the
 * world must not change.
 */
export function snapshotRows(world: EngineWorld) {
  const { exchange, factor, queue } = world
  return {
    seed: world.seed,
    beginsAtMs: world.beginsAtMs,
    nowMs: world.nowMs,
    counts: world.counts,
    sequence: exchange.sequence,
    totals: exchange.totals,
    moves: [...exchange.moves.values()],
    rebates: [...exchange.rebates],
    factor,
    queue: {
      sequence: queue.sequence,
      heap: queue.heap.map((e) => [e.atMs, e.sequence, e.kind, e.subject, e.detail] as const),
    },
    fund: world.fund.number,
    accounts: exchange.accounts.values().map(accountRow),
    scenes: world.scenes.values().map(restingScene),
    vaultRequests: world.vaultRequests,
    ...(world.tape && { tape: playbackRow(world.tape) }),
    agents: world.agents.values().map(agentRow),
  }
}

function agentRow({ account, quotes, ...agent }: Agent) {
  return {
    ...agent,
    account: account.number,
    quotes: quotes.map((order) => (order?.level ? order.id : null)),
  }
}

function accountRow({ open, clientIds, algos, used, marketAccounts, ...account }: Account) {
  const { tokens, isolatedMarkets } = account
  return {
    ...account,
    isolatedMarkets: [...isolatedMarkets],
    algos: Array.from(algos.values(), algoRow),
    tokens: [...tokens],
    marketAccounts: used.map(marketAccountRow),
  }
}

function marketAccountRow(marketAccount: MarketAccount) {
  const { market, quantity, cost, averageOpen, settlePrice, accruedFunding, life } = marketAccount
  const { updatedAtMs, sequence, isolated, margin, leverage } = marketAccount
  const position = { quantity, cost, averageOpen, settlePrice, accruedFunding, life }
  const rest = { updatedAtMs, sequence, isolated, margin, leverage }
  return { market: market.number, ...position, ...rest }
}

/** A scene with its trades and candles. */
function sceneRow(scene: Scene) {
  const { trades, minutes, blocks } = scene.history
  const { history, ...row } = restingScene(scene)
  return {
    ...row,
    history: { trades, minutes: barRows(minutes), blocks: barRows(blocks), ...history },
  }
}

function restingScene({ market, listed, history, ...scene }: Scene) {
  const { status, index, mark, last, openInterest, safeLow, sumUnitary, book } = market
  const { minuteStartMs, blockStartMs, archived } = history
  return {
    ...scene,
    symbol: listed.symbol,
    market: {
      ...(market.isAway && { isAway: true }),
      ...{ status, index, mark, last, openInterest, safeLow, sumUnitary },
      // JSON cannot express infinity.
      safeHigh: Number.isFinite(market.safeHigh) ? market.safeHigh : null,
      holders: Array.from(market.holders, ({ account, isolated }) =>
        modeKey(account.number, isolated),
      ),
      orders: [...restingOrders(book.bids), ...restingOrders(book.asks)].map(orderRow),
    },
    history: { minuteStartMs, blockStartMs, archived },
  }
}

/**
 * The trades and candles of a world's markets at this moment. The rows are created while they are read, and the world
 * may change before that.
 */
export function marketHistoryRows({ scenes }: EngineWorld): MarketHistoryRows {
  return Object.fromEntries(scenes.map(({ history }, number) => [number, savedHistory(history)]))
}

function savedHistory({ trades, minutes, blocks, minute, block }: MarketHistory) {
  return {
    trades: trades.slice().values().map(tradeRow),
    minutes: finalBars(minutes, minute).map(barRow),
    blocks: finalBars(blocks, block).map(barRow),
  }
}

/** A list of bars that later trades do not change. They change only the current bar, so it is copied. */
function finalBars(bars: ReadonlyMap<number, Bar>, current: Bar | null) {
  return Array.from(bars.values(), (bar) => (bar === current ? { ...bar } : bar)).values()
}

function tradeRow({ id, atMs, side, price, quantity }: Trade): BarRow {
  return [id, atMs, side, price, quantity]
}

function barRows(bars: ReadonlyMap<number, Bar>): BarRow[] {
  return Array.from(bars.values(), barRow)
}

function orderRow({ level, previous, next, older, newer, marketAccount, ...order }: EngineOrder) {
  const { account, isolated } = marketAccount
  return { ...order, account: account.number, isolated }
}

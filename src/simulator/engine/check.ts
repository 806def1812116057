import { sha256Hex } from '../../core/digest.ts'
import { visibleQuantity, worseThan } from '../book/ladder.ts'
import { openOrderList } from '../book/open-orders.ts'
import { USDC } from '../ledger/balances.ts'
import { accountMargin } from '../margin/margin.ts'
import { isCrossFailing, isIsolatedFailing } from '../margin/solvency.ts'
import { partsIn } from '../orders/conditional/place.ts'
import { algoSubtree, isAlive, isAwaitingMark } from '../orders/conditional/tree.ts'
import type { ExchangeState } from '../state/exchange.ts'
import type { MarketStatus } from '../state/market-spec.ts'
import {
  type AlgoOrder,
  BUY,
  type EngineLevel,
  type EngineMarket,
  type EngineOrder,
  isOpen,
  type Ladder,
  leftQuantity,
  type MarketAccount,
  SELL,
  type SideSign,
} from '../state/state.ts'
import type { EngineWorld } from '../state/world.ts'
import { worldSnapshot } from './persist/snapshot.ts'

/** The violated invariants of an exchange, one sentence each; empty for a consistent one. Changes nothing. */
export function checkExchange(exchange: ExchangeState): string[] {
  return [
    ...checkMoney(exchange),
    ...checkTokens(exchange),
    ...exchange.markets.flatMap((market) => checkMarket(exchange, market)),
    ...checkOrders(exchange),
    ...checkIsolated(exchange),
    ...checkAlgos(exchange),
    ...checkSolvency(exchange),
  ]
}

/**
 * Checks that balances, margins, costs, pending moves of money, fees and rounding add up to deposits minus withdrawals.
 */
function checkMoney({ accounts, totals, moves }: ExchangeState): string[] {
  let held = totals.fees + totals.rounding + amountInTransit(moves, USDC)
  for (const { holding, marketAccounts } of accounts) {
    held += holding
    for (const { cost, margin } of marketAccounts.values()) held += margin - cost
  }
  const due = totals.deposits - totals.withdrawals
  return held === due ? [] : [`money: ${held} held, ${due} paid in`]
}

/** Checks, for each token except USDC, that balances and pending moves add up to deposits minus withdrawals. */
function checkTokens({ accounts, totals, moves }: ExchangeState): string[] {
  const tokens = new Set([
    ...Object.keys(totals.tokens),
    ...accounts.flatMap((account) => [...account.tokens.keys()]),
  ])
  return [...tokens].flatMap((token) => {
    const held = accounts.reduce((sum, account) => sum + (account.tokens.get(token) ?? 0), 0)
    const [all, due] = [held + amountInTransit(moves, token), totals.tokens[token] ?? 0]
    return all === due ? [] : [`${token}: ${all} held, ${due} paid in`]
  })
}

function amountInTransit(moves: ExchangeState['moves'], token: string): number {
  let sum = 0
  for (const move of moves.values())
    if (move.kind !== 'settling' && move.token === token) sum += move.amount
  return sum
}

function checkMarket({ accounts }: ExchangeState, market: EngineMarket): string[] {
  const { symbol } = market.spec
  let sum = 0
  let long = 0
  for (const { used } of accounts)
    for (const {
      market: { number },
      quantity,
    } of used) {
      if (number !== market.number) continue
      sum += quantity
      long += Math.max(0, quantity)
    }
  const { bids, asks } = market.book
  return [
    ...(sum === 0 ? [] : [`${symbol}: positions sum to ${sum}`]),
    ...(long === market.openInterest ? [] : [`${symbol}: open interest ${market.openInterest}`]),
    ...(bids.best && asks.best && bids.best.price >= asks.best.price
      ? [`${symbol}: crossed at ${bids.best.price} and ${asks.best.price}`]
      : []),
    ...(TAKES_NONE.has(market.status) && bids.orders + asks.orders > 0
      ? [`${symbol}: orders rest in a market that is ${market.status}`]
      : []),
    ...[bids, asks].flatMap((ladder) => checkLadder(symbol, ladder)),
  ]
}

const TAKES_NONE: ReadonlySet<MarketStatus> = new Set(['DELISTING', 'DELISTED'])

function checkLadder(symbol: string, ladder: Ladder): string[] {
  const levels = ladderLevels(ladder)
  const orders = levels.reduce((sum, level) => sum + levelOrders(level).length, 0)
  const isLinked = orders === ladder.orders && levels.length === ladder.levels.size
  return [
    ...levels.flatMap((level) => checkLevel(symbol, level)),
    ...(isLinked ? [] : [`${symbol}: ${orders} orders at ${levels.length} levels are linked`]),
  ]
}

function checkLevel(symbol: string, level: EngineLevel): string[] {
  const orders = levelOrders(level)
  const shown = orders.reduce((sum, order) => sum + visibleQuantity(order), 0)
  const isWrong = (order: EngineOrder) =>
    order.level !== level || order.price !== level.price || leftQuantity(order) <= 0
  return [
    ...(shown === level.shown ? [] : [`${symbol}: ${level.price} shows ${level.shown}`]),
    ...orders.filter(isWrong).map(({ id }) => `${symbol}: order ${id} rests wrongly`),
  ]
}

function ladderLevels({ best }: Ladder): EngineLevel[] {
  const levels: EngineLevel[] = []
  for (let level = best; level; level = worseThan(level)) levels.push(level)
  return levels
}

function levelOrders({ head }: EngineLevel): EngineOrder[] {
  const orders: EngineOrder[] = []
  for (let order = head; order; order = order.next) orders.push(order)
  return orders
}

/**
 * Checks that an account's pending sums in a market equal the sums of its open orders. All open orders rest in the
 * book.
 */
function checkOrders({ accounts }: ExchangeState): string[] {
  return accounts.flatMap((account) => {
    const { marketAccounts } = account
    const orders = openOrderList(account)
    return [
      ...orders
        .filter(({ level, executed, quantity }) => !level || executed > quantity)
        .map(({ id }) => `order ${id} is open but does not rest, or is overfilled`),
      ...(orders.length === account.open.size
        ? []
        : [`account ${account.number}: ${orders.length} open orders of ${account.open.size}`]),
      ...marketAccounts.values().flatMap((marketAccount) => checkPending(marketAccount, orders)),
    ]
  })
}

function checkPending(marketAccount: MarketAccount, open: readonly EngineOrder[]): string[] {
  const own = open.filter((order) => order.marketAccount === marketAccount)
  const pending = (side: SideSign) =>
    own.reduce(
      (sum, order) => sum + (order.side === side && !order.reduceOnly ? leftQuantity(order) : 0),
      0,
    )
  const { buys, sells, orders, account } = marketAccount
  return pending(BUY) === buys && pending(SELL) === sells && own.length === orders
    ? []
    : [`account ${account.number}: pending ${buys} and ${sells} of ${orders} orders`]
}

/**
 * Checks that only isolated positions have separate margin. Isolated orders must reserve at least 0 of the collateral,
 * cross orders exactly 0.
 */
function checkIsolated({ accounts }: ExchangeState): string[] {
  return accounts.flatMap((account) => {
    accountMargin(account)
    return account.used
      .filter(({ isolated, quantity, margin, cost, frozen }) => {
        const isHeld = isolated && quantity !== 0
        const isFlat = isolated && quantity === 0
        return (
          (margin !== 0 && !isHeld) ||
          (cost !== 0 && isFlat) ||
          frozen < 0 ||
          (frozen > 0 && !isolated)
        )
      })
      .map(({ market }) => `account ${account.number}: isolated margin in ${market.spec.symbol}`)
  })
}

/** Checks that no account is below its maintenance margin unless it is about to be liquidated. */
function checkSolvency({ accounts, failing }: ExchangeState): string[] {
  return accounts.flatMap((account) => {
    if (account.kind === 'fund' || failing.has(account)) return []
    const failed = isCrossFailing(accountMargin(account))
    const isolated = account.marketAccounts
      .values()
      .some((marketAccount) => marketAccount.isolated && isIsolatedFailing(marketAccount))
    return failed || isolated ? [`account ${account.number} is below its maintenance margin`] : []
  })
}

/** The SHA-256, in hex, of all state that determines a world's future. Worlds with equal hashes behave equally. */
export function worldHash(world: EngineWorld): string {
  return sha256Hex(JSON.stringify(worldSnapshot(world)))
}

/** The violated invariants of algo orders, one sentence each. Changes nothing. */
function checkAlgos({ accounts, markets, triggered }: ExchangeState): string[] {
  return [
    ...accounts.flatMap(({ algos }) => [...algos.values()].flatMap(checkRoot)),
    ...accounts.flatMap(partsIn).flatMap((part) => (triggered.has(part) ? [] : checkPart(part))),
    ...markets.flatMap(({ armed }) =>
      [...armed]
        .filter((part) => !isAwaitingMark(part))
        .map(({ id }) => `algo ${id} is armed and over`),
    ),
  ]
}

/** Checks that an open algo order has an open part and that its parts refer to it. */
function checkRoot(root: AlgoOrder): string[] {
  const isWrong = (algo: AlgoOrder) => algo.children.some(({ parent }) => parent !== algo)
  return [
    ...(algoSubtree(root).some(isAlive) ? [] : [`algo ${root.id} is open and over`]),
    ...(root.parent === null ? [] : [`algo ${root.id} is a root and a leg`]),
    ...algoSubtree(root)
      .filter(isWrong)
      .map(({ id }) => `algo ${id} has legs of another`),
  ]
}

/** Checks that a sent order is open, and that a waiting part is armed and its trigger not yet reached. */
function checkPart(part: AlgoOrder): string[] {
  const { id, marketAccount, order, trigger, isAbove } = part
  const { mark, armed, idleLow, idleHigh } = marketAccount.market
  if (order && !isOpen(order)) return [`algo ${id} has an order that is over`]
  if (armed.has(part) !== isAwaitingMark(part)) return [`algo ${id} waits, but looks at no mark`]
  if (!armed.has(part) || !part.isActivated) return []
  if (isAbove ? mark >= trigger : mark <= trigger) return [`algo ${id} was not triggered`]
  const isAsleep = isAbove ? idleHigh > trigger : idleLow < trigger
  return isAsleep ? [`algo ${id} would miss its trigger`] : []
}

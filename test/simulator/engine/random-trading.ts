import { createRng, randomAt, randomStream } from '../../../src/simulator/base/rng.ts'
import { createWorld } from '../../../src/simulator/engine/run.ts'
import { liquidate } from '../../../src/simulator/liquidation/liquidate.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { hasAlgoUpdates, settleAlgos } from '../../../src/simulator/orders/conditional/settle.ts'
import {
  BASE_FEES,
  deposit,
  openAccount,
  openMarketAccount,
} from '../../../src/simulator/state/accounts.ts'
import type {
  Account,
  AlgoOrder,
  EngineMarket,
  EngineOrder,
  MarketAccount,
  SideSign,
} from '../../../src/simulator/state/state.ts'
import type { EngineWorld } from '../../../src/simulator/state/world.ts'
import { settleAlgos as settleAlgosAnew } from './reference/algo-settle.ts'
import * as algos from './reference/algos.ts'
import * as book from './reference/book.ts'
import { liquidateAll } from './reference/liquidation.ts'
import type { State } from './reference/takeover.ts'

const SYMBOLS = ['PERP_BTC_USDC', 'PERP_DOGE_USDC', 'PERP_1000PEPE_USDC']
/** What each owner begins with; the last two also take over what is liquidated. */
const USDC = [...Array(6).fill(5_000), ...Array(6).fill(700), 150_000, 150_000] as number[]
const LIQUIDATORS = 2
/** So little that the insurance fund can not carry everything. */
const FUND_USDC = 500
/** Prices stay in this many ticks of the mark, so that orders meet. */
const REACH = 0.004
const MICRO = 1_000_000

/** The engine and the reference side by side: the same accounts and markets, and one source of chance. */
export type Trading = {
  readonly world: EngineWorld
  readonly markets: readonly EngineMarket[]
  /** Who trades: all but the insurance fund. */
  readonly accounts: readonly Account[]
  readonly ref: book.Reference
  readonly refAlgos: algos.Algos
  readonly state: State
  /** Both sides' open orders, and the parts of open algo orders, in the order of their placing. */
  readonly orders: Map<EngineOrder, book.RefOrder>
  readonly algos: Map<AlgoOrder, algos.RefAlgo>
  readonly rng: () => number
  readonly pick: <T>(of: readonly T[]) => T
  readonly priceNear: (market: EngineMarket, side: SideSign) => number
  readonly quantityOf: (market: EngineMarket) => number
}

/** A world in which nobody trades by himself, and the reference beside it. */
export function openTrading(seed: number): Trading {
  const listed = SYMBOLS.flatMap((symbol) => MARKETS.get(symbol) ?? [])
  const prices = { kind: 'seeded' } as const
  const world = createWorld({ seed, beginsAtMs: 0, prices, listed, populate: false })
  const { exchange, fund } = world
  const { markets } = exchange
  // Marks move when the test says so, not by trades.
  exchange.observers.length = 0
  deposit(exchange, fund, FUND_USDC * MICRO - fund.holding)
  const accounts = USDC.map((usdc, at) => {
    const account = openAccount(exchange, {
      key: `${at}`,
      fees: BASE_FEES,
      leverage: book.LEVERAGE,
    })
    deposit(exchange, account, usdc * MICRO)
    for (const market of markets)
      for (const isolated of book.MODES) openMarketAccount(account, market, isolated)
    return account
  })
  for (const account of accounts.slice(-LIQUIDATORS)) hire(world, account)
  const holdings = exchange.accounts.map(({ holding }) => holding)
  const ref = book.createReference(markets, holdings)
  const refAlgos: algos.Algos = { ref, all: [], sequence: 0 }
  ref.hasAlgos = (slot) => algos.openRoots(refAlgos, slot).length > 0
  const liquidators = accounts.slice(-LIQUIDATORS).map(({ number }) => number)
  const counts = { cross: 0, isolated: 0, adl: 0 }
  const state = { algos: refAlgos, fund: fund.number, liquidators, counts }
  return {
    ...{ world, markets, accounts, ref, refAlgos, state },
    orders: new Map(),
    algos: new Map(),
    ...seededRandom(seed),
  }
}

function hire({ agents }: EngineWorld, account: Account): void {
  agents.push({
    ...{ number: agents.length, role: 'liquidator', account, market: 0, stake: 0, purse: 0 },
    ...{ rng: createRng(1, account.key), rank: 0, quotes: [], anchor: 0, isAwake: false },
  })
}

function seededRandom(seed: number) {
  const source = randomStream(seed, 'random-trading')
  let draws = 0
  const rng = () => randomAt(source, draws++)
  return {
    rng,
    pick: <T>(of: readonly T[]): T => {
      const chosen = of[Math.floor(rng() * of.length)]
      if (chosen === undefined) throw new Error('nothing to pick from')
      return chosen
    },
    priceNear: ({ mark }: EngineMarket, side: SideSign): number => {
      const away = rng() < 0.05 ? 0.2 : REACH
      return Math.max(1, Math.round(mark * (1 - side * (rng() - 0.3) * away)))
    },
    quantityOf: ({ spec, mark }: EngineMarket): number => {
      const usdc = rng() < 0.03 ? rng() * 400_000 : 8 + rng() * 6000
      return Math.max(1, Math.round((usdc * 1e6) / (mark * spec.unit)))
    },
  }
}

/** Draws on both sides what follows from an operation: liquidations, the lowest account first, then algo orders. */
export function settleBoth({ world, refAlgos, state }: Trading, atMs: number): void {
  const { exchange } = world
  while (exchange.failing.size > 0 || hasAlgoUpdates(exchange)) {
    while (exchange.failing.size > 0) {
      const [first] = [...exchange.failing].sort((a, b) => a.number - b.number)
      if (first) liquidate(world, first, atMs)
    }
    if (hasAlgoUpdates(exchange)) settleAlgos(exchange, atMs)
  }
  settleAlgosAnew(refAlgos, () => liquidateAll(state))
}

/** Drops what is over on both sides. */
export function prune(trading: Trading): void {
  const { orders, ref, refAlgos } = trading
  for (const order of orders.keys()) if (!order.level) orders.delete(order)
  for (const [algo, expected] of trading.algos)
    if (!algos.isAlive(expected)) trading.algos.delete(algo)
  ref.orders.splice(0, ref.orders.length, ...book.openOrders(ref))
  const kept = new Set(algos.openRoots(refAlgos).flatMap(algos.partsOf))
  refAlgos.all.splice(0, refAlgos.all.length, ...refAlgos.all.filter((algo) => kept.has(algo)))
}

/** Everything that both know, in the same words. */
export function statesOf({ world, markets, ref, orders, algos: open }: Trading) {
  const { accounts } = world.exchange
  const got = accounts.map((account) => [
    account.holding,
    account.tokens.get('USDT') ?? 0,
    ...markets.flatMap((market) =>
      book.MODES.map((isolated) => positionText(openMarketAccount(account, market, isolated))),
    ),
  ])
  const expected = accounts.map((_, owner) => [
    Number(ref.holdings[owner]),
    Number(ref.tethers[owner]),
    ...markets.flatMap(({ number }) =>
      book.slotsOf(owner, number).map((slot) => positionText(book.positionOf(ref, slot))),
    ),
  ])
  return {
    got: [got, [...orders.keys()].map(orderOf), [...open.keys()].map(algoOf)],
    expected: [expected, [...orders.values()].map(refOrderOf), [...open.values()].map(refAlgoOf)],
  }
}

function positionText(position: MarketAccount | book.RefPosition): string {
  const { quantity, cost, averageOpen, margin } = position
  return [quantity, cost, averageOpen, margin].join()
}

export function orderOf({ status, executed, fee, realizedPnl, price, quantity }: EngineOrder) {
  return [status, executed, fee, realizedPnl, price, quantity].join()
}

export function refOrderOf(order: book.RefOrder) {
  const { status, executed, fee, realizedPnl, price, quantity } = order
  return [status, executed, fee, realizedPnl, price, quantity].join()
}

function algoOf(algo: AlgoOrder): string {
  const { status, quantity, trigger, triggeredAtMs, parent, executed, order } = algo
  const whole = executed + (order?.executed ?? 0)
  return [status, quantity, trigger, triggeredAtMs !== null, parent !== null, whole].join()
}

function refAlgoOf(algo: algos.RefAlgo): string {
  const { status, quantity, trigger, wasTriggered, parent } = algo
  const whole = algos.executedOf(algo)
  return [status, quantity, trigger, wasTriggered, parent !== null, whole].join()
}

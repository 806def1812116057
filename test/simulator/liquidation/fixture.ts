import { settleWorld } from '../../../src/simulator/engine/run.ts'
import { accountMargin } from '../../../src/simulator/margin/margin.ts'
import { fillPosition } from '../../../src/simulator/margin/positions.ts'
import { checkAccountSolvency } from '../../../src/simulator/margin/solvency.ts'
import { setMark } from '../../../src/simulator/prices/set-mark.ts'
import {
  BASE_FEES,
  deposit,
  isIsolatedByDefault,
  openAccount,
  openMarketAccount,
} from '../../../src/simulator/state/accounts.ts'
import { notionalAt } from '../../../src/simulator/state/markets.ts'
import type { Liquidation } from '../../../src/simulator/state/observer.ts'
import type { Account, EngineMarket, MarketAccount } from '../../../src/simulator/state/state.ts'
import { smallWorld } from '../engine/worlds.ts'

export const USDC = 1_000_000

/** A world that stands still, with accounts that hold what they are given against a rich counterpart. */
export function openFixture() {
  const world = smallWorld(1, ['BTC', 'ETH', 'SUI', 'XRP'])
  const { exchange } = world
  const records: Liquidation[] = []
  exchange.observers.push({ liquidated: (record) => records.push(record) })
  const other = account('other', 50_000_000)

  function account(key: string, usdc: number): Account {
    const opened = openAccount(exchange, { key, fees: BASE_FEES, leverage: 10 })
    deposit(exchange, opened, usdc * USDC)
    return opened
  }

  function marketOf(base: string): EngineMarket {
    const market = exchange.bySymbol.get(`PERP_${base}_USDC`)
    if (!market) throw new Error(`no ${base}`)
    return market
  }

  /** Gives a position in the owner's default margin mode, worth so many USDC at the mark; below zero, a short one. */
  function give(owner: Account, base: string, usdc: number, against = other): void {
    const market = marketOf(base)
    const quantity = Math.round((usdc * USDC) / notionalAt(market.spec, market.mark, 1))
    const fill = { price: market.mark, fee: 0, atMs: 0 }
    fillPosition(exchange, ownIn(owner, market), { ...fill, quantity })
    fillPosition(exchange, ownIn(against, market), { ...fill, quantity: -quantity })
    for (const changed of [owner, against]) checkAccountSolvency(exchange, changed)
  }

  function move(base: string, share: number): void {
    const market = marketOf(base)
    setMark(exchange, market, Math.round(market.mark * (1 + share)), 1)
    settleWorld(world, 1)
  }

  const equity = (owner: Account) => accountMargin(owner).collateral
  return { world, exchange, records, other, account, marketOf, give, move, equity }
}

/** What an account has in a market in its default margin mode. */
export function ownIn(owner: Account, market: EngineMarket): MarketAccount {
  return openMarketAccount(owner, market, isIsolatedByDefault(owner, market))
}

export function quantityOf(owner: Account, market: EngineMarket): number {
  return ownIn(owner, market).quantity
}

import { cancel, openOf } from '../book/open-orders.ts'
import { fillPosition } from '../margin/positions.ts'
import { checkStatus } from '../orders/checks.ts'
import { cancelAlgo } from '../orders/conditional/tree.ts'
import type { Exchange } from '../state/exchange.ts'
import type { MarketStatus } from '../state/market-spec.ts'
import type { Account, Market, MarketAccount } from '../state/state.ts'

/**
 * Changes which orders a market takes. Those that it would take no longer are cancelled, but for a halt, after which
 * they go on. A delisted market's positions are closed against each other at the mark, without fees.
 */
export function setStatus(
  exchange: Exchange,
  market: Market,
  status: MarketStatus,
  atMs: number,
): void {
  market.status = status
  if (status === 'PENDING') return
  for (const account of exchange.accounts) {
    cancelUnwelcome(exchange, account, market, atMs)
    if (isEnding(status)) cancelWaiting(exchange, account, market, atMs)
  }
  if (status === 'DELISTED')
    for (const marketAccount of [...market.holders]) closeAtMark(exchange, marketAccount, atMs)
}

function isEnding(status: MarketStatus): boolean {
  return status === 'DELISTING' || status === 'DELISTED'
}

function cancelWaiting(exchange: Exchange, { algos }: Account, market: Market, atMs: number): void {
  for (const algo of [...algos.values()])
    if (algo.marketAccount.market === market) cancelAlgo(exchange, algo, atMs)
}

function cancelUnwelcome(exchange: Exchange, account: Account, market: Market, atMs: number) {
  for (const order of openOf(account)) {
    const { marketAccount, type, reduceOnly } = order
    if (marketAccount.market === market && checkStatus({ market, type, reduceOnly }))
      cancel(exchange, order, atMs)
  }
}

function closeAtMark(exchange: Exchange, marketAccount: MarketAccount, atMs: number): void {
  const { quantity, market } = marketAccount
  fillPosition(exchange, marketAccount, { quantity: -quantity, price: market.mark, fee: 0, atMs })
}

import { cancelAlgo } from './algo/end.ts'
import type { Exchange } from './exchange.ts'
import type { MarketStatus } from './market-spec.ts'
import { openOf } from './orders/chain.ts'
import { checkStatus } from './orders/checks.ts'
import { cancel } from './orders/open.ts'
import { fillPosition } from './positions/fill.ts'
import type { Account, Exposure, Market } from './state.ts'

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
    for (const exposure of [...market.holders]) closeAtMark(exchange, exposure, atMs)
}

function isEnding(status: MarketStatus): boolean {
  return status === 'DELISTING' || status === 'DELISTED'
}

function cancelWaiting(exchange: Exchange, { algos }: Account, market: Market, atMs: number): void {
  for (const algo of [...algos.values()])
    if (algo.exposure.market === market) cancelAlgo(exchange, algo, atMs)
}

function cancelUnwelcome(exchange: Exchange, account: Account, market: Market, atMs: number) {
  for (const order of openOf(account)) {
    const { exposure, type, reduceOnly } = order
    if (exposure.market === market && checkStatus({ market, type, reduceOnly }))
      cancel(exchange, order, atMs)
  }
}

function closeAtMark(exchange: Exchange, exposure: Exposure, atMs: number): void {
  const { quantity, market } = exposure
  fillPosition(exchange, exposure, { quantity: -quantity, price: market.mark, fee: 0, atMs })
}

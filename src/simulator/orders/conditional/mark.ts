import type { ExchangeState } from '../../state/exchange.ts'
import { movedPrice } from '../../state/markets.ts'
import { type AlgoOrder, type EngineMarket, SELL } from '../../state/state.ts'

/** Arms an algo order, so that its trigger is compared with the mark price. */
export function arm(exchange: ExchangeState, algo: AlgoOrder): void {
  const { market } = algo.marketAccount
  market.armed.add(algo)
  checkAlgoTrigger(exchange, market, algo)
}

export function disarm(algo: AlgoOrder): void {
  algo.marketAccount.market.armed.delete(algo)
}

/**
 * Compares a market's armed algo orders with the mark price, if the price is outside the range in which all orders stay
 * idle.
 */
export function checkAlgoTriggers(exchange: ExchangeState, market: EngineMarket): void {
  const { armed, mark } = market
  if (armed.size === 0 || (mark > market.idleLow && mark < market.idleHigh)) return
  market.idleLow = 0
  market.idleHigh = Number.POSITIVE_INFINITY
  for (const algo of armed) checkAlgoTrigger(exchange, market, algo)
}

/**
 * Triggers an algo order if the mark price has reached its trigger. Otherwise narrows the range of mark prices in which
 * all algo orders stay idle.
 */
function checkAlgoTrigger(exchange: ExchangeState, market: EngineMarket, algo: AlgoOrder): void {
  const { mark } = market
  if (algo.algoType === 'TRAILING_STOP') updateTrailingStop(algo, mark)
  if (!algo.isActivated) {
    narrowIdleRange(market, algo.activation, algo.side === SELL)
    return
  }
  if (algo.isAbove ? mark >= algo.trigger : mark <= algo.trigger) {
    disarm(algo)
    exchange.triggered.add(algo)
    return
  }
  narrowIdleRange(market, algo.trigger, algo.isAbove)
  if (algo.algoType === 'TRAILING_STOP')
    narrowIdleRange(market, algo.extreme + algo.side * -1, !algo.isAbove)
}

/** Updates a trailing stop: from its activation price on, its trigger follows the best mark price. */
function updateTrailingStop(algo: AlgoOrder, mark: number): void {
  const { side, activation } = algo
  if (!algo.isActivated) {
    algo.isActivated = activation === 0 || (side === SELL ? mark >= activation : mark <= activation)
    if (!algo.isActivated) return
    algo.extreme = mark
  }
  algo.extreme = side === SELL ? Math.max(algo.extreme, mark) : Math.min(algo.extreme, mark)
  algo.trigger = triggerBehind(algo)
}

function triggerBehind({ extreme, side, callbackRate, callbackTicks }: AlgoOrder): number {
  const behind =
    callbackTicks > 0 ? extreme + side * callbackTicks : movedPrice(extreme, side, callbackRate)
  return Math.max(1, behind)
}

/** Narrows the range of mark prices within which no algo order reacts. */
function narrowIdleRange(market: EngineMarket, price: number, isAbove: boolean): void {
  if (isAbove) market.idleHigh = Math.min(market.idleHigh, price)
  else market.idleLow = Math.max(market.idleLow, price)
}

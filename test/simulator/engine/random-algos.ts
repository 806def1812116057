import { type AlgoRequest, PLAIN_ALGO } from '../../../src/simulator/state/algo-terms.ts'
import { BUY, type EngineMarket, SELL, type SideSign } from '../../../src/simulator/state/state.ts'

/** Draws for one algo order: chance in [0, 1), one of several, a price within reach, a size. */
export type Draws = {
  readonly rng: () => number
  readonly pick: <T>(of: readonly T[]) => T
  readonly priceNear: (market: EngineMarket, side: SideSign) => number
  readonly quantityOf: (market: EngineMarket) => number
}

/** How far triggers are from the mark. */
const REACH = 0.006
const KINDS = [
  'STOP',
  'STOP',
  'TP_SL',
  'TP_SL',
  'POSITIONAL_TP_SL',
  'BRACKET',
  'TRAILING_STOP',
] as const

/** An algo order of any kind, near the mark. */
export function randomAlgo(draws: Draws, market: EngineMarket): AlgoRequest {
  const { rng, pick, priceNear, quantityOf } = draws
  const side: SideSign = rng() < 0.5 ? BUY : SELL
  const algoType = pick(KINDS)
  const isolated = rng() < 0.1 ? rng() < 0.5 : null
  const quantity = quantityOf(market)
  const type = rng() < 0.4 ? 'LIMIT' : 'MARKET'
  const price = type === 'LIMIT' ? priceNear(market, side) : 0
  const own = { ...PLAIN_ALGO, side, isolated, quantity, type, price } as const
  const reduceOnly = rng() < 0.4
  switch (algoType) {
    case 'STOP':
      return { ...own, algoType, trigger: triggerNear(draws, market), reduceOnly }
    case 'TRAILING_STOP':
      return { ...own, algoType, type: 'MARKET', price: 0, ...callback(draws, market), reduceOnly }
    case 'TP_SL':
      return { ...groupOf(draws, market, algoType, side, quantity), isolated }
    case 'POSITIONAL_TP_SL':
      return { ...groupOf(draws, market, algoType, side, 0), isolated }
    case 'BRACKET': {
      const legType = rng() < 0.5 ? 'TP_SL' : 'POSITIONAL_TP_SL'
      const closes: SideSign = side === BUY ? SELL : BUY
      const leg = groupOf(draws, market, legType, closes, legType === 'TP_SL' ? quantity : 0)
      return { ...own, algoType, children: [leg] }
    }
  }
}

function groupOf(
  draws: Draws,
  market: EngineMarket,
  algoType: 'TP_SL' | 'POSITIONAL_TP_SL',
  side: SideSign,
  quantity: number,
): AlgoRequest {
  const { rng, pick, priceNear } = draws
  const legs = pick([['TAKE_PROFIT', 'STOP_LOSS'], ['TAKE_PROFIT'], ['STOP_LOSS']] as const)
  const own = { ...PLAIN_ALGO, side, quantity, reduceOnly: true }
  const children = legs.map((leg) => {
    const isLimit = algoType === 'TP_SL' && rng() < 0.4
    const type = algoType === 'POSITIONAL_TP_SL' ? 'CLOSE_POSITION' : isLimit ? 'LIMIT' : 'MARKET'
    const price = isLimit ? priceNear(market, side) : 0
    return { ...own, algoType: leg, type, price, trigger: triggerNear(draws, market) } as const
  })
  return { ...own, algoType, children }
}

export function triggerNear({ rng }: Pick<Draws, 'rng'>, { mark }: EngineMarket): number {
  return Math.max(1, Math.round(mark * (1 + (rng() - 0.5) * 2 * REACH)))
}

function callback({ rng }: Draws, market: EngineMarket) {
  const isRate = rng() < 0.5
  return {
    callbackRate: isRate ? 50_000 + Math.floor(rng() * 500_000) : 0,
    callbackTicks: isRate ? 0 : Math.ceil(market.mark * (0.0005 + rng() * 0.005)),
    activation: rng() < 0.5 ? triggerNear({ rng }, market) : 0,
  }
}

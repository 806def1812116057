import { parseFigure, scaledTo } from './figures.ts'
import type { TapeFigure, TapeMarket } from './records.ts'
import type { RecordSink } from './write.ts'

/** Price and quantity of a level, as decimal texts. */
export type TextLevel = readonly [price: string, quantity: string]

/** A book message whose figures are decimal texts. */
type TextBook = {
  readonly atUs: number
  readonly isWhole: boolean
  readonly bids: readonly TextLevel[]
  readonly asks: readonly TextLevel[]
}
type TextTrade = {
  readonly atUs: number
  readonly side: 'BUY' | 'SELL'
  readonly price: string
  readonly quantity: string
}

/** Writes market messages with decimal texts into a tape. Each method throws RangeError and TapeError. */
export type MarketTape = {
  /** Declares a market, or its new rules. Returns the market's number in the tape. */
  readonly declare: (symbol: string, rules: string, least?: Partial<Scales>) => number
  readonly book: (market: number, message: TextBook) => void
  readonly trade: (market: number, message: TextTrade) => void
  /** The time of a market's last record; null before the first. */
  readonly lastUs: (market: number) => number | null
}

type Scales = Pick<TapeMarket, 'priceDecimals' | 'quantityDecimals'>
type Level = readonly [price: TapeFigure, quantity: TapeFigure]

/** Declares each market with the scales that its figures need, and again if a figure needs more decimals. */
export function openMarketTape({ add, books }: RecordSink): MarketTape {
  const marketAt = (number: number): TapeMarket => {
    const state = books.get(number)
    if (!state) throw new RangeError(`market ${number} has not been declared`)
    return state.market
  }
  /** The market. If these levels need larger scales, the market is declared again first. */
  const fitted = (number: number, levels: readonly Level[]): TapeMarket => {
    const market = marketAt(number)
    const scales = widenedScales(market, levels)
    if (isWithin(scales, market)) return market
    add({ ...market, ...scales })
    return marketAt(number)
  }
  return {
    lastUs: (market) => books.get(market)?.lastUs ?? null,
    declare: (symbol, rules, least = {}) => {
      const known = [...books.values()].find(({ market }) => market.symbol === symbol)?.market
      const scales = {
        priceDecimals: Math.max(known?.priceDecimals ?? 0, least.priceDecimals ?? 0),
        quantityDecimals: Math.max(known?.quantityDecimals ?? 0, least.quantityDecimals ?? 0),
      }
      const market = known?.market ?? books.size
      if (!known || known.rules !== rules || !isWithin(scales, known))
        add({ kind: 'market', market, symbol, rules, ...scales })
      return market
    },
    book: (number, { atUs, isWhole, ...sides }) => {
      const [bids, asks] = [sides.bids.map(toLevel), sides.asks.map(toLevel)]
      const market = fitted(number, [...bids, ...asks])
      const flat = (levels: readonly Level[]) => levels.flatMap((level) => scaled(level, market))
      add({ kind: 'book', market: number, atUs, isWhole, bids: flat(bids), asks: flat(asks) })
    },
    trade: (number, { atUs, side, ...text }) => {
      const level = toLevel([text.price, text.quantity])
      const [price, quantity] = scaled(level, fitted(number, [level]))
      add({ kind: 'trade', market: number, atUs, side, price, quantity })
    },
  }
}

function toLevel([price, quantity]: TextLevel): Level {
  return [parseFigure(price), parseFigure(quantity)]
}

function scaled([price, quantity]: Level, market: Scales): [price: number, quantity: number] {
  return [scaledTo(price, market.priceDecimals), scaledTo(quantity, market.quantityDecimals)]
}

function widenedScales(market: Scales, levels: readonly Level[]): Scales {
  let { priceDecimals, quantityDecimals } = market
  for (const [price, quantity] of levels) {
    if (price.decimals > priceDecimals) priceDecimals = price.decimals
    if (quantity.decimals > quantityDecimals) quantityDecimals = quantity.decimals
  }
  return { priceDecimals, quantityDecimals }
}

function isWithin(scales: Scales, market: Scales): boolean {
  return (
    scales.priceDecimals <= market.priceDecimals &&
    scales.quantityDecimals <= market.quantityDecimals
  )
}

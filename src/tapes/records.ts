/**
 * The records of a tape. Times are microseconds since the epoch, by the recorded venue's clock. Prices and quantities
 * of books and trades are integers at the scale that their market declares. Every other figure has a separate scale.
 */
export type TapeRecord = TapeMarket | TapeBook | TapeTrade | TapePrice | TapeFunding | TapeGap

/** Declares a market with the scales of its figures. A market is declared again when a figure needs more decimals. */
export type TapeMarket = {
  readonly kind: 'market'
  /** The market's number in this tape, from 0. */
  readonly market: number
  readonly symbol: string
  readonly priceDecimals: number
  readonly quantityDecimals: number
  /** The venue's rules for this market as JSON text; empty if they are unknown. */
  readonly rules: string
}

/** Levels of one side of a book as a flat list: price, quantity, price, quantity. Quantity 0 removes a level. */
export type TapeLevels = readonly number[]

/** A whole book, or the levels of a book that have changed. */
export type TapeBook = {
  readonly kind: 'book'
  readonly market: number
  readonly atUs: number
  readonly isWhole: boolean
  readonly bids: TapeLevels
  readonly asks: TapeLevels
}

export type TapeTrade = {
  readonly kind: 'trade'
  readonly market: number
  readonly atUs: number
  /** The taker's side. */
  readonly side: 'BUY' | 'SELL'
  readonly price: number
  readonly quantity: number
}

/** A figure with a scale: 12.5 is value 125 with 1 decimal. */
export type TapeFigure = { readonly value: number; readonly decimals: number }

/** The mark price or the index price of a market. */
export type TapePrice = {
  readonly kind: 'mark' | 'index'
  readonly market: number
  readonly atUs: number
  readonly price: TapeFigure
}

/** The estimated funding rate of a market, and the time of the next payment. */
export type TapeFunding = {
  readonly kind: 'funding'
  readonly market: number
  readonly atUs: number
  readonly rate: TapeFigure
  readonly nextUs: number
}

/** Why a part of a market's records is missing. */
export const GAP_CAUSES = ['stopped', 'connection', 'sequence', 'source'] as const

export type GapCause = (typeof GAP_CAUSES)[number]

/**
 * A gap in a market's books and trades. The market's book is unknown from `fromUs` until its next whole book, and must
 * not be interpolated.
 */
export type TapeGap = {
  readonly kind: 'gap'
  readonly market: number
  readonly fromUs: number
  /** The end of the gap, which is also the time of this record. */
  readonly atUs: number
  readonly cause: GapCause
}

/** Limits of a tape. Each name ends in its unit. */
export const TAPE_LIMITS = {
  /** Maximum absolute value of any figure, so that the difference of two figures stays exact. */
  figureMax: 2 ** 51,
  /** This time is in the year 2112. */
  timeMaxUs: 2 ** 52,
  decimalsMax: 18,
  marketsMax: 4096,
  symbolMaxChars: 128,
  rulesMaxChars: 64 * 1024,
  levelsMax: 100_000,
  /** A frame is written once its new records reach this size. `frameMaxBytes` bounds any frame that is read. */
  frameBytes: 256 * 1024,
  frameMaxBytes: 64 * 1024 * 1024,
  /** Every 8th frame begins with all markets and books, so that reading can begin there. */
  keyFrameEvery: 8,
} as const

/** Thrown for a damaged or invalid tape. */
export class TapeError extends Error {
  override readonly name = 'TapeError'
}

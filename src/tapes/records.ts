/**
 * The records of a tape. Times are microseconds since the epoch by the recorded venue's clock. Prices and quantities of
 * books and trades are integers at their market's declared scale; other figures carry a scale of their own.
 */
export type TapeRecord = TapeMarket | TapeBook | TapeTrade | TapePrice | TapeFunding | TapeGap

/** A market and the scales of its figures. It is declared again when a figure needs more decimals. */
export type TapeMarket = {
  readonly kind: 'market'
  /** Its number in this tape, from 0. */
  readonly market: number
  readonly symbol: string
  readonly priceDecimals: number
  readonly quantityDecimals: number
  /** The venue's rules of this market as JSON text; empty when they are unknown. */
  readonly rules: string
}

/** Levels of one side: price, quantity, price, quantity, and so on. A quantity of zero removes a level. */
export type TapeLevels = readonly number[]

/** A whole book, or the levels that change. */
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
  /** The side of the taker. */
  readonly side: 'BUY' | 'SELL'
  readonly price: number
  readonly quantity: number
}

/** A figure with a scale of its own: 12.5 is 125 with one decimal. */
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
 * A gap in a market's books and trades. Its book is unknown from here to its next whole book and must not be
 * interpolated.
 */
export type TapeGap = {
  readonly kind: 'gap'
  readonly market: number
  readonly fromUs: number
  /** The end of the gap, and the time of this record. */
  readonly atUs: number
  readonly cause: GapCause
}

/** Bounds of a tape. Names end in their unit. */
export const TAPE_LIMITS = {
  /** Maximum absolute value of a price, a quantity or another figure: the difference of two stays exact. */
  figureMax: 2 ** 51,
  /** In the year 2112. */
  timeMaxUs: 2 ** 52,
  decimalsMax: 18,
  marketsMax: 4096,
  symbolMaxChars: 128,
  rulesMaxChars: 64 * 1024,
  levelsMax: 100_000,
  /** A frame is closed at this size of its records; the maximum holds for every frame. */
  frameBytes: 256 * 1024,
  frameMaxBytes: 64 * 1024 * 1024,
  /** Every this many frames, one begins with all markets and books, so that reading can begin there. */
  keyFrameEvery: 8,
} as const

/** A tape that is damaged or invalid. */
export class TapeError extends Error {
  override readonly name = 'TapeError'
}

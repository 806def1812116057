import { createByteWriter } from './bytes.ts'
import {
  GAP_CAUSES,
  TAPE_LIMITS,
  type TapeFigure,
  type TapeLevels,
  type TapeMarket,
  type TapeRecord,
} from './records.ts'

/** The code that stands for each kind of record in a frame's bytes. */
export const CODES = {
  market: 1,
  wholeBook: 2,
  book: 3,
  buy: 4,
  sell: 5,
  mark: 6,
  index: 7,
  funding: 8,
  gap: 9,
} as const

/** Added to the code of a record that repeats earlier state, for readers that begin at this frame. */
export const REPEATED = 16

/** Encodes records as bytes. A time or a price is stored as its difference from the previous one in the frame. */
export type Encoder = {
  /** Adds a record. Its figures must pass `assertExact`. */
  readonly add: (record: TapeRecord, isRepeated?: boolean) => void
  readonly length: () => number
  /** Returns the bytes of the records so far. The next record begins a new frame. */
  readonly take: () => Uint8Array<ArrayBuffer>
}

export function createEncoder(): Encoder {
  const writer = createByteWriter()
  const prices = new Map<number, number>()
  let lastUs = 0
  const time = (atUs: number) => {
    writer.signed(atUs - lastUs)
    lastUs = atUs
  }
  const price = (market: number, value: number) => {
    writer.signed(value - (prices.get(market) ?? 0))
    prices.set(market, value)
  }
  const own = ({ value, decimals }: TapeFigure) => {
    writer.signed(value)
    writer.unsigned(decimals)
  }
  const levels = (market: number, side: TapeLevels) => {
    writer.unsigned(side.length / 2)
    for (let at = 0; at < side.length; at += 2) {
      price(market, side[at] ?? 0)
      writer.unsigned(side[at + 1] ?? 0)
    }
  }
  const market = ({ symbol, priceDecimals, quantityDecimals, rules }: TapeMarket) => {
    writer.text(symbol)
    writer.unsigned(priceDecimals)
    writer.unsigned(quantityDecimals)
    writer.text(rules)
  }
  const head = (record: TapeRecord, isRepeated: boolean) => {
    writer.unsigned(recordCode(record) + (isRepeated ? REPEATED : 0))
    writer.unsigned(record.market)
    if (record.kind !== 'market') time(record.atUs)
  }
  return {
    add: (record, isRepeated = false) => {
      head(record, isRepeated)
      if (record.kind === 'market') market(record)
      else if (record.kind === 'book') {
        levels(record.market, record.bids)
        levels(record.market, record.asks)
      } else if (record.kind === 'trade') {
        price(record.market, record.price)
        writer.unsigned(record.quantity)
      } else if (record.kind === 'funding') {
        own(record.rate)
        writer.signed(record.nextUs - record.atUs)
      } else if (record.kind === 'gap') {
        writer.signed(record.atUs - record.fromUs)
        writer.unsigned(GAP_CAUSES.indexOf(record.cause))
      } else own(record.price)
    },
    length: writer.length,
    take: () => {
      prices.clear()
      lastUs = 0
      return writer.take()
    },
  }
}

function recordCode(record: TapeRecord): number {
  if (record.kind === 'book') return record.isWhole ? CODES.wholeBook : CODES.book
  if (record.kind === 'trade') return record.side === 'BUY' ? CODES.buy : CODES.sell
  return CODES[record.kind]
}

/** Throws RangeError for a record that a tape cannot hold exactly. */
export function assertExact(record: TapeRecord): void {
  natural(record.market, TAPE_LIMITS.marketsMax)
  if (record.kind === 'market') {
    bounded(record.symbol.length, TAPE_LIMITS.symbolMaxChars)
    bounded(record.rules.length, TAPE_LIMITS.rulesMaxChars)
    natural(record.priceDecimals, TAPE_LIMITS.decimalsMax)
    natural(record.quantityDecimals, TAPE_LIMITS.decimalsMax)
    return
  }
  natural(record.atUs, TAPE_LIMITS.timeMaxUs)
  if (record.kind === 'book') {
    assertLevels(record.bids)
    assertLevels(record.asks)
  } else if (record.kind === 'trade') {
    whole(record.price)
    natural(record.quantity, TAPE_LIMITS.figureMax)
  } else if (record.kind === 'gap') natural(record.fromUs, TAPE_LIMITS.timeMaxUs)
  else if (record.kind === 'funding') {
    natural(record.nextUs, TAPE_LIMITS.timeMaxUs)
    assertFigure(record.rate)
  } else assertFigure(record.price)
}

function assertLevels(levels: TapeLevels): void {
  natural(levels.length / 2, TAPE_LIMITS.levelsMax)
  for (let at = 0; at < levels.length; at += 2) {
    whole(levels[at] ?? 0)
    natural(levels[at + 1] ?? 0, TAPE_LIMITS.figureMax)
  }
}

function assertFigure({ value, decimals }: TapeFigure): void {
  whole(value)
  natural(decimals, TAPE_LIMITS.decimalsMax)
}

function natural(value: number, max: number): void {
  if (!(value >= 0)) throw new RangeError(`less than zero: ${value}`)
  bounded(value, max)
}

function whole(value: number): void {
  bounded(value, TAPE_LIMITS.figureMax)
}

function bounded(value: number, max: number): void {
  if (!Number.isInteger(value)) throw new RangeError(`no whole number: ${value}`)
  if (Math.abs(value) > max) throw new RangeError(`too large for a tape: ${value}`)
}

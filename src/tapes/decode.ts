import { type ByteReader, createByteReader } from './bytes.ts'
import { CODES, REPEATED } from './encode.ts'
import {
  GAP_CAUSES,
  TAPE_LIMITS,
  TapeError,
  type TapeFigure,
  type TapeLevels,
  type TapeMarket,
  type TapeRecord,
} from './records.ts'

/** Decodes the records in the bytes of one frame, in order. */
export type Decoder = {
  /** The next record; null after the last one. Throws TapeError for invalid bytes. */
  readonly next: () => TapeRecord | null
  /** Whether the last record repeats state from earlier frames. */
  readonly isRepeated: () => boolean
}

type Decoding = {
  readonly reader: ByteReader
  readonly prices: Map<number, number>
  lastUs: number
}

/** Decodes records. If `withRepeated` is false, records that repeat earlier state are skipped. */
export function createDecoder(bytes: Uint8Array, withRepeated = true): Decoder {
  const reader = createByteReader(bytes)
  const state: Decoding = { reader, prices: new Map(), lastUs: 0 }
  let isRepeated = false
  return {
    isRepeated: () => isRepeated,
    next: () => {
      while (!reader.isAtEnd()) {
        const code = reader.unsigned()
        isRepeated = code >= REPEATED
        const record = decodeRecord(state, isRepeated ? code - REPEATED : code, reader.unsigned())
        if (withRepeated || !isRepeated) return record
      }
      return null
    },
  }
}

function decodeRecord(state: Decoding, code: number, market: number): TapeRecord {
  if (market > TAPE_LIMITS.marketsMax) throw new TapeError(`no market has the number ${market}`)
  if (code === CODES.market) return decodeMarket(state, market)
  state.lastUs += state.reader.signed()
  return datedRecord(state, code, market, state.lastUs)
}

function datedRecord(state: Decoding, code: number, market: number, atUs: number): TapeRecord {
  const { reader } = state
  switch (code) {
    case CODES.book:
    case CODES.wholeBook: {
      const bids = decodeLevels(state, market)
      const asks = decodeLevels(state, market)
      return { kind: 'book', market, atUs, isWhole: code === CODES.wholeBook, bids, asks }
    }
    case CODES.buy:
    case CODES.sell: {
      const price = decodePrice(state, market)
      const side = code === CODES.buy ? 'BUY' : 'SELL'
      return { kind: 'trade', market, atUs, side, price, quantity: reader.unsigned() }
    }
    case CODES.mark:
      return { kind: 'mark', market, atUs, price: decodeFigure(reader) }
    case CODES.index:
      return { kind: 'index', market, atUs, price: decodeFigure(reader) }
    case CODES.funding:
      return {
        kind: 'funding',
        market,
        atUs,
        rate: decodeFigure(reader),
        nextUs: atUs + reader.signed(),
      }
    case CODES.gap: {
      const fromUs = atUs - reader.signed()
      const cause = GAP_CAUSES[reader.unsigned()]
      if (cause === undefined) throw new TapeError('a gap has an unknown cause')
      return { kind: 'gap', market, fromUs, atUs, cause }
    }
    default:
      throw new TapeError(`no record has the code ${code}`)
  }
}

function decodeMarket({ reader }: Decoding, market: number): TapeMarket {
  const symbol = reader.text()
  const [priceDecimals, quantityDecimals] = [decodeDecimals(reader), decodeDecimals(reader)]
  return { kind: 'market', market, symbol, priceDecimals, quantityDecimals, rules: reader.text() }
}

const NO_LEVELS: TapeLevels = []

function decodeLevels({ reader, prices }: Decoding, market: number): TapeLevels {
  const count = reader.unsigned()
  if (count === 0) return NO_LEVELS
  if (count > TAPE_LIMITS.levelsMax) throw new TapeError(`a book has ${count} levels`)
  const levels: number[] = []
  let price = prices.get(market) ?? 0
  for (let at = 0; at < count; at += 1) {
    price += reader.signed()
    levels.push(price, reader.unsigned())
  }
  prices.set(market, price)
  return levels
}

function decodePrice({ reader, prices }: Decoding, market: number): number {
  const price = (prices.get(market) ?? 0) + reader.signed()
  prices.set(market, price)
  return price
}

function decodeFigure(reader: ByteReader): TapeFigure {
  const value = reader.signed()
  return { value, decimals: decodeDecimals(reader) }
}

function decodeDecimals(reader: ByteReader): number {
  const decimals = reader.unsigned()
  if (decimals > TAPE_LIMITS.decimalsMax) throw new TapeError(`a figure has ${decimals} decimals`)
  return decimals
}

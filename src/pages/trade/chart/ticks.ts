import type { TickMarkType, Time } from 'lightweight-charts'
import { fixedText, monthName, near } from '../../common/format.ts'

const YEAR = (at: Date) => String(at.getUTCFullYear())
const DAY = (at: Date) => String(at.getUTCDate())
const MINUTE = (at: Date) => at.toISOString().slice(11, 16)

/** By `TickMarkType`: the text of the period that begins there. */
const MARKS = [YEAR, (at: Date) => monthName(at.getUTCMonth()), DAY, MINUTE, MINUTE] as const

/** The labels below the candles: `2026`, `Nov`, `21` or `14:03`. Times are seconds of the reader's zone. */
function tickText(time: Time, kind: TickMarkType): string {
  return MARKS[kind](toDate(time))
}

/** The moment under the pointer: `21 Nov 2026 14:03`. */
function momentText(time: Time): string {
  const at = toDate(time)
  return `${DAY(at)} ${monthName(at.getUTCMonth())} ${YEAR(at)} ${MINUTE(at)}`
}

function toDate(time: Time): Date {
  return new Date(Number(time) * 1000)
}

/** Writes a price in the format of the page, with grouped thousands. */
export function priceWith(places: number): (price: number) => string {
  return (price) => fixedText(near(price.toFixed(places)), places)
}

/** The browser's own formats take longer to load than the first candles take to paint. */
export const TIMES = {
  localization: { timeFormatter: momentText },
  timeScale: { tickMarkFormatter: tickText },
} as const

import type { TickMarkType, Time } from 'lightweight-charts'
import { displayDecimal, fixedText, monthName } from '../../common/format.ts'

const YEAR = (at: Date) => String(at.getUTCFullYear())
const DAY = (at: Date) => String(at.getUTCDate())
const MINUTE = (at: Date) => at.toISOString().slice(11, 16)

/** Formatters for the label of the period that starts at a tick, in the order of `TickMarkType`. */
const MARKS = [YEAR, (at: Date) => monthName(at.getUTCMonth()), DAY, MINUTE, MINUTE] as const

/** A label on the time axis: `2026`, `Nov`, `21` or `14:03`. Times are in seconds, shifted to the user's time zone. */
function tickText(time: Time, kind: TickMarkType): string {
  return MARKS[kind](toDate(time))
}

/** The time under the pointer: `21 Nov 2026 14:03`. */
function momentText(time: Time): string {
  const at = toDate(time)
  return `${DAY(at)} ${monthName(at.getUTCMonth())} ${YEAR(at)} ${MINUTE(at)}`
}

function toDate(time: Time): Date {
  return new Date(Number(time) * 1000)
}

/** Returns a formatter of prices with grouped thousands and this number of places. */
export function priceFormatter(places: number): (price: number) => string {
  return (price) => fixedText(displayDecimal(price.toFixed(places)), places)
}

/** Own time formats, because loading the browser's formats takes longer than painting the first candles. */
export const TIME_FORMATS = {
  localization: { timeFormatter: momentText },
  timeScale: { tickMarkFormatter: tickText },
} as const

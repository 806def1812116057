import type { ClientFailure } from '../../agents/client/client.ts'
import { isObject } from '../../core/json.ts'
import { durationText, timeText } from './times.ts'

/**
 * An answer as text: its rows as a table, everything else as one line each. Times are in ISO 8601, followed by their
 * distance from `nowMs`. Null omits the distance, because the answer follows a different clock.
 */
export function answerLines(answer: unknown, nowMs: number | null): readonly string[] {
  if (!isObject(answer)) return [shown('', answer, nowMs)]
  const facts = Object.entries(answer).filter(([, value]) => !Array.isArray(value))
  const tables = Object.entries(answer).filter(([, value]) => Array.isArray(value))
  return [
    ...aligned(
      facts.map(([name, value]) => [columnHeading(name).toLowerCase(), shown(name, value, nowMs)]),
    ),
    ...tables.flatMap(([name, rows]) => tableLines(name, rows, nowMs)),
  ]
}

function tableLines(name: string, rows: unknown, nowMs: number | null): readonly string[] {
  const all: readonly unknown[] = Array.isArray(rows) ? rows : []
  const objects = all.filter(isObject)
  const [first] = objects
  if (all.length === 0) return [`${name}: none`]
  if (!first) return [`${name}: ${all.map((each) => shown(name, each, nowMs)).join(', ')}`]
  const columns = Object.keys(first)
  const cells = objects.map((row) => columns.map((column) => shown(column, row[column], nowMs)))
  return aligned([columns.map(columnHeading), ...cells])
}

/** `EXPIRES AT` for `expiresAtMs`, `UPTIME` for `uptimeSeconds`. */
function columnHeading(column: string): string {
  const words = column.replace(DURATION, '').replace(/[A-Z]/g, (letter) => ` ${letter}`)
  return words.toUpperCase()
}

const DURATION = /(?<=[a-z])(?:Ms|Seconds)$/
const TIME = /(?:^a|A)t(?:Ms)?$/
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/

function shown(name: string, value: unknown, nowMs: number | null): string {
  if (value === null || value === undefined) return '-'
  if (TIME.test(name) && typeof value === 'number') return timeText(value, nowMs)
  if (TIME.test(name) && typeof value === 'string' && ISO_TIME.test(value))
    return timeText(Date.parse(value), nowMs)
  const [unit] = DURATION.exec(name) ?? []
  if (typeof value === 'number' && unit) return durationText(unit === 'Ms' ? value : 1000 * value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** One line with a server's failure and its meta. */
export function failureLine({ code, message, meta }: ClientFailure): string {
  const facts = Object.entries(meta).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${code}: ${message}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}

/** A count with its noun: `1 market`, `2 markets`. */
export function numbered(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

/** Rows of cells as lines with aligned columns. The last column is not padded. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, cell.length)
    })
  }
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

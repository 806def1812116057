import type { ClientFailure } from '../../client/client.ts'
import { isObject } from '../../core/json.ts'

/** An answer for people: its rows as a table, and everything else as a line each. Times are in ISO 8601. */
export function linesOf(answer: unknown): readonly string[] {
  if (!isObject(answer)) return [shown('', answer)]
  const facts = Object.entries(answer).filter(([, value]) => !Array.isArray(value))
  const tables = Object.entries(answer).filter(([, value]) => Array.isArray(value))
  return [
    ...aligned(facts.map(([name, value]) => [headOf(name).toLowerCase(), shown(name, value)])),
    ...tables.flatMap(([name, rows]) => tableOf(name, rows)),
  ]
}

function tableOf(name: string, rows: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(rows) ? rows : []
  const objects = all.filter(isObject)
  const [first] = objects
  if (all.length === 0) return [`${name}: none`]
  if (!first) return [`${name}: ${all.map((each) => shown(name, each)).join(', ')}`]
  const columns = Object.keys(first)
  const cells = objects.map((row) => columns.map((column) => shown(column, row[column])))
  return aligned([columns.map(headOf), ...cells])
}

/** `EXPIRES AT` of `expiresAtMs`. */
function headOf(column: string): string {
  const words = column.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => ` ${letter}`)
  return words.toUpperCase()
}

function shown(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'number' && /(?:^a|A)tMs$/.test(name)) return new Date(value).toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A failure of the server, with what its meta says. */
export function failureLine({ code, message, meta }: ClientFailure): string {
  const facts = Object.entries(meta).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${code}: ${message}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}

/** A number of things: `1 market`, `2 markets`. */
export function numbered(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

/** Rows of cells as lines whose columns line up. The last column is as wide as it likes. */
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

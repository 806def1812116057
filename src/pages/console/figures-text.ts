/** A number of bytes with a decimal unit, such as `84.2 MB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} kB`
  if (count < 1_000_000_000) return `${(count / 1_000_000).toFixed(1)} MB`
  return `${(count / 1_000_000_000).toFixed(1)} GB`
}

/** A duration such as `0.42 ms`, `3.1 ms` or `240 ms`; a dash for null. */
export function milliseconds(ms: number | null): string {
  if (ms === null) return '–'
  if (Math.abs(ms) < 1) return `${ms.toFixed(2)} ms`
  return `${Math.abs(ms) < 20 ? ms.toFixed(1) : Math.round(ms)} ms`
}

/** A part of a whole in percent; a dash for a whole of zero. */
export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}%`
}

/** An integer with grouped thousands, such as `12,345`. */
export function countText(value: number): string {
  return GROUPED.format(value)
}

const GROUPED = new Intl.NumberFormat('en-US')

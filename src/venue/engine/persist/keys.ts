import type { EntityChange } from '../../../core/ports.ts'

const KEY_DIGITS = 15

/** Rows are loaded in the order of their keys. */
export function keyOf(number: number): string {
  return String(number).padStart(KEY_DIGITS, '0')
}

/** The number of a row's key. */
export function numberOf({ key }: { readonly key: string }): number {
  return Number(key)
}

/** Deletions of the rows numbered from one up to another. */
export function dropped(kind: string, from: number, to: number): EntityChange[] {
  const length = Math.max(0, to - from)
  return Array.from({ length }, (_, at) => ({ kind, key: keyOf(from + at), json: null }))
}

/** Of the same, so many at a time. */
export function* droppedInTurns(
  kind: string,
  from: number,
  to: number,
  rowsMax: number,
): Generator<EntityChange[]> {
  for (let at = from; at < to; at += rowsMax) yield dropped(kind, at, Math.min(to, at + rowsMax))
}

import type { VenueRow } from '../wire/row.ts'

/** A row that anybody may read. */
export function publicRead(path: string, answer: VenueRow['answer']): VenueRow {
  return { method: 'GET', path, scope: 'none', answer }
}

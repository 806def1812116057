import type { VenueRow } from '../wire/row.ts'
import { chartRows } from './public/charts.ts'
import { fundingRows } from './public/funding.ts'
import { liquidationRows } from './public/liquidations.ts'
import { marketRows } from './public/markets.ts'
import { platformRows } from './public/platform.ts'
import { type QueryParts, queryRows } from './public/query.ts'

/** Every row of the venue that needs no account and knows nothing of one. */
export function publicRows(parts: QueryParts): readonly VenueRow[] {
  const families = [marketRows, fundingRows, platformRows, liquidationRows, chartRows, queryRows]
  return families.flatMap((rowsOf) => rowsOf(parts))
}

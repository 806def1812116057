import { chartRows } from '../rows/charts.ts'
import { fundingRows } from '../rows/funding.ts'
import { liquidationRows } from '../rows/liquidations.ts'
import { marketRows } from '../rows/markets.ts'
import { platformRows } from '../rows/platform.ts'
import { queryRows } from '../rows/query.ts'
import type { VenueRow } from '../wire/row.ts'
import type { MarketDeps } from './deps.ts'

/** Every row of the venue that needs no account and knows nothing of one. */
export function publicRows(deps: MarketDeps): readonly VenueRow[] {
  const families = [marketRows, fundingRows, platformRows, liquidationRows, chartRows, queryRows]
  return families.flatMap((rowsOf) => rowsOf(deps))
}

import type { Floor } from '../exchange/floor.ts'
import type { SeededFeed } from '../market/seeded-feed.ts'
import type { VenueRow } from '../wire/row.ts'
import { chartRows } from './public/charts.ts'
import { fundingRows } from './public/funding.ts'
import { klineRows } from './public/klines.ts'
import { liquidationRows } from './public/liquidations.ts'
import { marketRows } from './public/markets.ts'
import { platformRows } from './public/platform.ts'
import { type QueryParts, queryRows } from './public/query.ts'

export type PublicParts = QueryParts & {
  readonly past: SeededFeed
  readonly floor: () => Floor
  readonly genesisMs: number
}

/** Every row of the venue that needs no account. */
export function publicRows(parts: PublicParts): readonly VenueRow[] {
  return [
    ...marketRows(parts),
    ...fundingRows(parts),
    ...platformRows(parts),
    ...liquidationRows(parts),
    ...chartRows(parts),
    ...klineRows(parts),
    ...queryRows(parts),
  ]
}

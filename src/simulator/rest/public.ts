import type { Simulation } from '../exchange/simulation.ts'
import type { VenueState } from '../exchange/state.ts'
import type { VenueRow } from '../messages/row.ts'
import type { SeededFeed } from '../past/seeded-feed.ts'
import { type Notices, noticeRows } from './public/announcements.ts'
import { builderRows } from './public/builders.ts'
import { chartRows } from './public/charts.ts'
import { fundingRows } from './public/funding.ts'
import { klineRows } from './public/klines.ts'
import { publicLiquidationRows } from './public/liquidations.ts'
import { marketRows } from './public/markets.ts'
import { platformRows } from './public/platform.ts'
import { type QuerySources, queryRows } from './public/query.ts'

export type PublicSources = QuerySources & {
  readonly past: SeededFeed
  readonly simulation: () => Simulation
  readonly exchange: VenueState
  readonly notices: Notices
  readonly beginsAtMs: number
}

/** All endpoints that need no account. */
export function publicRows(parts: PublicSources): readonly VenueRow[] {
  return [
    ...marketRows(parts),
    ...fundingRows(parts),
    ...platformRows(parts),
    ...publicLiquidationRows(parts),
    ...chartRows(parts),
    ...klineRows(parts),
    ...builderRows(parts),
    ...noticeRows(parts),
    ...queryRows(parts),
  ]
}

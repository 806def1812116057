import type { FormerPrices } from '../../src/venue/exchange/former.ts'
import type { VenueRow } from '../../src/venue/wire/row.ts'
import { d, GENESIS_MS, OPENING } from './market/small-feed.ts'

/** What positions from before the engine are settled at: the opening prices, and 0.01 % of them an hour. */
export const formerPrices: FormerPrices = (symbol, atMs) => {
  const price = OPENING[symbol]?.price
  if (price === undefined) return null
  const mark = d(String(price))
  const hours = BigInt(Math.floor(atMs / 3_600_000) - Math.floor(GENESIS_MS / 3_600_000))
  return { mark, sumUnitary: (hours * mark) / 10_000n }
}

export const PUBLIC_ROWS: readonly VenueRow[] = [
  { method: 'GET', path: '/v1/public/fault', scope: 'none', answer: fault },
  {
    method: 'GET',
    path: '/v1/tv/bare',
    scope: 'none',
    envelope: 'bare',
    answer: () => ({ s: 'ok' }),
  },
]

function fault(): never {
  throw new TypeError('secret detail')
}

import type { Log, LogFields } from '../../src/core/ports.ts'
import type { Simulation } from '../../src/simulator/exchange/simulation.ts'
import { createLiveFeed } from '../../src/simulator/feed/live-feed.ts'
import type { VenueRow } from '../../src/simulator/messages/row.ts'
import type { SeededFeed } from '../../src/simulator/past/seeded-feed.ts'
import { publicLiquidationRows } from '../../src/simulator/rest/public/liquidations.ts'
import { platformRows } from '../../src/simulator/rest/public/platform.ts'
import type { Trader, VenueFixture } from './fixture.ts'
import { type Auth, signed } from './trading-wallet.ts'

/** The public rows of the fixture: the platform, its liquidations, and two rows for tests alone. */
export function publicRowsOf(parts: {
  readonly past: SeededFeed
  readonly simulation: () => Simulation
  readonly beginsAtMs: number
}): readonly VenueRow[] {
  const feed = createLiveFeed(parts.past, parts.simulation)
  return [...ODD_ROWS, ...platformRows({ ...parts, feed }), ...publicLiquidationRows(parts)]
}

const ODD_ROWS: readonly VenueRow[] = [
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

/** A log that keeps what went wrong, and nothing else. */
export function faultLog(faults: LogFields[]): Log {
  const quiet = () => undefined
  const error = (event: string, fields?: LogFields) => void faults.push({ event, ...fields })
  return { error, warn: quiet, info: quiet, debug: quiet }
}

/** A trader whose calls are signed by its key. */
export function traderOf(
  auth: Auth & Pick<Trader, 'address'>,
  send: VenueFixture['send'],
  wallMs: () => number,
): Trader {
  const call = (method: string, path: string, body?: unknown) =>
    send(
      signed(auth, {
        method,
        path,
        timestampMs: wallMs(),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
  return {
    ...auth,
    get: (path) => call('GET', path),
    delete: (path) => call('DELETE', path),
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
    order: (fields = {}) =>
      call('POST', '/v1/order', {
        symbol: 'PERP_BTC_USDC',
        side: 'BUY',
        order_type: 'LIMIT',
        order_price: 59_000,
        order_quantity: 0.1,
        ...fields,
      }),
  }
}

import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { RwaMarkets } from '../../perp/fee-rates.ts'
import { ClientFailure } from '../client/client.ts'
import type { ToolContext } from '../tool.ts'

/** The trading hours of the markets with such hours, by symbol; empty while the venue does not answer. */
export async function readSessions({ client }: ToolContext): Promise<ReadonlyMap<unknown, Row>> {
  const answer = await client
    .get('/api/prep/market-sessions')
    .catch(orElse('mcp', null, ClientFailure))
  return new Map(rowsAt(answer, 'rows').map((row) => [row['symbol'], row]))
}

/** The markets of stocks, metals and currencies; null while the venue does not answer. */
export async function readRwaMarkets({ client }: ToolContext): Promise<RwaMarkets> {
  const answer = await client
    .get('/api/prep/market-sessions')
    .catch(orElse('mcp', null, ClientFailure))
  const symbols = isObject(answer) ? answer['symbols'] : null
  return Array.isArray(symbols) ? new Set(symbols) : null
}

/** The session member of a closed market in a list: that it is closed, and its opening time in ms, null if unknown. */
export function closedSession(session: Row | undefined): Row {
  if (session?.['open'] !== false) return {}
  return { session: { open: false, opensAt: session['opensAt'] ?? null } }
}

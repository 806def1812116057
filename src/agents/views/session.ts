import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import type { RwaMarkets } from '../../perp/fee-rates.ts'
import { ClientFailure } from '../client/client.ts'
import type { ToolContext } from '../tool.ts'

/** Reads the sessions of markets with trading hours, by symbol; empty if the read fails. */
export async function readSessions({ client }: ToolContext): Promise<ReadonlyMap<unknown, Row>> {
  const answer = await client
    .get('/api/prep/market-sessions')
    .catch(defaultOnFailure('mcp', null, ClientFailure))
  return new Map(rowsAt(answer, 'rows').map((row) => [row['symbol'], row]))
}

/** Reads the symbols of stock, metal and currency markets; null if the read fails. */
export async function readRwaMarkets({ client }: ToolContext): Promise<RwaMarkets> {
  const answer = await client
    .get('/api/prep/market-sessions')
    .catch(defaultOnFailure('mcp', null, ClientFailure))
  const symbols = isObject(answer) ? answer['symbols'] : null
  return Array.isArray(symbols) ? new Set(symbols) : null
}

/** The member `session` of a closed market: `opensAt` is its opening time in Unix ms, null if unknown. Empty if it is open. */
export function closedSession(session: Row | undefined): Row {
  if (session?.['open'] !== false) return {}
  return { session: { open: false, opensAt: session['opensAt'] ?? null } }
}

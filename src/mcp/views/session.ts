import { ClientFailure } from '../../client/client.ts'
import { type Row, rowsAt } from '../../core/json.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { ToolContext } from '../tool.ts'

/** The trading hours of a market; undefined for one that has none, and while the venue does not answer. */
export async function sessionOf({ client }: ToolContext, symbol: string): Promise<Row | undefined> {
  const answer = await client
    .get('/api/prep/market-sessions')
    .catch(orElse('mcp', null, ClientFailure))
  return rowsAt(answer, 'rows').find((row) => row['symbol'] === symbol)
}

import type { Row } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { amountNumber, quotient } from '../../perp/amounts.ts'
import type { Book } from '../../perp/book.ts'
import { ClientFailure } from '../client/client.ts'
import { readBook } from '../orders/prepare.ts'
import { invalidArgument } from '../refusal.ts'
import type { ToolContext } from '../tool.ts'

/** The field for the distance between best bid and best ask, in percent of the mid price. */
export const SPREAD = 'spread_pct'

/** Maximum number of markets whose order books are read for one answer: by default, and on request. */
const SPREADS_DEFAULT = 5
const SPREADS_MAX = 20

/** Reads the spread per market; null for an unreadable or one-sided book. Empty if spreads were not requested. */
export async function readSpreads(
  context: ToolContext,
  symbols: readonly string[],
  asked: boolean | 'default',
): Promise<readonly Row[]> {
  if (asked === true && symbols.length > SPREADS_MAX) {
    throw invalidArgument('limit', 'out_of_range', {
      ...{ maximum: SPREADS_MAX, suggestion: SPREADS_MAX },
      next: `${SPREAD} is read for at most ${SPREADS_MAX} markets at once.`,
    })
  }
  if (!asked || (asked === 'default' && symbols.length > SPREADS_DEFAULT)) return []
  return Promise.all(
    symbols.map(async (symbol) => {
      const book = await readBook(context, symbol).catch(
        defaultOnFailure('mcp', null, ClientFailure),
      )
      return { [SPREAD]: book && bookSpread(book) }
    }),
  )
}

function bookSpread({ bids, asks }: Book): number | null {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price]
  if (bid === undefined || ask === undefined || bid + ask <= 0n) return null
  return Number(amountNumber(quotient((ask - bid) * 200n, bid + ask)).toFixed(4))
}

import { LIMITS } from '../contract/limits.ts'
import { Failure } from '../core/failure.ts'
import { isObject, parseExact, type Row, rowsAt } from '../core/json.ts'
import { defaultOnFailure, every } from '../core/loop/guarded.ts'
import type { Query } from '../core/query.ts'
import type { Answer } from '../gateway/cache/answer.ts'
import { liquidations, trades } from '../gateway/market/activity.ts'
import type { TimedMarketAccess } from '../gateway/market/cached-answers.ts'
import { candles } from '../gateway/market/candles.ts'
import { funding, marketRules, markets } from '../gateway/market/markets.ts'
import { type OperationAccess, readOperation } from '../gateway/market/operations.ts'
import type { Reads } from './projections/projection.ts'

const STREAM_CALLER = { address: '', limitKey: 'stream' } as const

/** The initial reads of topics. They use the routes' verbs, so that topics and routes have the same fields and number texts. */
export function createReads(deps: OperationAccess & TimedMarketAccess): Reads {
  return {
    markets: async () => rowsIn(await markets(deps), 'markets'),
    trades: async (symbol, limit) =>
      rowsIn(await trades(deps, toQuery({ symbol, limit })), 'trades'),
    candles: async (symbol, interval, limit) =>
      rowsIn(await candles(deps, toQuery({ symbol, interval, limit })), 'rows'),
    liquidations: async (size) => rowsIn(await liquidations(deps, toQuery({ size })), 'rows'),
    funding: async (symbol) => parseObject(await funding(deps, toQuery({ symbol }))),
    status: async () =>
      parseObject(await readOperation(deps, 'platform.status', toQuery({}), STREAM_CALLER)),
    ticks: async (symbol) => {
      const rules = rowsIn(await marketRules(deps), 'rules')
      const info = rules.find((row) => row['symbol'] === symbol)?.['info']
      const { quote_tick, base_tick } = isObject(info) ? info : {}
      return { price: String(quote_tick ?? '1'), quantity: String(base_tick ?? '1') }
    },
  }
}

function toQuery(values: Readonly<Record<string, string | number>>): Query {
  return new Map(Object.entries(values).map(([name, value]) => [name, [String(value)]]))
}

function parseObject({ reply }: Answer): Row {
  const payload = parseExact(reply.text(), LIMITS.scrubDepthMax)
  return isObject(payload) ? payload : {}
}

function rowsIn(answer: Answer, member: string): readonly Row[] {
  return rowsAt(parseObject(answer), member)
}

/** The listed markets, for synchronous checks. */
export type ListedMarkets = {
  /** Whether a market is listed. Before the first successful read, true for every well-formed symbol. */
  readonly has: (symbol: string) => boolean
  readonly ready: Promise<void>
  readonly close: () => void
}

const REFRESH_MS = 30_000

/** Opens a listing that is read now and every half minute. After a failed read it keeps the last result. */
export function openListing({ markets }: Pick<Reads, 'markets'>): ListedMarkets {
  let symbols: ReadonlySet<string> | null = null
  const refresh = async () => {
    symbols = new Set((await markets()).map((row) => String(row['symbol'])))
  }
  const quietly = () => refresh().catch(defaultOnFailure('stream', undefined, Failure))
  const timer = every('stream', REFRESH_MS, quietly)
  return {
    has: (symbol) => symbols === null || symbols.has(symbol),
    ready: quietly(),
    close: () => clearInterval(timer),
  }
}

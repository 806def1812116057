import type { Envelope } from '../../contract/envelope.ts'
import type { FailureCode } from '../../contract/failures.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Failure, type FailureMeta, faultsFailure } from '../../core/failure.ts'
import { isObject, parseExact, type Row, rowsAt, toFloat } from '../../core/json.ts'
import { defaultOnFailure, reportUnexpected } from '../../core/loop/guarded.ts'
import type { MarketAccess } from '../market/cached-answers.ts'
import { marketRules, markets } from '../market/markets.ts'
import { suggestion } from '../market/parameter-faults.ts'
import { bodyFaults } from './body-faults.ts'
import {
  boundsAtMark,
  brokenBound,
  PRICES,
  type SentOrder,
  SIZES,
  sentOrders,
} from './order-bounds.ts'

/**
 * Adds the parameter, its bounds and the next step to the venue's refusal of a write. The bounds follow from the
 * write's body, the market's rules and the mark price. Other errors, and refusals without an explanation, are returned
 * unchanged. The body is parsed only after a refusal.
 */
export async function explainRefusedOrder(
  deps: MarketAccess,
  error: unknown,
  { method, path, body }: Pick<Envelope, 'method' | 'path' | 'body'>,
): Promise<unknown> {
  if (!(error instanceof Failure) || error.meta?.['parameter'] !== undefined) return error
  const write = `${method} ${path.split('?', 1)[0]}`
  const parsed = parsedBody(body ?? '')
  if (error.code === 'invalid_request') return malformedWrite(error, write, parsed)
  const orders = sentOrders(parsed)
  if (orders.length === 0 || !EXPLAINED_CODES.includes(error.code)) return error
  const meta = await readOrderMeta(deps, error, orders).catch(
    defaultOnFailure('gateway', null, Failure),
  )
  return meta ? new Failure(error.code, meta, { cause: error }) : error
}

const EXPLAINED_CODES: readonly FailureCode[] = [
  'price_out_of_range',
  'size_out_of_range',
  'notional_too_small',
  'not_found',
]

const MARGIN_MODE = 'POST /v1/client/margin_mode'

function malformedWrite(error: Failure, write: string, body: unknown): Failure {
  const reason = error.meta?.reason
  const [first, ...others] = bodyFaults(write, body).toSorted(
    (a, b) => Number(b.reason === reason) - Number(a.reason === reason),
  )
  if (first) return faultsFailure(error.code, [first, ...others])
  if (write !== MARGIN_MODE) return error
  const next = 'Close the position and cancel the orders of the market before you change its mode.'
  const meta = { parameter: 'default_margin_mode', reason: 'in_use', next } as const
  return new Failure(error.code, meta, { cause: error })
}

function parsedBody(body: string): unknown {
  try {
    return parseExact(body, LIMITS.httpBodyDepthMax)
  } catch (error) {
    reportUnexpected('gateway', error, SyntaxError, RangeError)
    return null
  }
}

/** The meta of a refused order; null if no published rule explains the refusal. Throws Failure. */
async function readOrderMeta(
  deps: MarketAccess,
  { code, meta }: Failure,
  orders: readonly SentOrder[],
): Promise<FailureMeta | null> {
  const rules = rowsAt(JSON.parse((await marketRules(deps)).reply.text()), 'rules')
  const infos = new Map(rules.map(({ symbol, info }) => [symbol, isObject(info) ? info : {}]))
  const unlisted = orders.find(({ symbol }) => !infos.has(symbol))
  if (code === 'not_found') return unlisted ? unknownMarket(unlisted, rules) : null
  const marketInfo = ({ symbol }: SentOrder) => infos.get(symbol) ?? {}
  if (meta?.reason === 'price_range') {
    const marks = await readMarkPrices(deps)
    const found = brokenBound(orders, PRICES.members, (order) =>
      boundsAtMark(order, marks.get(order.symbol), marketInfo(order)),
    )
    return found && { ...found, reason: 'price_range' }
  }
  const { members, limits } = code === 'price_out_of_range' ? PRICES : SIZES
  const found = brokenBound(orders, members, (order) => limits(marketInfo(order)))
  const minNotional = orders.flatMap((order) => toFloat(marketInfo(order)['min_notional']) ?? [])[0]
  const isSmall = code === 'notional_too_small' && minNotional !== undefined
  return found && { ...found, ...(isSmall && { reason: 'out_of_range', minNotional }) }
}

async function readMarkPrices(
  deps: MarketAccess,
): Promise<ReadonlyMap<unknown, number | undefined>> {
  const { reply } = await markets(deps)
  const rows = rowsAt(JSON.parse(reply.text()), 'markets')
  return new Map(rows.map((row) => [row['symbol'], toFloat(row['mark_price'])]))
}

function unknownMarket({ path, symbol }: SentOrder, rules: readonly Row[]): FailureMeta {
  const symbols = rules.map((row) => String(row['symbol']))
  const { suggestion: similar } = suggestion(symbol, symbols)
  const next =
    similar && `${similar} has a similar name and is another market. ${MEANT_MARKET_NOTE}`
  return { parameter: `${path}symbol`, reason: 'unknown_market', ...(next && { next }) }
}

const MEANT_MARKET_NOTE = 'Send the write for it only if it is the market that was meant.'

import { isMultiple, parseDecimal, SCALE } from '../../core/decimals.ts'
import { Failure, type FailureMeta } from '../../core/failure.ts'
import { isObject, numberOf, parsedJson } from '../../core/json.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { Envelope } from '../../spec/envelope.ts'
import type { FailureCode } from '../../spec/failures.ts'
import { marketRules } from '../market/markets.ts'
import type { MarketDeps } from '../market/shaped.ts'

type Fields = Readonly<Record<string, unknown>>

/** Which number of an order a refusal is about, and what its market asks of it. */
type Rule = {
  readonly parameter: 'order_price' | 'order_quantity'
  readonly limits: (info: Fields) => Limits
}

type Limits = { readonly tick?: number; readonly min?: number; readonly max?: number }

const SIZE: Rule = {
  parameter: 'order_quantity',
  limits: (info) => limitsOf(info, { tick: 'base_tick', min: 'base_min', max: 'base_max' }),
}

const RULES: Readonly<Partial<Record<FailureCode, Rule>>> = {
  price_out_of_range: {
    parameter: 'order_price',
    limits: (info) => limitsOf(info, { tick: 'quote_tick', min: 'quote_min', max: 'quote_max' }),
  },
  size_out_of_range: SIZE,
  notional_too_small: SIZE,
}

/**
 * The venue's refusal of an order's price, size or value with what its market asks: the parameter, why, its tick and
 * bounds, the smallest value. Anything else, and what no rules can be read for, comes back as it is.
 */
export async function explainedOrder(
  deps: MarketDeps,
  error: unknown,
  { body }: Pick<Envelope, 'body'>,
): Promise<unknown> {
  const rule = error instanceof Failure ? RULES[error.code] : undefined
  const order = orderOf(body ?? '')
  if (!rule || !order || !(error instanceof Failure)) return error
  const info = await infoOf(deps, order['symbol']).catch(orElse('gateway', null, Failure))
  if (!info) return error
  return new Failure(error.code, metaOf(error.code, rule, { order, info }), { cause: error })
}

function metaOf(
  code: FailureCode,
  { parameter, limits }: Rule,
  { order, info }: { readonly order: Fields; readonly info: Fields },
): FailureMeta {
  const found = limits(info)
  if (code === 'notional_too_small') {
    const minNotional = numberOf(info['min_notional'])
    const value = minNotional === undefined ? {} : { minNotional }
    return { parameter, reason: 'out_of_range', ...found, ...value }
  }
  const isOff = found.tick !== undefined && isOffTick(order[parameter], found.tick)
  return { parameter, reason: isOff ? 'not_a_multiple' : 'out_of_range', ...found }
}

function limitsOf(info: Fields, names: Readonly<Record<keyof Limits, string>>): Limits {
  const [tick, min, max] = [names.tick, names.min, names.max].map((name) => numberOf(info[name]))
  return {
    ...(typeof tick === 'number' && { tick }),
    ...(typeof min === 'number' && { min }),
    ...(typeof max === 'number' && { max }),
  }
}

function isOffTick(given: unknown, tick: number): boolean {
  const isNumber = typeof given === 'number' || typeof given === 'string'
  const value = isNumber ? parseDecimal(String(given), SCALE) : null
  const step = parseDecimal(String(tick), SCALE)
  return value !== null && step !== null && step > 0n && !isMultiple(value, step)
}

/** The body of an order; null where it is none. */
function orderOf(body: string): Fields | null {
  const order = parsedJson(body)
  return isObject(order) && typeof order['symbol'] === 'string' ? order : null
}

/** A market's cached rules. Throws Failure. */
async function infoOf(deps: MarketDeps, symbol: unknown): Promise<Fields | null> {
  const { reply } = await marketRules(deps)
  const { rules } = JSON.parse(reply.text())
  const rows: readonly unknown[] = Array.isArray(rules) ? rules : []
  const row = rows.find((candidate) => isObject(candidate) && candidate['symbol'] === symbol)
  return isObject(row) && isObject(row['info']) ? row['info'] : null
}

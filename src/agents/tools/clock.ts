import { ADVANCE_LIMITS, ADVANCE_PATH, type AdvanceUntil } from '../../contract/venue/advance.ts'
import { isObject, rowsAt } from '../../core/json.ts'
import { accountWrite } from '../account-call.ts'
import { invalidArgument } from '../refusal.ts'
import { trimmedPayload } from '../results.ts'
import { figure } from '../rows.ts'
import type { Tool } from '../tool.ts'
import {
  argumentSchema,
  choice,
  decimal,
  optional,
  symbolFilter,
  text,
  wholeNumber,
} from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { cleanedPayload, UNTRUSTED } from '../untrusted-text.ts'
import { symbolIn } from '../views/market.ts'

/** Maximum rows per list in the answer to a read. */
const ROWS = 25
const UNTIL = ['fill', 'price_above', 'price_below', 'order_done', 'liquidation'] as const

type Wanted = {
  readonly symbol?: string | undefined
  readonly value?: number | undefined
  readonly order_id?: number | undefined
  readonly client_order_id?: string | undefined
}

const advanceClock = writeTool({
  name: 'advance_clock',
  description:
    'Moves the virtual clock of a practice venue, for all its accounts, until something happens or the time is over; then reads. ended says what happened. With times it does so again and again, up to 100 steps in one call.',
  arguments: argumentSchema({
    seconds: wholeNumber('The longest step.', { minimum: 0, maximum: ADVANCE_LIMITS.msMax / 1000 }),
    times: wholeNumber('Steps.', { minimum: 1, maximum: ADVANCE_LIMITS.stepsMax, default: 1 }),
    until: optional(choice(UNTIL, 'Early end of a step.')),
    symbol: optional(symbolFilter),
    value: optional(decimal('Mark price in USDC.')),
    order_id: optional(wholeNumber('For fill and order_done.', { minimum: 1 })),
    client_order_id: optional(text('For order_done.', { maxLength: 36 })),
    reads: optional(text('Paths to GET after each step, spaces between: /v1/positions.')),
  }),
  effect: 'moves the clock of all accounts by seconds',
  destructive: false,
  idempotent: false,
  run: async (context, { seconds, times, until, symbol: word, reads = '', ...rest }) => {
    const symbol = await symbolIn(context, word)
    const paths = reads.split(' ').filter((path) => path !== '')
    const step = {
      ms: seconds * 1000,
      ...(until && { until: advanceCondition(until, { ...rest, symbol }) }),
      reads: paths,
    }
    const answer = await accountWrite(context, {
      method: 'POST',
      path: ADVANCE_PATH,
      body: JSON.stringify({ steps: Array.from({ length: times }, () => step) }),
      lookUp: { tool: 'get_time', arguments: {} },
    })
    const steps = rowsAt(answer, 'steps').map((row) => shown(row, paths))
    const { value, cut } = trimmedPayload(cleanedPayload(steps), Math.max(times, ROWS))
    return {
      now: figure(answer, 'nowMs'),
      steps: value,
      steps_left: figure(answer, 'stepsLeft'),
      ...(cut && { truncated: true, more: 'Ask for fewer reads, or fewer times.' }),
      ...(paths.length > 0 && UNTRUSTED),
    }
  },
})

/** Tools that move a virtual clock. */
export const CLOCK_TOOLS: readonly Tool[] = [advanceClock]

/** The condition that ends a step. Throws invalid_request if a required argument is missing. */
function advanceCondition(until: (typeof UNTIL)[number], wanted: Wanted): AdvanceUntil {
  const { symbol, value, order_id: orderId, client_order_id } = wanted
  const named = orderId === undefined ? {} : { orderId }
  if (until === 'fill') return { fill: { ...named, ...(symbol && { symbol }) } }
  if (until === 'liquidation') return { liquidation: true }
  if (until === 'order_done')
    return { order: { ...named, ...(client_order_id && { clientOrderId: client_order_id }) } }
  if (symbol === undefined) throw invalidArgument('symbol', 'missing', { needed_by: until })
  if (value === undefined) throw invalidArgument('value', 'missing', { needed_by: until })
  return { price: { symbol, ...(until === 'price_above' ? { above: value } : { below: value }) } }
}

/** The answer to a step, with the answers to its reads by path. */
function shown(row: Readonly<Record<string, unknown>>, paths: readonly string[]): object {
  const answers = Array.isArray(row['reads']) ? row['reads'] : []
  const reads = Object.fromEntries(paths.map((path, at) => [path, answers[at] ?? null]))
  const { nowMs, advancedMs, ended } = row
  return {
    now: nowMs,
    advanced_ms: advancedMs,
    ended,
    ...(paths.length > 0 && isObject(reads) && { reads }),
  }
}

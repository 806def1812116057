import { isObject } from '../../core/json.ts'
import { accountRead } from '../account-call.ts'
import { publicTool } from '../agent-tool.ts'
import { DONE_STATUSES } from '../orders/filled.ts'
import { invalidArgument, refusal } from '../refusal.ts'
import { type Row, rowsAt } from '../rows.ts'
import type { SignedContext, Tool, ToolContext } from '../tool.ts'
import { args, choice, decimal, optional, symbolArgument, whole } from '../tool-arguments.ts'
import { cleaned } from '../untrusted-text.ts'
import { current, polled } from '../views/current.ts'
import { symbolIn } from '../views/market.ts'

const UNTIL = [
  'price_above',
  'price_below',
  'funding_above',
  'funding_below',
  'candle_close',
  'order_done',
  'position_closed',
] as const

type Until = (typeof UNTIL)[number]

type Wanted = {
  readonly symbol: string
  readonly value: number | undefined
  readonly orderId: number | undefined
}

/** What was looked at, and whether it is what was waited for. */
type Look = { readonly observed: unknown; readonly met: boolean }

/** A condition: what it needs to know, and what is looked at again and again. */
type Condition = {
  readonly needs?: 'value' | 'orderId'
  readonly watch: (
    context: ToolContext,
    wanted: Wanted,
    signal: AbortSignal,
  ) => AsyncGenerator<Look>
}

const CONDITIONS: Readonly<Record<Until, Condition>> = {
  price_above: {
    needs: 'value',
    watch: watching('mark', 'mark_price', (now, value) => now > value),
  },
  price_below: {
    needs: 'value',
    watch: watching('mark', 'mark_price', (now, value) => now < value),
  },
  funding_above: {
    needs: 'value',
    watch: watching('funding', 'est_funding_rate', (now, value) => now > value),
  },
  funding_below: {
    needs: 'value',
    watch: watching('funding', 'est_funding_rate', (now, value) => now < value),
  },
  candle_close: { watch: watchCandles },
  order_done: { needs: 'orderId', watch: watchOrder },
  position_closed: { watch: watchPosition },
}

const waitFor = publicTool({
  name: 'wait_for',
  title: 'Wait for',
  description:
    'Waits until a mark price or estimated funding rate passes value, the one-minute candle closes, an order is done or a position is closed; then answers what it saw. Out of time is met: false: call again to go on. The last two need credentials.',
  arguments: args({
    symbol: symbolArgument,
    until: choice(UNTIL, 'What for.'),
    value: optional(decimal('Price in USDC, or a funding rate as a fraction.')),
    orderId: optional(whole('For order_done.', { minimum: 1 })),
    timeoutSeconds: whole('How long.', { minimum: 1, maximum: 50, default: 25 }),
  }),
  run: async (context, { symbol, until, value, orderId, timeoutSeconds }) => {
    const condition = CONDITIONS[until]
    const wanted = { symbol: (await symbolIn(context, symbol)) ?? symbol, value, orderId }
    if (condition.needs && wanted[condition.needs] === undefined) {
      throw invalidArgument(condition.needs, 'missing', { needed_by: until })
    }
    const end = context.beginWait()
    try {
      const look = await lookUntil(context, condition, wanted, timeoutSeconds * 1000)
      return cleaned({ ...look, ts: context.clock.nowMs() })
    } finally {
      end()
    }
  },
})

export const WAIT_TOOLS: readonly Tool[] = [waitFor]

async function lookUntil(
  context: ToolContext,
  { watch }: Condition,
  wanted: Wanted,
  waitMs: number,
): Promise<Look> {
  const signal = AbortSignal.timeout(waitMs)
  let last: Look = { observed: null, met: false }
  try {
    for await (const look of watch(context, wanted, signal)) {
      last = look
      if (look.met || signal.aborted) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return last
}

type ReadOf = (context: ToolContext, symbol: string) => () => Promise<unknown>

/** Where the same is read, for a service that has no live data. */
const READS: Readonly<Record<'mark' | 'funding', ReadOf>> = {
  mark:
    ({ client }, symbol) =>
    async () => {
      const rows = rowsAt(await client.get('/api/prep/markets'), 'markets')
      return rows.find((row) => row['symbol'] === symbol)
    },
  funding:
    ({ client }, symbol) =>
    () =>
      client.get('/api/prep/funding', { symbol }),
}

/** Watches one number of a public topic. */
function watching(
  topic: 'mark' | 'funding',
  field: string,
  passes: (now: number, value: number) => boolean,
): Condition['watch'] {
  return async function* watch(context, { symbol, value = 0 }, signal) {
    const read = READS[topic]
    for await (const data of current(
      context,
      `${topic}:${symbol}`,
      read(context, symbol),
      signal,
    )) {
      const now = isObject(data) ? data[field] : undefined
      if (typeof now === 'number') yield { observed: now, met: passes(now, value) }
    }
  }
}

/** The first candle after the one that was running ends the wait; the one that has closed is what was seen. */
async function* watchCandles(
  context: ToolContext,
  { symbol }: Wanted,
  signal: AbortSignal,
): AsyncGenerator<Look> {
  let running: Row | undefined
  const read = () => context.client.get('/api/prep/candles', { symbol, interval: '1m', limit: '2' })
  for await (const data of current(context, `candles:${symbol}:1m`, read, signal)) {
    for (const row of rowsAt(data, 'rows').slice(-2)) {
      if (running && Number(row['timestamp']) > Number(running['timestamp'])) {
        yield { observed: running, met: true }
      }
      running = row
    }
    yield { observed: running ?? null, met: false }
  }
}

async function* watchOrder(
  context: ToolContext,
  { orderId }: Wanted,
  signal: AbortSignal,
): AsyncGenerator<Look> {
  const own = signedContext(context)
  for await (const order of polled(() => accountRead(own, `/v1/order/${orderId}`), signal)) {
    yield { observed: order, met: isObject(order) && DONE_STATUSES.has(order['status']) }
  }
}

async function* watchPosition(
  context: ToolContext,
  { symbol }: Wanted,
  signal: AbortSignal,
): AsyncGenerator<Look> {
  const own = signedContext(context)
  const read = async () => {
    const rows = rowsAt(await accountRead(own, '/v1/positions'), 'rows')
    return rows.find((row) => row['symbol'] === symbol) ?? null
  }
  for await (const position of polled(read, signal)) {
    yield { observed: position, met: Number(position?.['position_qty'] ?? 0) === 0 }
  }
}

function signedContext(context: ToolContext): SignedContext {
  const { credentials } = context
  if (!credentials) throw refusal('unauthorized')
  return { ...context, credentials }
}

import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { ClientFailure } from '../client/client.ts'
import { toolRefusal } from '../refusal.ts'
import { figure } from '../rows.ts'
import type { ToolContext } from '../tool.ts'

const POLL_MS = 2000

/** The messages of a live topic. Polls `read` instead if the service has no live data, or the account owns the clock. */
export async function* liveOrPolled(
  context: ToolContext,
  topic: string,
  read: () => Promise<unknown>,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  if (context.ownsClock) return yield* polled(context, read, signal)
  try {
    for await (const { data } of liveMessages(context, topic, signal)) yield data
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.code !== 'not_configured') throw error
    yield* polled(context, read, signal)
  }
}

/** Repeats a read, by default every two seconds, and yields each answer until the signal aborts. */
export async function* polled<T>(
  { timers }: ToolContext,
  read: () => Promise<T>,
  signal: AbortSignal,
  everyMs = POLL_MS,
): AsyncGenerator<T> {
  while (!signal.aborted) {
    yield await read()
    await timers.sleep(everyMs, signal)
  }
}

/** Reads the venue's time from a market's order book, which is never cached. It may differ widely from this machine's time. */
export async function bookTimeMs(
  { client, venueClock }: ToolContext,
  symbol: string,
): Promise<number> {
  const book = await client.get('/api/prep/orderbook', { symbol })
  return isObject(book) ? figure(book, 'ts') || venueClock.nowMs() : venueClock.nowMs()
}

/**
 * Reads the venue's time by a new request, because another caller may have advanced the clock since the last answer.
 */
export async function refreshedVenueMs({ client, venueClock }: ToolContext): Promise<number> {
  await client.get('/api/prep/config').catch(defaultOnFailure('mcp', null, ClientFailure))
  return venueClock.nowMs()
}

/** Reads the venue's time from the order book of its first market, for an account's histories and limits. */
export async function venueTimeMs(context: ToolContext): Promise<number> {
  const [market] = rowsAt(await context.client.get('/api/prep/markets'), 'markets')
  return market ? bookTimeMs(context, String(market['symbol'])) : context.venueClock.nowMs()
}

async function* liveMessages(
  context: ToolContext,
  topic: string,
  signal: AbortSignal,
): AsyncGenerator<Row> {
  for await (const message of context.client.listen([topic], signal)) {
    if (!isObject(message)) continue
    if (message['type'] === 'error')
      throw toolRefusal('not_found', { parameter: 'symbol', reason: 'unknown_market' })
    if (message['type'] === 'bye') return
    if (message['topic'] === topic && message['type'] !== 'stale') yield message
  }
}

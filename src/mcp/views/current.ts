import { ClientFailure } from '../../client/client.ts'
import { isObject } from '../../core/json.ts'
import { after, guarded } from '../../core/loop/guarded.ts'
import { refusal } from '../refusal.ts'
import type { Row } from '../rows.ts'
import type { ToolContext } from '../tool.ts'

const POLL_MS = 2000

/** What a live topic says, as it happens; where the service has no live data, what a read answers every two seconds. */
export async function* current(
  context: ToolContext,
  topic: string,
  read: () => Promise<unknown>,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  try {
    for await (const { data } of messagesOf(context, topic, signal)) yield data
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.code !== 'not_configured') throw error
    yield* polled(read, signal)
  }
}

/** What a read answers, again and again: every two seconds unless said otherwise. */
export async function* polled<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
  everyMs = POLL_MS,
): AsyncGenerator<T> {
  while (!signal.aborted) {
    yield await read()
    await pause(signal, everyMs)
  }
}

/** So long, or until the time is over. */
function pause(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = guarded('mcp', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    })
    const timer = after('mcp', ms, done)
    signal.addEventListener('abort', done)
  })
}

async function* messagesOf(
  context: ToolContext,
  topic: string,
  signal: AbortSignal,
): AsyncGenerator<Row> {
  for await (const message of context.client.listen([topic], signal)) {
    if (!isObject(message)) continue
    if (message['type'] === 'error')
      throw refusal('not_found', { parameter: 'symbol', reason: 'unknown_market' })
    if (message['type'] === 'bye') return
    if (message['topic'] === topic && message['type'] !== 'stale') yield message
  }
}

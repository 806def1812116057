import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import { EngineAway } from '../../core/engines/health.ts'
import type { FeedBus, FeedMessage } from '../../core/feed.ts'
import { after, reportUnexpected } from '../../core/loop/guarded.ts'
import { UpstreamError } from '../../core/ports.ts'
import { type FeedEvent, feedRequestText } from './wire.ts'

type Answer = Extract<FeedEvent, { kind: 'book' } | { kind: 'no_book' }>

/**
 * Order book snapshots that followers request from the leader. All callers that wait for the same book share one
 * snapshot, because changes follow the snapshot.
 */
export function createRequestedBooks(bus: Pick<FeedBus, 'send'>) {
  const waiting = new Map<string, PromiseWithResolvers<FeedMessage>>()
  const asking = new Set<string>()

  function settle(answer: Answer): void {
    const found = waiting.get(answer.subject)
    waiting.delete(answer.subject)
    if (answer.kind === 'book') found?.resolve(answer.message)
    else found?.reject(new UpstreamError('unreachable', false))
  }

  async function ask(symbol: string): Promise<FeedMessage> {
    const found = waiting.get(symbol)
    if (found) return found.promise
    const asked = Promise.withResolvers<FeedMessage>()
    waiting.set(symbol, asked)
    const fail = (fault: 'timeout' | 'reset') => () => {
      if (waiting.get(symbol) === asked) waiting.delete(symbol)
      asked.reject(new UpstreamError(fault, true))
    }
    const timer = after('upstream', STREAM_LIMITS.feedRequestMs, fail('timeout'))
    bus
      .send('asks', feedRequestText({ kind: 'book', subjects: [symbol] }))
      .catch((error: unknown) => {
        reportUnexpected('upstream', error, EngineAway)
        fail('reset')()
      })
    try {
      return await asked.promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** Loads a book from the venue. Null if a load of the same book is already running. */
  async function load(symbol: string, read: () => Promise<FeedMessage>): Promise<Answer | null> {
    if (asking.has(symbol)) return null
    asking.add(symbol)
    try {
      return { kind: 'book', subject: symbol, message: await read() }
    } catch (error) {
      reportUnexpected('upstream', error, UpstreamError)
      return { kind: 'no_book', subject: symbol }
    } finally {
      asking.delete(symbol)
    }
  }

  return {
    ask,
    load,
    settle,
    /** Fails all pending requests, because the leader is gone. */
    lose: () => {
      for (const subject of [...waiting.keys()]) settle({ kind: 'no_book', subject })
    },
  }
}

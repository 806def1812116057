import type { FeedSink } from '../../core/feed.ts'
import { after } from '../../core/loop/guarded.ts'
import type { LiveVenue } from '../live/live.ts'
import type { FaultDesk } from './rules.ts'

/** How long a connection that ended stays away before it is there again, for callers in this process. */
const AWAY_MS = 500

/** The live wire behind its faults: messages get lost or doubled, connections end and come back. */
export type FaultyLive = {
  readonly live: LiveVenue
  /** Ends every connection, which come back to the venue that there is then. */
  readonly interrupt: () => void
}

/** Puts a live wire, which may be another one later, behind its faults. */
export function faultyLive(current: () => LiveVenue, faults: () => FaultDesk): FaultyLive {
  const lines = new Set<Line>()

  function open<Sink extends FeedSink>(sink: Sink, listen: (sink: Sink) => () => void): () => void {
    const line = openLine(sink, faults, listen)
    lines.add(line)
    return () => {
      lines.delete(line)
      line.end()
    }
  }

  return {
    live: {
      subscribe: (topic, sink) => open(sink, (heard) => current().subscribe(topic, heard)),
      account: (auth, sink) => open(sink, (heard) => current().account(auth, heard)),
      stateOf: (accountId, topic) => current().stateOf(accountId, topic),
      book: (symbol) => current().book(symbol),
      fault: (topic) => current().fault(topic),
      moved: () => current().moved(),
      nudge: (accountId) => current().nudge(accountId),
      size: () => current().size(),
      close: () => current().close(),
    },
    interrupt: () => {
      for (const line of lines) line.disconnect()
    },
  }
}

type Line = { readonly end: () => void; readonly disconnect: () => void }

/** Lets somebody listen behind the faults of what arrives. */
function openLine<Sink extends FeedSink>(
  sink: Sink,
  faults: () => FaultDesk,
  listen: (sink: Sink) => () => void,
): Line {
  let timer: Timer | undefined
  const begin = () => listen({ ...sink, message })
  let endHearing = begin()

  function message(told: Parameters<FeedSink['message']>[0]): void {
    const kinds = faults()
      .hits('stream', told.topic)
      .map(({ rule }) => rule.kind)
    if (kinds.includes('disconnect')) disconnect()
    else if (!kinds.includes('lost')) {
      sink.message(told)
      if (kinds.includes('doubled')) sink.message(told)
    }
  }

  function end(): void {
    clearTimeout(timer)
    endHearing()
  }

  function disconnect(): void {
    end()
    timer = after('venue', AWAY_MS, () => {
      endHearing = begin()
    })
    sink.lost()
  }

  return { end, disconnect }
}

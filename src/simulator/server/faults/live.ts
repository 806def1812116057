import type { FeedSink } from '../../../core/feed.ts'
import { after } from '../../../core/loop/guarded.ts'
import type { LiveVenue } from '../../stream/live.ts'
import { sumHits } from './front.ts'
import type { FaultInjector } from './rules.ts'

/** Time after which an ended connection is opened again, for callers in this process. */
const AWAY_MS = 500

/** The live feed with faults: messages are lost or doubled, and connections end and reopen. */
type FaultyLive = {
  readonly live: LiveVenue
  /** Delivers the messages that became due because a virtual clock moved. */
  readonly moved: () => void
  /** Ends all connections. They are opened again later, to the venue that is current at that time. */
  readonly interrupt: () => void
}

type LiveFaultOptions = {
  readonly faults: () => FaultInjector
  /** How long the next live message travels, in ms. */
  readonly feedMs: () => number
  readonly nowMs: () => number
  /** Whether late messages wait for a virtual clock or in real time. */
  readonly isVirtual: boolean
}

/** Puts faults and latency in front of the current live feed, which commands may replace. */
export function faultyLive(current: () => LiveVenue, parts: LiveFaultOptions): FaultyLive {
  const lines = new Set<Line>()

  function open<Sink extends FeedSink>(sink: Sink, listen: (sink: Sink) => () => void): () => void {
    const line = openLine(sink, parts, listen)
    lines.add(line)
    return () => {
      lines.delete(line)
      line.end()
    }
  }

  return {
    live: {
      subscribe: (topic, sink) =>
        open(sink, (subscriber) => current().subscribe(topic, subscriber)),
      account: (auth, sink) => open(sink, (subscriber) => current().account(auth, subscriber)),
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
    moved: () => {
      for (const line of lines) line.deliver()
    },
  }
}

type Line = {
  readonly end: () => void
  readonly disconnect: () => void
  /** Delivers the late messages that have become due. */
  readonly deliver: () => void
}

type LiveMessage = Parameters<FeedSink['message']>[0]

/** Subscribes a sink to messages that have passed faults and latency. */
function openLine<Sink extends FeedSink>(
  sink: Sink,
  { faults, feedMs, nowMs, isVirtual }: LiveFaultOptions,
  listen: (sink: Sink) => () => void,
): Line {
  let timer: Timer | undefined
  let late: { readonly atMs: number; readonly event: LiveMessage }[] = []
  let lastMs = 0
  const begin = () => listen({ ...sink, message })
  let endHearing = begin()

  function message(event: LiveMessage): void {
    const hits = faults().hits('stream', event.topic)
    const kinds = hits.map(({ rule }) => rule.kind)
    if (kinds.includes('disconnect')) disconnect()
    else if (!kinds.includes('lost')) {
      // Only a fault that delays a message changes the order of messages.
      lastMs = Math.max(lastMs, nowMs() + feedMs())
      const atMs = lastMs + sumHits(hits, 'late', ({ rule }) => rule.ms)
      for (const _ of kinds.includes('doubled') ? [1, 2] : [1]) send(event, atMs)
    }
  }

  function send(event: LiveMessage, atMs: number): void {
    const waitMs = atMs - nowMs()
    if (waitMs <= 0) sink.message(event)
    else {
      late.push({ atMs, event })
      late.sort((a, b) => a.atMs - b.atMs)
      if (!isVirtual) after('venue', waitMs, deliver)
    }
  }

  function deliver(): void {
    const due = late.filter(({ atMs }) => atMs <= nowMs())
    late = late.filter(({ atMs }) => atMs > nowMs())
    for (const { event } of due) sink.message(event)
  }

  function end(): void {
    late = []
    lastMs = 0
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

  return { end, disconnect, deliver }
}

import { createBoundedMap } from '../../../core/bounded-map.ts'
import type { FeedSink } from '../../../core/feed.ts'
import { after } from '../../../core/loop/guarded.ts'
import { LIMITS } from '../../../spec/limits.ts'
import { FAULT_LIMITS, type FaultKind } from '../../../spec/venue/faults.ts'
import { normal } from '../../base/rng.ts'
import type {
  Delivery,
  VenueAnswer,
  VenueDoor,
  VenueRequest,
  VenueResponse,
} from '../../messages/message.ts'
import type { LiveVenue } from '../../stream/live.ts'
import type { FaultInjector, Hit } from './rules.ts'

type Parts = {
  readonly faults: FaultInjector
  readonly sleep: (ms: number) => Promise<void>
}

/** A venue with injected faults: calls are delayed, failed or altered, before the venue has acted or after. */
export function faultFront(answer: VenueAnswer, { faults, sleep }: Parts): VenueDoor {
  const firsts = createFirstAnswers(faults)

  async function hitBy(hits: readonly Hit[], request: VenueRequest): Promise<Delivery> {
    const delayMs = sumOf(hits, 'delay', delayOf)
    if (delayMs > 0) await sleep(delayMs)
    const skewMs = sumOf(hits, 'skew', ({ rule }) => rule.ms)
    const before = firstOf(hits, BEFORE)
    if (before) return before()
    const response = await answer(skewMs === 0 ? request : { ...request, skewMs })
    if (hits.some(({ rule }) => rule.kind === 'stale')) return firsts(request, response)
    const after = firstOf(hits, AFTER)
    return after ? after(response) : response
  }

  return async (request) => {
    const [path = ''] = request.path.split('?', 1)
    const hits = faults.hits('call', path)
    return hits.length === 0 ? answer(request) : hitBy(hits, request)
  }
}

const JSON_TYPE = { 'content-type': 'application/json' } as const
const HTML = '<html><body><h1>The server is not available</h1></body></html>'

/** Faults that replace the answer before the venue has acted. */
const BEFORE: Readonly<Partial<Record<FaultKind, () => Delivery>>> = {
  stall: () => ({ broken: 'stall' }),
  'reset-before': () => ({ broken: 'reset' }),
  busy: () => refusalOf(429, -1003, 'Rate limit exceeded.'),
  'error-500': () =>
    refusalOf(500, -1000, 'An unknown error occurred while processing the request.'),
  'error-502': () => page(502),
  'error-503': () => page(503),
  maintenance: () => refusalOf(503, -1000, 'The system is under maintenance.'),
}

/** Faults that change the answer after the venue has acted. */
const AFTER: Readonly<Partial<Record<FaultKind, (response: VenueResponse) => Delivery>>> = {
  'reset-after': () => ({ broken: 'reset' }),
  truncated: (response) => ({
    ...response,
    body: response.body.slice(0, Math.floor(response.body.length / 2)),
  }),
  huge: (response) => ({ ...response, body: padded(response.body) }),
  'wrong-type': (response) => ({
    ...response,
    headers: { ...response.headers, 'content-type': 'text/html' },
  }),
}

function firstOf<Act>(hits: readonly Hit[], acts: Readonly<Partial<Record<FaultKind, Act>>>) {
  for (const { rule } of hits) {
    const act = acts[rule.kind]
    if (act) return act
  }
  return undefined
}

function sumOf(hits: readonly Hit[], kind: FaultKind, of: (hit: Hit) => number): number {
  return hits.reduce((sum, hit) => sum + (hit.rule.kind === kind ? of(hit) : 0), 0)
}

/** A fixed delay, or a lognormal one with that median. */
function delayOf({ rule, rng }: Hit): number {
  const factor = rule.sigma === 0 ? 1 : Math.exp(rule.sigma * normal(rng))
  return Math.min(FAULT_LIMITS.delayMaxMs, Math.round(Math.max(0, rule.ms) * factor))
}

function refusalOf(status: number, code: number, message: string): VenueResponse {
  return { status, headers: JSON_TYPE, body: JSON.stringify({ success: false, code, message }) }
}

function page(status: number): VenueResponse {
  return { status, headers: { 'content-type': 'text/html' }, body: HTML }
}

/** A valid JSON body that is larger than any client reads. */
function padded(body: string): string {
  return body + ' '.repeat(LIMITS.upstreamBodyMaxBytes + 1 - body.length)
}

/** Stale reads: each gets the first answer to the same read since faults last changed. Writes are not affected. */
function createFirstAnswers(faults: FaultInjector) {
  const firsts = createBoundedMap<string, VenueResponse>(FAULT_LIMITS.staleAnswersMax)
  let changes = 0
  return (request: VenueRequest, response: VenueResponse): VenueResponse => {
    if (request.method !== 'GET' && !request.path.startsWith('/v1/public/')) return response
    if (changes !== faults.changes()) firsts.clear()
    changes = faults.changes()
    const { path, body = '', headers } = request
    const key = [headers['orderly-account-id'], path, body].join(' ')
    const first = firsts.get(key) ?? response
    firsts.put(key, first)
    return first
  }
}

/** The time until an ended connection is opened again, for callers in this process. */
const AWAY_MS = 500

/** The live wire with faults: messages are lost or doubled, connections end and are opened again. */
type FaultyLive = {
  readonly live: LiveVenue
  /** Delivers what a moved virtual clock has made due. */
  readonly moved: () => void
  /** Ends all connections, which are opened again on the then current venue. */
  readonly interrupt: () => void
}

type LiveParts = {
  readonly faults: () => FaultInjector
  /** How long the next live message is under way. */
  readonly feedMs: () => number
  readonly nowMs: () => number
  /** Whether late messages wait for a virtual clock instead of real time. */
  readonly isVirtual: boolean
}

/** Adds faults and latency to the current live wire, which may change. */
export function faultyLive(current: () => LiveVenue, parts: LiveParts): FaultyLive {
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
  /** Delivers the late messages that are due. */
  readonly deliver: () => void
}

type LiveMessage = Parameters<FeedSink['message']>[0]

/** Subscribes a sink to messages after faults and latency. */
function openLine<Sink extends FeedSink>(
  sink: Sink,
  { faults, feedMs, nowMs, isVirtual }: LiveParts,
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
      // Messages stay in order, but for those that a fault holds back.
      lastMs = Math.max(lastMs, nowMs() + feedMs())
      const atMs = lastMs + sumOf(hits, 'late', ({ rule }) => rule.ms)
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

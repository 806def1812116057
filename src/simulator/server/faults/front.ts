import { LIMITS } from '../../../contract/limits.ts'
import { FAULT_LIMITS, type FaultKind } from '../../../contract/venue/faults.ts'
import { createBoundedMap } from '../../../core/bounded-map.ts'
import { isObject, parsedJson } from '../../../core/json.ts'
import { normal } from '../../base/rng.ts'
import type {
  VenueAnswer,
  VenueDelivery,
  VenueEndpoint,
  VenueRequest,
  VenueResponse,
} from '../../messages/message.ts'
import type { FaultInjector, Hit } from './rules.ts'

type FaultActions = {
  readonly faults: FaultInjector
  readonly sleep: (ms: number) => Promise<void>
  /** Cancels orders of an account without publishing the cancellations. */
  readonly cancelSilently: (accountId: string, orderIds: readonly number[]) => void
}

/** A venue with injected faults. They delay, fail or alter calls, before or after the venue has acted. */
export function faultFront(
  answer: VenueAnswer,
  { faults, sleep, cancelSilently }: FaultActions,
): VenueEndpoint {
  const firsts = createFirstAnswers(faults)
  const duplicates = createDuplicates()

  async function hitBy(hits: readonly Hit[], request: VenueRequest): Promise<VenueDelivery> {
    const delayMs = sumHits(hits, 'delay', drawDelayMs)
    if (delayMs > 0) await sleep(delayMs)
    const before = firstAct(hits, BEFORE)
    if (before) return before()
    const response = await answer(changed(request, hits))
    if (isAmong(hits, 'silent-cancel'))
      cancelSilently(request.headers['orderly-account-id'] ?? '', placedIn(request, response))
    if (isAmong(hits, 'duplicate')) duplicates.put(request, response)
    if (isAmong(hits, 'stale')) return firsts(request, response)
    return firstAct(hits, AFTER)?.(response) ?? response
  }

  return async (request) => {
    const [path = ''] = request.path.split('?', 1)
    const hits = faults.hits('call', path)
    const second = duplicates.take(request)
    const delivery = await (hits.length === 0 ? answer(request) : hitBy(hits, request))
    if (second === undefined || isTaken(delivery)) return second ?? delivery
    duplicates.put(request, second)
    return delivery
  }
}

const JSON_TYPE = { 'content-type': 'application/json' } as const
const HTML = '<html><body><h1>The server is not available</h1></body></html>'

/** Faults that replace the answer, so that the venue does not act. */
const BEFORE: Readonly<Partial<Record<FaultKind, () => VenueDelivery>>> = {
  stall: () => ({ broken: 'stall' }),
  'reset-before': () => ({ broken: 'reset' }),
  busy: () => faultRefusal(429, -1003, 'Rate limit exceeded.'),
  'error-500': () =>
    faultRefusal(500, -1000, 'An unknown error occurred while processing the request.'),
  'error-502': () => page(502),
  'error-503': () => page(503),
  maintenance: () => faultRefusal(503, -1000, 'The system is under maintenance.'),
}

/** Faults that change the answer after the venue has acted. */
const AFTER: Readonly<Partial<Record<FaultKind, (response: VenueResponse) => VenueDelivery>>> = {
  'reset-after': () => ({ broken: 'reset' }),
  truncated: (response) => ({
    ...response,
    body: response.body.slice(0, Math.floor(response.body.length / 2)),
  }),
  huge: (response) => ({ ...response, body: oversizedBody(response.body) }),
  'wrong-type': (response) => ({
    ...response,
    headers: { ...response.headers, 'content-type': 'text/html' },
  }),
}

/** A call with the changes that faults make before the venue acts. */
function changed(request: VenueRequest, hits: readonly Hit[]): VenueRequest {
  const skewMs = sumHits(hits, 'skew', ({ rule }) => rule.ms)
  const partly = hits.find(({ rule }) => rule.kind === 'partial-fill')
  if (skewMs === 0 && !partly) return request
  return {
    ...request,
    ...(skewMs !== 0 && { skewMs }),
    ...(partly && { fillShare: partly.rule.share }),
  }
}

function isAmong(hits: readonly Hit[], kind: FaultKind): boolean {
  return hits.some(({ rule }) => rule.kind === kind)
}

function firstAct<Act>(hits: readonly Hit[], acts: Readonly<Partial<Record<FaultKind, Act>>>) {
  for (const { rule } of hits) {
    const act = acts[rule.kind]
    if (act) return act
  }
  return undefined
}

export function sumHits(hits: readonly Hit[], kind: FaultKind, of: (hit: Hit) => number): number {
  return hits.reduce((sum, hit) => sum + (hit.rule.kind === kind ? of(hit) : 0), 0)
}

/** The delay in ms: the rule's own delay, or a draw from a lognormal distribution whose median is the rule's delay. */
function drawDelayMs({ rule, rng }: Hit): number {
  const factor = rule.sigma === 0 ? 1 : Math.exp(rule.sigma * normal(rng))
  return Math.min(FAULT_LIMITS.delayMaxMs, Math.round(Math.max(0, rule.ms) * factor))
}

function faultRefusal(status: number, code: number, message: string): VenueResponse {
  return { status, headers: JSON_TYPE, body: JSON.stringify({ success: false, code, message }) }
}

function page(status: number): VenueResponse {
  return { status, headers: { 'content-type': 'text/html' }, body: HTML }
}

/** A valid JSON body that is too large for any client. */
function oversizedBody(body: string): string {
  return body + ' '.repeat(LIMITS.upstreamBodyMaxBytes + 1 - body.length)
}

/** Keeps answers to writes. The next write with the same path and account gets the kept answer again. */
function createDuplicates() {
  const waiting = createBoundedMap<string, VenueResponse>(FAULT_LIMITS.duplicatesMax)
  return {
    put(request: VenueRequest, response: VenueResponse): void {
      const isOfAccount = request.headers['orderly-account-id'] !== undefined
      if (isWrite(request) && isOfAccount) waiting.put(callKey(request), response)
    },
    /**
     * The earlier answer that a duplicate fault delivers instead of the answer to this write; undefined without such a
     * fault.
     */
    take(request: VenueRequest): VenueResponse | undefined {
      if (waiting.weight() === 0) return undefined
      const second = waiting.get(callKey(request))
      waiting.drop(callKey(request))
      return second
    },
  }
}

/**
 * Whether the venue has accepted a call for the account that the call names. Only then may the caller get kept answers
 * of that account.
 */
function isTaken(delivery: VenueDelivery): boolean {
  return 'status' in delivery && delivery.status === 200
}

function isWrite({ method, path }: VenueRequest): boolean {
  return method !== 'GET' && !path.startsWith('/v1/public/')
}

function callKey({ method, path, headers }: VenueRequest): string {
  return [headers['orderly-account-id'], method, path.split('?', 1)].join(' ')
}

/** Implements stale reads: a read gets the first answer to the same read since faults last changed. */
function createFirstAnswers(faults: FaultInjector) {
  const firsts = createBoundedMap<string, VenueResponse>(FAULT_LIMITS.staleAnswersMax)
  let changes = 0
  return (request: VenueRequest, response: VenueResponse): VenueResponse => {
    if (isWrite(request) || !isTaken(response)) return response
    if (changes !== faults.changes()) firsts.clear()
    changes = faults.changes()
    const { path, body = '', headers } = request
    const key = [headers['orderly-account-id'], path, body].join(' ')
    const first = firsts.get(key) ?? response
    firsts.put(key, first)
    return first
  }
}

/** Paths that place orders in the book. */
const PLACING_PATHS: ReadonlySet<string> = new Set(['/v1/order', '/v1/batch-order'])

/** The ids of the orders that a write has placed, taken from its answer. */
function placedIn({ method, path }: VenueRequest, { body }: VenueResponse): number[] {
  if (method !== 'POST' || !PLACING_PATHS.has(path)) return []
  const answer = parsedJson(body)
  const data = isObject(answer) ? answer['data'] : undefined
  const rows = isObject(data) && Array.isArray(data['rows']) ? data['rows'] : [data]
  return rows.flatMap((row) => (isObject(row) && row['order_id'] ? [Number(row['order_id'])] : []))
}

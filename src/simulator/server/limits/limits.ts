import {
  BATCH_CALL,
  QUERY_RATE,
  RATE_WINDOWS_MAX,
  RATES,
  type RateRow,
  UNDOCUMENTED_RATE,
} from '../../../contract/venue/rates.ts'
import { isObject, parsedJson } from '../../../core/json.ts'
import type { Clock } from '../../../core/ports.ts'
import type { VenueAnswer, VenueRequest, VenueResponse } from '../../messages/message.ts'
import { createRouter } from '../router.ts'
import { createWindows, type Rate, type RollingWindows } from './window.ts'

type Counted = {
  readonly key: string
  readonly rate: Rate
  readonly weight: number
}

/**
 * A venue with rate limits on the venue's clock. Each documented call has a rate per trading key or per address. A call
 * above its rate is not executed and gets 429 with -1003, or RATE_LIMIT_EXCEEDED in the query API.
 */
export function limited(answer: VenueAnswer, clock: Clock): VenueAnswer {
  const windows = createWindows(RATE_WINDOWS_MAX)
  const countedOf = createCounting()
  return async (request) => {
    const nowMs = clock.nowMs()
    const [path = ''] = request.path.split('?', 1)
    if (path === QUERY_RATE.path) return queried(answer, windows, request, nowMs)
    const counted = countedOf(request, path)
    // A refused batch places no order, and both of its rates stay unused.
    const isThere = ({ key, rate, weight }: Counted) => windows.has(key, rate, weight, nowMs)
    if (!counted.every(isThere)) return refused(nowMs)
    for (const { key, rate, weight } of counted) windows.use(key, rate, weight, nowMs)
    return answer(request)
  }
}

type RatedRow = Pick<RateRow, 'by' | 'requests' | 'seconds'> & { readonly call: string }

/**
 * Returns a function that lists the rates that count a call: the rate of the call, and for a batch also the rate of its
 * orders.
 */
function createCounting(): (request: VenueRequest, path: string) => readonly Counted[] {
  const rows = new Map(
    RATES.flatMap((rate) => rate.calls.map((call) => [call, { ...rate, call }] as const)),
  )
  const find = createRouter([...rows.keys()].map(callRoute))

  function counted(request: VenueRequest, row: RatedRow, weight: number): Counted {
    return { key: `${row.call} ${limitedCaller(request, row.by)}`, rate: row, weight }
  }

  return (request, path) => {
    const found = find(request.method, path)?.row
    const call = `${request.method} ${found?.path ?? path}`
    const by = request.headers['orderly-key'] === undefined ? 'address' : 'key'
    const own = counted(request, rows.get(call) ?? { ...UNDOCUMENTED_RATE, by, call }, 1)
    const single = rows.get(BATCH_CALL.single)
    if (call !== BATCH_CALL.batch || !single) return [own]
    return [own, counted(request, single, ordersIn(request))]
  }
}

function callRoute(call: string) {
  const [method = '', path = ''] = call.split(' ')
  return { method, path }
}

function limitedCaller({ headers, peer }: VenueRequest, by: RateRow['by']): string {
  return by === 'key' ? (headers['orderly-key'] ?? peer ?? '') : (peer ?? '')
}

function ordersIn({ body }: VenueRequest): number {
  const fields = bodyFields(body)
  return Array.isArray(fields['orders']) ? fields['orders'].length : 0
}

function bodyFields(body = ''): Readonly<Record<string, unknown>> {
  const fields = parsedJson(body)
  return isObject(fields) ? fields : {}
}

/** An answer of the query API that shows the remaining rate. */
async function queried(
  answer: VenueAnswer,
  windows: RollingWindows,
  request: VenueRequest,
  nowMs: number,
): Promise<VenueResponse> {
  const rate = { requests: QUERY_RATE.weight, seconds: QUERY_RATE.seconds }
  const weights: Readonly<Record<string, number>> = QUERY_RATE.weights
  const weight = weights[String(bodyFields(request.body)['type'])] ?? QUERY_RATE.otherWeight
  const key = `${QUERY_RATE.path} ${request.peer ?? ''}`
  const left = windows.use(key, rate, weight, nowMs)
  const waitMs = left === null ? windows.waitMs(key, rate, weight, nowMs) : 0
  const headers = {
    'x-ratelimit-limit': String(rate.requests),
    'x-ratelimit-remaining': String(left ?? 0),
    'x-ratelimit-reset': String(nowMs + rate.seconds * 1000),
    'x-ratelimit-weight': String(weight),
  }
  if (left === null) {
    const fields = { code: 'RATE_LIMIT_EXCEEDED', retry_after: waitMs, ts: nowMs }
    const retry = { 'retry-after': String(Math.ceil(waitMs / 1000)) }
    return busy({ ...headers, ...retry }, fields)
  }
  const response = await answer(request)
  return { ...response, headers: { ...response.headers, ...headers } }
}

function refused(nowMs: number): VenueResponse {
  return busy({}, { code: -1003, timestamp: nowMs })
}

function busy(headers: Readonly<Record<string, string>>, fields: object): VenueResponse {
  const body = JSON.stringify({ success: false, message: 'Rate limit exceeded.', ...fields })
  return { status: 429, headers: { 'content-type': 'application/json', ...headers }, body }
}

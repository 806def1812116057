import { OPERATIONS } from '../../spec/operations.ts'
import { ROUTES } from '../../spec/routes.ts'
import { codeOf } from '../http/responses.ts'
import { targetOf } from '../http/target.ts'
import type { Answered } from './tally.ts'

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(ROUTES).map(([id, { path }]) => [path, id]),
)
const OPERATION_PREFIX = ROUTES.operation.path.replace('{id}', '')

/** The name under which a request is counted: one of our tables', whatever was asked for. */
function operationOf(request: Request): string {
  const target = targetOf(request.url)
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const name = NAMES.get(path)
  if (name !== undefined) return name
  if (path.startsWith(OPERATION_PREFIX)) {
    const id = path.slice(OPERATION_PREFIX.length)
    return Object.hasOwn(OPERATIONS, id) ? id : 'unknown'
  }
  if (path === '/' || path === '/favicon.svg' || path.startsWith('/trade')) return 'page'
  return path.startsWith('/swagger') ? 'reference' : 'unknown'
}

/** An answer straight out of memory. */
const HIT = { code: null, cache: 'hit', refusedBy: null, requestId: '' } as const

/** What the console counts of an answer; without a response it came straight out of memory. */
export function answeredOf(request: Request, response: Response | null, tookMs: number): Answered {
  const operation = operationOf(request)
  if (response === null) return { ...HIT, operation, tookMs }
  const { status, headers } = response
  return {
    operation,
    code: status < 400 ? null : codeOf(response),
    tookMs,
    cache: cacheOf(headers.get('cache-status')),
    refusedBy: status === 429 ? policyOf(headers.get('ratelimit')) : null,
    requestId: headers.get('x-request-id') ?? '',
  }
}

function cacheOf(status: string | null): Answered['cache'] {
  if (status === null) return null
  if (status.includes('miss')) return 'miss'
  return status.includes('ttl=-') || status.endsWith('ttl=0') ? 'stale' : 'hit'
}

function policyOf(limit: string | null): string {
  return /^"(\w+)"/.exec(limit ?? '')?.[1] ?? 'unknown'
}

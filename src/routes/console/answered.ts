import { codeOf } from '../http/responses.ts'
import type { Answered } from './tally.ts'

/** What the console counts of an answer; without a response it came straight out of memory. */
export function answeredOf(operation: string, response: Response | null, tookMs: number): Answered {
  if (response === null) {
    return { operation, code: null, tookMs, cache: 'hit', refusedBy: null, requestId: null }
  }
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

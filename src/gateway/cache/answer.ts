import type { Lifetime } from '../../contract/limits.ts'
import type { Reply } from '../scrub/reply.ts'
import type { Scrub } from '../scrub/scrub.ts'
import { cacheHeaders, type Served } from './cache.ts'

/** The result of a verb: scrubbed bytes and their headers. */
export type Answer = {
  readonly status: 200 | 202
  readonly reply: Reply
  readonly headers: Readonly<Record<string, string>>
}

export const NO_STORE = { 'cache-control': 'no-store' } as const

/** An answer that must not be cached (`no-store`). */
export function uncachedAnswer(reply: Reply, headers?: Readonly<Record<string, string>>): Answer {
  return { status: 200, reply, headers: headers ? { ...NO_STORE, ...headers } : NO_STORE }
}

/** Scrubs an answer that is private to its caller. The answer must not be cached. */
export function privateAnswer(
  { scrub }: { readonly scrub: Pick<Scrub, 'value'> },
  value: unknown,
): Answer {
  return uncachedAnswer(scrub.value(value, { audience: 'private' }))
}

/** An answer from the cache, with its age and lifetime. */
export function cachedAnswer(served: Served, lifetime: Lifetime): Answer {
  return { status: 200, reply: served.reply, headers: cacheHeaders(served, lifetime) }
}

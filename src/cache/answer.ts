import type { Reply } from '../scrub/reply.ts'
import type { Lifetime } from '../spec/limits.ts'
import { cacheHeaders, type Served } from './cache.ts'

/** What a verb answers: scrubbed bytes, and the headers that belong to them. */
export type Answer = {
  readonly status: 200 | 202
  readonly reply: Reply
  readonly headers: Readonly<Record<string, string>>
}

const NO_STORE = { 'cache-control': 'no-store' } as const

/** An answer that nobody may keep. */
export function fresh(reply: Reply, headers?: Readonly<Record<string, string>>): Answer {
  return { status: 200, reply, headers: headers ? { ...NO_STORE, ...headers } : NO_STORE }
}

/** An answer out of the cache, with its age and lifetime. */
export function cached(served: Served, lifetime: Lifetime): Answer {
  return { status: 200, reply: served.reply, headers: cacheHeaders(served, lifetime) }
}

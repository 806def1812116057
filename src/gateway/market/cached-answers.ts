import type { Route } from '../../contract/routes.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Clock, Upstream } from '../../core/ports.ts'
import { type Answer, cachedAnswer } from '../cache/answer.ts'
import type { Cache } from '../cache/cache.ts'
import type { DecimalRows } from '../scrub/decimal-rows.ts'
import type { Reply } from '../scrub/reply.ts'
import type { Scrub, ScrubPolicy } from '../scrub/scrub.ts'
import type { Operator } from '../venue/operator-call.ts'
import { readPayload } from '../venue/read.ts'

/** Loads the venue's data and builds the scrubbed answer. */
type Load = () => Promise<Reply>

/** The cache key and lifetime of answers. */
export type CachePolicy = Pick<Required<Route>, 'cacheKey' | 'lifetime'>

/** Answers from the cache. Concurrent callers share one load. Throws Failure. */
export async function answerFromCache(
  { cache }: Pick<MarketAccess, 'cache'>,
  { cacheKey, lifetime }: CachePolicy,
  load: Load,
): Promise<Answer> {
  const served = cache.peek(cacheKey, lifetime) ?? (await cache.serve(cacheKey, lifetime, load))
  return cachedAnswer(served, lifetime)
}

/** The cache key and lifetime of answers. The parameters become part of the key, in the given sequence. */
export function cachePolicyWith(
  { cacheKey, lifetime }: CachePolicy,
  parameters: Readonly<Record<string, string | number>>,
): CachePolicy {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  return { cacheKey: `${cacheKey}?${pairs.join('&')}`, lifetime }
}

/** Reads and parses a public path; numbers keep their digits as sent. Throws Failure. */
export async function readParsed(
  deps: Pick<MarketAccess, 'upstream'>,
  path: string,
): Promise<unknown> {
  return readPayload(deps, { path })
}

const PUBLIC: ScrubPolicy = { audience: 'public' }

/** Scrubs a public answer built here. */
export function publicReply(
  { scrub }: Pick<MarketAccess, 'scrub'>,
  value: unknown,
  exempt?: readonly string[],
): Reply {
  return scrub.value(value, exempt ? { ...PUBLIC, exempt } : PUBLIC)
}

/** Scrubs a public answer that is already JSON text. */
export function publicText({ scrub }: Pick<MarketAccess, 'scrub'>, json: string): Reply {
  return scrub.text(json, PUBLIC)
}

/** Scrubs a public answer with the list `rows`. The rows are JSON text without brackets, or already scanned. */
export function publicRowsReply(
  deps: Pick<MarketAccess, 'scrub'>,
  rows: DecimalRows | string,
): Reply {
  if (typeof rows === 'string') return publicText(deps, `{"rows":[${rows}]}`)
  return deps.scrub.around('{"rows":[', rows, ']}', PUBLIC)
}

/** Access for market reads: the venue, the cache, the scrub, the operator's id at the venue, and counters. */
export type MarketAccess = {
  readonly upstream: Upstream
  readonly cache: Cache
  readonly scrub: Scrub
  readonly operator: Pick<Operator, 'brokerId'>
  readonly meter: Pick<Meter, 'counter'>
}

/** Access for market reads that also need the venue's clock. */
export type TimedMarketAccess = MarketAccess & { readonly venueClock: Clock }

import { type Answer, cached } from '../../cache/answer.ts'
import { parseExact } from '../../core/json-text.ts'
import type { Reply } from '../../scrub/reply.ts'
import type { ScrubPolicy } from '../../scrub/scrub.ts'
import type { Lifetime } from '../../spec/limits.ts'
import type { Deps } from '../deps.ts'
import { readVenue } from '../venue-read.ts'

/** Bytes an operation builds from what the venue says. */
export type Load = () => Promise<Reply>

/** Answers from the cache, loading at most once however many ask. Throws Failure. */
export async function throughCache(
  deps: Deps,
  key: string,
  lifetime: Lifetime,
  load: Load,
): Promise<Answer> {
  return cached(
    deps.cache.peek(key, lifetime) ?? (await deps.cache.serve(key, lifetime, load)),
    lifetime,
  )
}

/** Reads a public path and parses it without losing how numbers were written. Throws Failure. */
export async function readParsed(deps: Deps, path: string): Promise<unknown> {
  return parseExact(await readVenue(deps, { path }))
}

const PUBLIC: ScrubPolicy = { audience: 'public' }

/** Scrubs a public answer built here. */
export function publicReply(deps: Deps, value: unknown, exempt?: readonly string[]): Reply {
  return deps.scrub.value(value, exempt ? { ...PUBLIC, exempt } : PUBLIC)
}

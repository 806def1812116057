import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Encoding } from '../../scrub/reply.ts'
import { LIMITS } from '../../spec/limits.ts'
import { headerOf } from './header.ts'

type RequestHeaders = Pick<Headers, 'get'>

/** What values of Accept-Encoding say: there are few, and reading one costs more than a small answer. */
const known = createBoundedMap<string, Encoding | null>(LIMITS.encodingsKnownMax)

/** The encoding to answer in by Accept-Encoding (RFC 9110, 12.5.3): zstd unless gzip is liked better. Throws invalid_request. */
export function encodingOf(requested: RequestHeaders): Encoding | null {
  const header = headerOf(requested, 'accept-encoding')
  if (header === null) return null
  const found = known.get(header)
  if (found !== undefined) return found
  const liked = likedBest(header)
  known.put(header, liked)
  return liked
}

function likedBest(header: string): Encoding | null {
  const [zstd, gzip] = [weightOf(header, ZSTD), weightOf(header, GZIP)]
  if (zstd > 0 && zstd >= gzip) return 'zstd'
  return gzip > 0 ? 'gzip' : null
}

/** Whether Accept-Encoding admits gzip: listed or `*`, and not with q=0. Throws invalid_request. */
export function acceptsGzip(requested: RequestHeaders): boolean {
  return weightOf(headerOf(requested, 'accept-encoding') ?? '', GZIP) > 0
}

const GZIP = /^(?:gzip|\*)\s*(?:;\s*q=([01](?:\.\d*)?))?$/i
/** Whoever takes anything may not know this one. */
const ZSTD = /^zstd\s*(?:;\s*q=([01](?:\.\d*)?))?$/i

function weightOf(header: string, pattern: RegExp): number {
  const weights = header.split(',').map((item) => pattern.exec(item.trim()))
  return Math.max(0, ...weights.map((match) => (match ? Number(match[1] ?? 1) : 0)))
}

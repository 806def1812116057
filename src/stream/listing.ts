import { Failure } from '../core/failure.ts'
import { every, orElse } from '../core/loop/guarded.ts'
import type { Reads } from './recipe.ts'

/** Which markets there are, without waiting for anybody. */
export type Listing = {
  /** Whether a market is listed. Before anything could be read every well-formed symbol may be. */
  readonly has: (symbol: string) => boolean
  readonly ready: Promise<void>
  readonly close: () => void
}

const REFRESH_MS = 30_000

/** A listing that is read now and again every half minute; what was read last stands. */
export function openListing({ markets }: Pick<Reads, 'markets'>): Listing {
  let symbols: ReadonlySet<string> | null = null
  const refresh = async () => {
    symbols = new Set((await markets()).map((row) => String(row['symbol'])))
  }
  const quietly = () => refresh().catch(orElse('stream', undefined, Failure))
  const timer = every('stream', REFRESH_MS, quietly)
  return {
    has: (symbol) => symbols === null || symbols.has(symbol),
    ready: quietly(),
    close: () => clearInterval(timer),
  }
}

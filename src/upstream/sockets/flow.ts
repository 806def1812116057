import { LIMITS } from '../../contract/limits.ts'
import { type Flowing, joined } from './exchange.ts'

/** A body between the connection that brings it and whoever reads it. */
export type Flow = {
  readonly push: (part: Uint8Array) => void
  readonly end: () => void
  readonly fail: (error: unknown) => void
  readonly body: Flowing
}

export type Valve = {
  /** Called when so much is unread that no more should come for now, and when that is over. */
  readonly setUnread: (isUnread: boolean) => void
  /** Called when nobody will read the rest. */
  readonly leave: () => void
}

/** The memory of the smallest part. */
const PART_MIN_BYTES = 512

/** An empty flow. Its valve is not called once the body has ended: the connection may carry another call by then. */
export function createFlow({ setUnread, leave }: Valve): Flow {
  let parts: Uint8Array[] = []
  let unreadBytes = 0
  let ended: { readonly error?: unknown } | null = null
  let changed = Promise.withResolvers<void>()

  function change(): void {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }

  function end(how: { readonly error?: unknown }): void {
    ended ??= how
    change()
  }

  /** All that is unread, in one piece. */
  function taken(): Uint8Array {
    const whole = joined(parts)
    if (unreadBytes > LIMITS.upstreamUnreadMaxBytes && !ended) setUnread(false)
    parts = []
    unreadBytes = 0
    return whole
  }

  /** The next bytes, as soon as they are there; null at the end. */
  async function next(): Promise<Uint8Array | null> {
    while (parts.length === 0 && !ended) await changed.promise
    if (parts.length > 0) return taken()
    if (ended && 'error' in ended) throw ended.error
    return null
  }

  function left(): void {
    if (!ended) leave()
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (let part = await next(); part; part = await next()) yield part
    } finally {
      left()
    }
  }

  return {
    push: (part) => {
      parts.push(part)
      unreadBytes += Math.max(part.byteLength, PART_MIN_BYTES)
      if (unreadBytes > LIMITS.upstreamUnreadMaxBytes) setUnread(true)
      change()
    },
    end: () => end({}),
    fail: (error) => end({ error }),
    body: { [Symbol.asyncIterator]: read, cancel: async () => left() },
  }
}

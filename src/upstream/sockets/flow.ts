import { LIMITS } from '../../contract/limits.ts'
import { type Flowing, joined } from './exchange.ts'

/** A buffer between the connection that receives a body and its reader. */
export type Flow = {
  readonly push: (part: Uint8Array) => void
  readonly end: () => void
  readonly fail: (error: unknown) => void
  readonly body: Flowing
}

export type Valve = {
  /** Called when the buffer is full enough to pause reading, and again when it may resume. */
  readonly setUnread: (isUnread: boolean) => void
  /** Called when the reader leaves before the end. */
  readonly leave: () => void
}

/** Minimum memory charged per part. */
const PART_MIN_BYTES = 512

/**
 * An empty flow. After the end of the body it calls no more functions of the valve: the connection may already carry
 * the next call.
 */
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

  /** All unread bytes, joined. */
  function taken(): Uint8Array {
    const whole = joined(parts)
    if (unreadBytes > LIMITS.upstreamUnreadMaxBytes && !ended) setUnread(false)
    parts = []
    unreadBytes = 0
    return whole
  }

  /** The next bytes when they arrive; null at the end. */
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

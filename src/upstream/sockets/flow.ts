import { LIMITS } from '../../contract/limits.ts'
import { joinedBytes, type StreamedBody } from './exchange.ts'

/** Buffers a body between the connection that receives it and its reader. */
export type Flow = {
  readonly push: (part: Uint8Array) => void
  readonly end: () => void
  readonly fail: (error: unknown) => void
  readonly body: StreamedBody
}

export type Valve = {
  /** Called with true when the buffer is full and reading must pause, and with false when it may resume. */
  readonly setUnread: (isUnread: boolean) => void
  /** Called when the reader stops before the end. */
  readonly leave: () => void
}

/** Minimum number of bytes that a part counts, because each part has a memory overhead. */
const PART_MIN_BYTES = 512

/**
 * Creates an empty buffer. After the body has ended it calls neither `setUnread` nor `leave`, because the connection
 * may already carry the next call.
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

  /** Removes all unread bytes and returns them joined. */
  function taken(): Uint8Array {
    const whole = joinedBytes(parts)
    if (unreadBytes > LIMITS.upstreamUnreadMaxBytes && !ended) setUnread(false)
    parts = []
    unreadBytes = 0
    return whole
  }

  /** Waits for the next bytes; null at the end of the body. */
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

import type { Flowing } from '../exchange.ts'

/** A body between the connection that brings it and whoever reads it. */
export type Flow = {
  readonly push: (part: Uint8Array) => void
  readonly end: () => void
  readonly fail: (error: unknown) => void
  readonly body: Flowing
}

export type Valve = {
  /** Told when so much is unread that no more should come for now, and when that is over. */
  readonly pause: () => void
  readonly resume: () => void
  /** Told when nobody will read the rest. */
  readonly leave: () => void
}

const UNREAD_MAX_BYTES = 1024 * 1024

export function createFlow({ pause, resume, leave }: Valve): Flow {
  const parts: Uint8Array[] = []
  let unreadBytes = 0
  let ended: { readonly error?: unknown } | null = null
  let heard = Promise.withResolvers<void>()

  function hear(): void {
    heard.resolve()
    heard = Promise.withResolvers<void>()
  }

  function end(how: { readonly error?: unknown }): void {
    ended ??= how
    hear()
  }

  function taken(part: Uint8Array): Uint8Array {
    const wasFull = unreadBytes > UNREAD_MAX_BYTES
    unreadBytes -= part.byteLength
    if (wasFull && unreadBytes <= UNREAD_MAX_BYTES) resume()
    return part
  }

  /** The next part, as soon as it is there; null at the end. */
  async function next(): Promise<Uint8Array | null> {
    while (parts.length === 0 && !ended) await heard.promise
    const part = parts.shift()
    if (part) return taken(part)
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
      unreadBytes += part.byteLength
      if (unreadBytes > UNREAD_MAX_BYTES) pause()
      hear()
    },
    end: () => end({}),
    fail: (error) => end({ error }),
    body: { [Symbol.asyncIterator]: read, cancel: async () => left() },
  }
}

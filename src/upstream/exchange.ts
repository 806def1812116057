import type { Method } from '../core/ports.ts'
import type { Ending } from './ending.ts'

/** A call as it goes out, byte for byte. */
export type Call = {
  /** The host that it goes to. */
  readonly url: URL
  /** Path and query there. */
  readonly target: string
  readonly method: Method
  /** Names in lower case, values without spaces around them. */
  readonly headers: Readonly<Record<string, string>>
  /** Null for no body. */
  readonly body: Uint8Array<ArrayBuffer> | null
}

/** What comes back: its head, and its body as it comes in, packed as it was sent. A `Response` is one. */
export type Answered = {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  /** All of it, where it came with the head. */
  readonly body: Uint8Array | Flowing | null
}

/** A body that comes in. Leaving it before its end closes the connection, as `cancel` does. */
export type Flowing = AsyncIterable<Uint8Array> & { readonly cancel: () => Promise<void> }

/**
 * Sends a call on a connection; no redirect is followed and nothing unpacked. Throws what the runtime throws:
 * `exchangeFault` knows what it means.
 */
export type Exchange = (call: Call, signal: Ending) => Promise<Answered>

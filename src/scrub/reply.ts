/**
 * A body that may be sent: bytes that have been through the scrub. A class with a private part, so that nothing else
 * type-checks as one, and not exported as a value, so that nobody else can make one.
 */
export type Reply = ScrubbedBytes

/** A reply of text that the scrub has finished with. For src/scrub/scrub.ts alone. */
export function replyOfScrubbed(text: string): Reply {
  return new ScrubbedBytes(new TextEncoder().encode(text))
}

/** A reply as it was kept. For src/cache/shelf.ts and src/gateway/relay/kept-outcome.ts, which keep only bytes of replies. */
export function restoreReply(bytes: Uint8Array): Reply {
  return new ScrubbedBytes(new Uint8Array(bytes))
}

/** A gzip stream costs some twenty bytes and a header of its own: below this it does not pay. */
const GZIP_MIN_BYTES = 1024
const GZIP_LEVEL = 6

class ScrubbedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  #etag: string | undefined
  #gzip: Uint8Array<ArrayBuffer> | null | undefined

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes
  }

  /** A strong entity tag of the bytes, in its quotes (RFC 9110, 8.8.3). */
  get etag(): string {
    this.#etag ??= `"${Bun.hash(this.bytes).toString(36)}"`
    return this.#etag
  }

  /** The bytes compressed, once; null when they are few or do not shrink. */
  gzip(): Uint8Array<ArrayBuffer> | null {
    if (this.#gzip === undefined) this.#gzip = compressed(this.bytes)
    return this.#gzip
  }

  /** The JSON text. */
  text(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes)
  }
}

function compressed(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  if (bytes.byteLength < GZIP_MIN_BYTES) return null
  const gzip = Bun.gzipSync(bytes, { level: GZIP_LEVEL })
  return gzip.byteLength < bytes.byteLength ? gzip : null
}

import { utf8 } from '../../core/bytes.ts'

/**
 * A body that may be sent: bytes that have been through the scrub. The class has a private part and is exported as a
 * type only, so that only this file can make one.
 */
export type Reply = ScrubbedBytes

/** A reply of text that the scrub has finished with. For src/gateway/scrub/scrub.ts alone. */
export function replyOfScrubbed(text: string): Reply {
  return new ScrubbedBytes(utf8(text))
}

/** A reply as it was kept. For src/gateway/cache/responses.ts and src/gateway/relay/outcomes.ts, which keep only bytes of replies. */
export function restoreReply(bytes: Uint8Array): Reply {
  return new ScrubbedBytes(new Uint8Array(bytes))
}

class ScrubbedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  #etag: string | null | undefined
  #packed: Map<Encoding, Uint8Array<ArrayBuffer> | null> | undefined

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes
  }

  /**
   * A strong entity tag of the bytes, in its quotes (RFC 9110, 8.8.3); null for a short reply, which is cheaper to send
   * than to revalidate.
   */
  get etag(): string | null {
    this.#etag ??= this.isPackable ? `"${Bun.hash(this.bytes).toString(36)}"` : null
    return this.#etag
  }

  /** Whether the bytes are many enough to be packed. */
  get isPackable(): boolean {
    return isPackable(this.bytes)
  }

  /** The bytes packed for many answers, once; null when they are few or do not shrink. */
  packed(encoding: Encoding): Uint8Array<ArrayBuffer> | null {
    this.#packed ??= new Map()
    const known = this.#packed.get(encoding)
    if (known !== undefined) return known
    const made = packed(this.bytes, encoding, 'many')
    this.#packed.set(encoding, made)
    return made
  }

  /** The same by gzip. */
  gzip(): Uint8Array<ArrayBuffer> | null {
    return this.packed('gzip')
  }

  /** The JSON text. */
  text(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes)
  }
}

/** A content coding that answers are packed in (RFC 9110, 8.4.1; zstd is RFC 8878). */
export type Encoding = 'zstd' | 'gzip'

/**
 * Minimum size of a body that is packed: a packed stream costs some twenty bytes and a header, so below this it does
 * not pay.
 */
const PACKED_MIN_BYTES = 1024

type Bytes = Uint8Array<ArrayBuffer>

type Packer = (bytes: Bytes) => Bytes

/** Up to here zstd packs as tightly on its first level as on its third, in two thirds of the time. */
const FIRST_LEVEL_MAX_BYTES = 128 * 1024

/** For bodies that are packed once and sent often. zstd gives the smaller body in a quarter of the time. */
const THOROUGH: Readonly<Record<Encoding, Packer>> = {
  zstd: (bytes) => new Uint8Array(Bun.zstdCompressSync(bytes, { level: zstdLevel(bytes) })),
  gzip: (bytes) => Bun.gzipSync(bytes, { level: 6, library: 'libdeflate' }),
}

function zstdLevel({ byteLength }: Bytes): number {
  return byteLength > FIRST_LEVEL_MAX_BYTES ? 3 : 1
}

/** For bodies that are sent once. */
const QUICK: Readonly<Record<Encoding, Packer>> = {
  zstd: THOROUGH.zstd,
  gzip: (bytes) => Bun.gzipSync(bytes, { level: 1, library: 'libdeflate' }),
}

/** Whether bytes are many enough to be packed. */
function isPackable({ byteLength }: Bytes): boolean {
  return byteLength >= PACKED_MIN_BYTES
}

/** Bytes packed, for one answer or for many; null when they are few or do not shrink. */
export function packed(bytes: Bytes, encoding: Encoding, answers: 'one' | 'many'): Bytes | null {
  if (!isPackable(bytes)) return null
  const shorter = (answers === 'one' ? QUICK : THOROUGH)[encoding](bytes)
  return shorter.byteLength < bytes.byteLength ? shorter : null
}

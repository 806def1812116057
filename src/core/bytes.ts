/** The UTF-8 bytes of a text; lone surrogates become U+FFFD. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text)
}

/** The bytes of all parts, one after the other. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((total, { length }) => total + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const ENCODER = new TextEncoder()

/** Bytes of memory that many share, so that no number of peers can take more together. */
export type ByteBudget = {
  /** Takes so many bytes for an owner; false, and nothing is taken, when they are not there or the owner has its share. */
  readonly take: (bytes: number, owner?: string) => boolean
  /** Gives back what was taken. */
  readonly give: (bytes: number, owner?: string) => void
}

/**
 * With `shares`, an owner that holds more than this part of the free bytes takes no more: some are left for an owner that
 * comes later. An owner that holds none takes what is free.
 */
export function createByteBudget(maxBytes: number, shares = 0): ByteBudget {
  let takenBytes = 0
  const byOwner = new Map<string, number>()

  function note(bytes: number, owner: string): void {
    takenBytes += bytes
    const own = (byOwner.get(owner) ?? 0) + bytes
    if (own > 0) byOwner.set(owner, own)
    else byOwner.delete(owner)
  }

  return {
    take: (bytes, owner = '') => {
      const freeBytes = maxBytes - takenBytes
      if (bytes > freeBytes || (byOwner.get(owner) ?? 0) * shares > freeBytes) return false
      note(bytes, owner)
      return true
    },
    give: (bytes, owner = '') => note(-bytes, owner),
  }
}

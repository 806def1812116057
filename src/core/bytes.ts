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

/** A memory budget shared by many owners, so that any number of peers stays within one maximum. */
export type ByteBudget = {
  /**
   * Reserves bytes for an owner. If the number exceeds the free bytes or the owner's share, reserves nothing and
   * returns false.
   */
  readonly take: (bytes: number, owner?: string) => boolean
  /** Releases reserved bytes. */
  readonly give: (bytes: number, owner?: string) => void
}

/**
 * Creates a budget. With `shares`, an owner that already holds more than 1/shares of the free bytes is refused, which
 * leaves bytes for later owners. An owner without reservations may take all free bytes.
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

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
  /** Takes so many bytes; false, and nothing is taken, when they are not there. */
  readonly take: (bytes: number) => boolean
  /** Gives back what was taken. */
  readonly give: (bytes: number) => void
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let takenBytes = 0
  return {
    take: (bytes) => {
      if (takenBytes + bytes > maxBytes) return false
      takenBytes += bytes
      return true
    },
    give: (bytes) => {
      takenBytes -= bytes
    },
  }
}

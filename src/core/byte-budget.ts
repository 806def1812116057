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

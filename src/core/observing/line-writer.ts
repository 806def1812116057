/** A stream that takes text when it can: `settled` is called once it has, or with why it never will. */
export type TextStream = {
  readonly write: (text: string, settled: (error?: Error | null) => void) => unknown
}

/** Lines for a stream whose reader may be slow or gone: nothing waits for it. */
export type LineWriter = {
  /** Whether a line can be handed over now; what is written all the same is kept in memory. */
  readonly hasRoom: () => boolean
  /** Hands over one line, without its newline. */
  readonly write: (line: string) => void
}

/**
 * Lines for a stream, opened by the first, that may owe its reader about `backlogMaxBytes`. Once it owes that much there
 * is no room before half of it has been taken, so that what is missing is missing in one piece; nor is there any once
 * it has failed.
 */
export function createLineWriter(open: () => TextStream, backlogMaxBytes: number): LineWriter {
  let stream: TextStream | null = null
  let owedBytes = 0
  let isFull = false
  let isGone = false
  return {
    hasRoom: () => {
      isFull = owedBytes >= (isFull ? backlogMaxBytes / 2 : backlogMaxBytes)
      return !isFull && !isGone
    },
    write: (line) => {
      const bytes = Buffer.byteLength(line) + 1
      owedBytes += bytes
      stream ??= open()
      stream.write(`${line}\n`, (error) => {
        owedBytes -= bytes
        if (error) isGone = true
      })
    },
  }
}

/** The parts of the text that a trading key signs. `path` includes the query; an empty body is the same as no body. */
export type SignedRequest = {
  /** Milliseconds as decimal text, exactly as sent. */
  readonly timestamp: string
  readonly method: string
  readonly path: string
  /** Null, absent and empty are no body. */
  readonly body?: string | null | undefined
}

/** The text that a trading key signs: timestamp, METHOD, path and body, concatenated without separators. */
export function signedText({ timestamp, method, path, body }: SignedRequest): string {
  return timestamp + method.toUpperCase() + path + (body ?? '')
}

/** The text that a trading key's signature covers. `path` includes the query; an empty body counts as none. */
export type SignedRequest = {
  /** Milliseconds, as the decimal text that is sent. */
  readonly timestamp: string
  readonly method: string
  readonly path: string
  /** Null, absent and empty are no body. */
  readonly body?: string | null | undefined
}

/** The text a trading key signs: timestamp, METHOD, path and body, with nothing between them and nothing added. */
export function signedText({ timestamp, method, path, body }: SignedRequest): string {
  return timestamp + method.toUpperCase() + path + (body ?? '')
}

/** One call on the venue's wire. `path` includes the query; header names are lower-case. */
export type VenueRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** The caller's address; none for one in this process. */
  readonly peer?: string | undefined
}

export type VenueResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

/** Answers one call in the wire's envelope. Never rejects. */
export type VenueAnswer = (request: VenueRequest) => Promise<VenueResponse>

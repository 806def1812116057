/** One call on the venue's wire. `path` includes the query; header names are lower-case. */
export type VenueRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** The caller's address; undefined for a caller in this process. */
  readonly peer?: string | undefined
  /** The skew of the venue's clocks for this request, set by a fault. */
  readonly skewMs?: number
  /** The part of the takeable quantity that an order gets, set by a fault. */
  readonly fillShare?: number
}

export type VenueResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

/** Answers one call in the wire's envelope. Never rejects. */
export type VenueAnswer = (request: VenueRequest) => Promise<VenueResponse>

/** The outcome of one call: an answer, or a connection that breaks or hangs. */
export type VenueDelivery = VenueResponse | { readonly broken: 'reset' | 'stall' }

/** The venue behind its faults. Never rejects. */
export type VenueDoor = (request: VenueRequest) => Promise<VenueDelivery>

/** A JSON response of the wire. */
export function jsonResponse(status: number, content: unknown): VenueResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) }
}

/** A successful response: the wire's envelope with the row's members, usually `data`. */
export function successResponse(members: object, nowMs: number): VenueResponse {
  return jsonResponse(200, { success: true, timestamp: nowMs, ...members })
}

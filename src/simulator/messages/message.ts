import { LIMITS } from '../../contract/limits.ts'
import type { FeedMessage } from '../../core/feed.ts'
import { parseExact } from '../../core/json.ts'

/** One call to the venue. `path` includes the query; header names are in lower case. */
export type VenueRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** The caller's address; undefined if the caller is in this process. */
  readonly peer?: string | undefined
  /** How far a fault sets the venue's clocks ahead for this request. */
  readonly skewMs?: number
  /** The part of the available quantity that a fault lets an order take. */
  readonly fillShare?: number
}

export type VenueResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body: string
}

/** Answers a call with the venue's envelope. Never rejects. */
export type VenueAnswer = (request: VenueRequest) => Promise<VenueResponse>

/** The result of a call: an answer, or a connection that breaks or hangs. */
export type VenueDelivery = VenueResponse | { readonly broken: 'reset' | 'stall' }

/** The venue with injected faults in front of it. Never rejects. */
export type VenueEndpoint = (request: VenueRequest) => Promise<VenueDelivery>

/** A response with a JSON body. */
export function jsonResponse(status: number, content: unknown): VenueResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) }
}

/** A successful response: the venue's envelope around these members, usually `data`. */
export function successResponse(members: object, nowMs: number): VenueResponse {
  return jsonResponse(200, { success: true, timestamp: nowMs, ...members })
}

/** A message of the live feed with its data as JSON text. Cloning parsed data would lose the spelling of numbers. */
export type PackedMessage = Omit<FeedMessage, 'data'> & { readonly json: string }

/** Packs a message so that it can be sent to another thread. */
export function packMessage({ data, ...message }: FeedMessage): PackedMessage {
  return { ...message, json: JSON.stringify(data) ?? 'null' }
}

/** The original message, in which each number keeps its spelling. */
export function unpackMessage({ json, ...message }: PackedMessage): FeedMessage {
  return { ...message, data: parseExact(json, LIMITS.scrubDepthMax) }
}

import type { VenueResponse } from './message.ts'

/** An answer in the wire's language: JSON, whatever its status. */
export function responseOf(status: number, content: unknown): VenueResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) }
}

/** What a read came to, in the wire's envelope: the members that its row says, usually `data`. */
export function successOf(members: object, nowMs: number): VenueResponse {
  return responseOf(200, { success: true, timestamp: nowMs, ...members })
}

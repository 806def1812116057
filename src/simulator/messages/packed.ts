import { LIMITS } from '../../contract/limits.ts'
import type { FeedMessage } from '../../core/feed.ts'
import { parseExact } from '../../core/json.ts'

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

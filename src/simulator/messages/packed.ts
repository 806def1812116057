import { LIMITS } from '../../contract/limits.ts'
import type { FeedMessage } from '../../core/feed.ts'
import { parseExact } from '../../core/json.ts'

/** A message of the live wire with its data as JSON text, because cloning loses the spelling of numbers. */
export type PackedMessage = Omit<FeedMessage, 'data'> & { readonly json: string }

/** A message, ready to be sent to another thread. */
export function packMessage({ data, ...message }: FeedMessage): PackedMessage {
  return { ...message, json: JSON.stringify(data) ?? 'null' }
}

/** The message as it was: each number keeps its spelling. */
export function unpackMessage({ json, ...message }: PackedMessage): FeedMessage {
  return { ...message, data: parseExact(json, LIMITS.scrubDepthMax) }
}

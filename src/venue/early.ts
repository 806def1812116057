import { successOf, type VenueRequest, type VenueResponse } from './messages/message.ts'
import { LEVERAGES } from './rest/public/static.ts'

/**
 * What an embedded venue answers before it is opened, as it would when it is: what no world, account or command of its
 * operator changes. Null for everything else.
 */
export function earlyAnswer(
  { method, path }: Pick<VenueRequest, 'method' | 'path'>,
  nowMs: number,
): VenueResponse | null {
  if (method !== 'GET' || path !== LEVERAGES.path) return null
  return successOf({ data: LEVERAGES.content }, nowMs)
}

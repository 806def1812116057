import { createLive, type LiveTeller } from './live.ts'
import type { LiveParts } from './state.ts'
import { openWire } from './wire.ts'

/** Whoever tells, over this server's WebSocket. */
export function openTeller(parts: Omit<LiveParts, 'openWire'>): LiveTeller {
  return createLive({ ...parts, openWire })
}

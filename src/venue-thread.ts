import { guarded } from './core/loop/guarded.ts'
import { openVenueOn } from './main/venue-host.ts'
import { serveVenue } from './simulator/thread/serve.ts'

/**
 * The entry point of the embedded venue's thread. src/main.ts starts it as a Worker, and the executable contains both.
 * An uncaught error ends only this thread.
 */

declare const self: Worker

const RANDOM = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }

const receive = serveVenue({
  clock: { nowMs: Date.now },
  monotonicMs: () => performance.now(),
  open: (options, storePath, outside) =>
    openVenueOn(options, storePath, { ...outside, random: RANDOM }),
  send: (message) => postMessage(message),
})
self.onmessage = guarded('venue', ({ data }: MessageEvent) => receive(data))

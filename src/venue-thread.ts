import { guarded } from './core/loop/guarded.ts'
import { openVenueOn } from './main/venue-host.ts'
import { serveVenue } from './simulator/thread/serve.ts'

/**
 * The embedded venue's thread. The executable contains it in addition to src/main.ts, which starts it as a Worker. An
 * uncaught error ends only this thread.
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

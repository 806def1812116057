import { openVenueOn } from '../../../src/main/venue-host.ts'
import type { VenueService } from '../../../src/simulator/service.ts'
import { serveVenue } from '../../../src/simulator/thread/serve.ts'

/** The embedded venue's thread, which fails as the path or the body of a call says, once it has performed the body. */

declare const self: Worker

const FAILURES: Readonly<Record<string, () => void>> = {
  throw: () => void setTimeout(() => fail()),
  reject: () => void Promise.reject(new RangeError('a planted rejection')),
  exit: () => process.exit(3),
  overflow: () => void setTimeout(() => overflow(0)),
  loop: () => {
    for (;;);
  },
  // An answer without the call that it answers.
  malformed: () => postMessage({ kind: 'answer', value: 'stray' }),
  // Memory that a thread holds goes with it.
  memory: () => {
    const held: Uint8Array[] = []
    for (let each = 0; each < 64; each++) held.push(new Uint8Array(1_000_000).fill(each))
    fail()
  },
}

function fail(): never {
  throw new RangeError('a planted error')
}

function overflow(depth: number): number {
  return overflow(depth + 1) + 1
}

function failing(service: VenueService): VenueService {
  const { calls } = service
  return {
    ...service,
    calls: {
      ...calls,
      answer: async (request) => {
        const [, name = ''] = /\bfail-(\w+)/.exec(request.body ?? request.path) ?? []
        const failure = FAILURES[name]
        if (!failure) return calls.answer(request)
        if (request.body !== undefined) await calls.answer(request)
        setTimeout(failure)
        return new Promise(() => undefined)
      },
    },
  }
}

const RANDOM = { bytes: (length: number) => new Uint8Array(length) }

const receive = serveVenue({
  clock: { nowMs: Date.now },
  monotonicMs: () => performance.now(),
  open: (options, storePath, outside) => {
    if (options.seed === 666) fail()
    if (options.seed === 667) FAILURES['loop']?.()
    return failing(openVenueOn(options, storePath, { ...outside, random: RANDOM }))
  },
  send: (message) => postMessage(message),
})
self.onmessage = ({ data }: MessageEvent) => receive(data)

import { vi } from 'bun:test'
import { yieldToEventLoop } from '../../src/core/loop/guarded.ts'
import { type Upstream, UpstreamError, type UpstreamRequest } from '../../src/core/ports.ts'
import { type HttpUpstreamOptions, httpUpstream } from '../../src/upstream/http.ts'
import {
  type AnswerSpec,
  type Recorded,
  type RecordingUpstream,
  startRecordingUpstream,
} from '../recording-upstream.ts'

type Answering = (request: Recorded) => AnswerSpec | Promise<AnswerSpec>

const started: RecordingUpstream[] = []

/** A recording server that `stopVenues` stops. */
export async function startServer(answer?: Answering): Promise<RecordingUpstream> {
  const server = await startRecordingUpstream(answer)
  started.push(server)
  return server
}

/** A recording venue and the client of it: eight slots, three of them for writes, bodies of 100,000 bytes. */
export async function startVenue(answer?: Answering, options: Partial<HttpUpstreamOptions> = {}) {
  const venue = await startServer(answer)
  const base = new URL(venue.url)
  const limits = {
    proxied: () => false,
    concurrentMax: 8,
    writeReserved: 3,
    queuedMax: { read: 512, write: 512 },
    elapsedMs: () => performance.now(),
    bodyMaxBytes: 100_000,
    bodyDepthMax: 64,
    bodiesMaxBytes: { read: 1_000_000, write: 1_000_000 },
  }
  return { venue, upstream: httpUpstream({ main: base, vaults: base, ...limits, ...options }) }
}

/** To be called after each test. */
export async function stopVenues(): Promise<void> {
  for (const server of started.splice(0)) await server.stop()
}

export function read(
  path = '/v1/public/info',
  rest: Partial<UpstreamRequest> = {},
): UpstreamRequest {
  return {
    host: 'main',
    method: 'GET',
    path,
    headers: {},
    lane: 'read',
    deadlineMs: 60_000,
    ...rest,
  }
}

export function write(
  method: 'POST' | 'PUT' | 'DELETE',
  rest: Partial<UpstreamRequest> = {},
): UpstreamRequest {
  return read('/v1/order', { method, lane: 'write', ...rest })
}

/** How a call fails whose time is over when the venue has it and has said what it says, however slow the machine is. */
export async function timedOut(upstream: Upstream, call: UpstreamRequest, isThere: () => boolean) {
  vi.useFakeTimers()
  try {
    const fault = faultOf(upstream.send(call))
    while (!isThere()) await yieldToEventLoop()
    await turns()
    vi.advanceTimersByTime(call.deadlineMs)
    return await fault
  } finally {
    vi.useRealTimers()
  }
}

/** Lets everything come that was sent on loopback. */
async function turns(): Promise<void> {
  for (let passed = 0; passed < 50; passed += 1) await yieldToEventLoop()
}

/** How a call fails; an answer, or an error of another kind, fails the test. */
export async function faultOf(call: Promise<unknown>) {
  const error = await call.then(
    () => 'an answer',
    (reason: unknown) => reason,
  )
  if (!(error instanceof UpstreamError)) throw new Error(`no UpstreamError but ${error}`)
  return { fault: error.fault, sent: error.sent }
}

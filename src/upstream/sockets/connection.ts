import { LIMITS } from '../../contract/limits.ts'
import { detached, guarded, yieldToEventLoop } from '../../core/loop/guarded.ts'
import {
  type CallAbortSignal,
  joinedBytes,
  type StreamedBody,
  type StreamedResponse,
} from './exchange.ts'
import { createReading, type Head, type Progress, type Reading } from './reading.ts'
import type { Wire } from './wire.ts'

/** A connection that carries one call after another. */
export type Connection = {
  /**
   * Sends a request and resolves when the head of its answer has arrived. If the head does not arrive or the signal
   * ends the call, closes the connection and throws an Error.
   */
  readonly carry: (request: Uint8Array, signal: CallAbortSignal) => Promise<StreamedResponse>
  /** Whether any byte of the last call's answer arrived. */
  readonly wasAnswered: () => boolean
}

/** Creates a connection over an open socket. `onFree` is called whenever the connection is free for the next call. */
export function createConnection(wire: Wire, onFree: () => void): Connection {
  let carried: CallInProgress | null = null
  let last: Reading | null = null
  const pausing = createPausing(wire)

  function broken(error: unknown): void {
    const call = carried
    carried = null
    wire.destroy()
    call?.settle(error)
  }

  function over(call: CallInProgress, progress: Progress): void {
    carried = null
    const isKept = progress === 'whole' && call.keeps() && wire.isFlushed()
    if (isKept) pausing.end()
    else wire.close()
    call.end()
    if (isKept) onFree()
  }

  function take(call: CallInProgress, bytes: Buffer): void {
    try {
      const progress = call.reading.take(bytes)
      call.report(progress)
      if (progress === 'more') pausing.yieldAfter(bytes)
      else over(call, progress)
    } catch (error) {
      broken(error)
    }
  }

  wire.listen({
    data: (bytes) => {
      // Bytes that arrive without a call cannot be an answer.
      if (carried) take(carried, bytes)
      else wire.destroy()
    },
    ended: (error) => {
      if (carried && !error && carried.reading.endsWithConnection()) over(carried, 'spilled')
      else broken(error ?? new Error('the connection ended before its answer'))
    },
  })

  function carry(request: Uint8Array, signal: CallAbortSignal): Promise<StreamedResponse> {
    const stop = guarded('upstream', () => broken(signal.reason))
    const settled = Promise.withResolvers<StreamedResponse>()
    carried = newCallInProgress(settled, {
      setUnread: pausing.setUnread,
      leave: () => broken(new Error('nobody reads the rest')),
      done: () => signal.removeEventListener('abort', stop),
    })
    last = carried.reading
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    else if (wire.isOpen()) wire.write(request)
    else broken(new Error('the connection ended before its call'))
    return settled.promise
  }

  return { carry, wasAnswered: () => last?.hasBegun() ?? false }
}

/** A call that is in progress on a connection. */
type CallInProgress = {
  readonly reading: Reading
  readonly settle: (error: unknown) => void
  /** Passes the part of the answer that has arrived to the caller. */
  readonly report: (progress: Progress) => void
  readonly end: () => void
  /** Whether the connection may carry another call afterwards. */
  readonly keeps: () => boolean
}

type CallSettlers = {
  readonly resolve: (answered: StreamedResponse) => void
  readonly reject: (error: unknown) => void
}

type CallControls = Valve & {
  /** Called when the call ends, whether it succeeded or not. */
  readonly done: () => void
}

/** A call that waits for its answer. */
function newCallInProgress({ resolve, reject }: CallSettlers, means: CallControls): CallInProgress {
  const { done } = means
  let head: Head | null = null
  let flow: Flow | null = null
  let first: Uint8Array[] = []
  const reading = createReading({
    head: (found) => {
      head = found
    },
    part: (part) => {
      if (flow) flow.push(part)
      else first.push(part)
    },
  })

  function report(progress: Progress): void {
    if (!head || flow) return
    const { status, fields } = head
    const headers = { get: (name: string) => fields.get(name) ?? null }
    if (progress === 'more') {
      flow = createFlow(means)
      for (const part of first) flow.push(part)
    }
    resolve({ status, headers, body: flow?.body ?? joinedBytes(first) })
    first = []
  }

  return {
    reading,
    report: report,
    settle: (error) => {
      done()
      reject(error)
      flow?.fail(error)
    },
    end: () => {
      done()
      flow?.end()
    },
    keeps: () => head?.keeps ?? false,
  }
}

/** Pauses reading from a socket while at least one reason holds. */
type Pausing = {
  /** Sets whether the caller has left too much of the answer unread. */
  readonly setUnread: (isUnread: boolean) => void
  /** After a long read, pauses for one turn of the event loop so that other work can run. */
  readonly yieldAfter: (bytes: Buffer) => void
  /** Clears all reasons when the answer ends. */
  readonly end: () => void
}

const LONG_READ_BYTES = 65_536

function createPausing({ pause, resume }: Pick<Wire, 'pause' | 'resume'>): Pausing {
  let isUnread = false
  let isYielding = false
  let isPaused = false

  function set(reasons: { readonly unread?: boolean; readonly yielding?: boolean }): void {
    isUnread = reasons.unread ?? isUnread
    isYielding = reasons.yielding ?? isYielding
    if (isPaused === (isUnread || isYielding)) return
    isPaused = !isPaused
    if (isPaused) pause()
    else resume()
  }

  async function yieldTurn(): Promise<void> {
    set({ yielding: true })
    await yieldToEventLoop()
    set({ yielding: false })
  }

  return {
    setUnread: (unread) => set({ unread }),
    yieldAfter: ({ length }) => {
      if (length >= LONG_READ_BYTES) detached('upstream', yieldTurn())
    },
    end: () => set({ unread: false, yielding: false }),
  }
}

/** Buffers a body between the connection that receives it and its reader. */
type Flow = {
  readonly push: (part: Uint8Array) => void
  readonly end: () => void
  readonly fail: (error: unknown) => void
  readonly body: StreamedBody
}

type Valve = {
  /** Called with true when the buffer is full and reading must pause, and with false when it may resume. */
  readonly setUnread: (isUnread: boolean) => void
  /** Called when the reader stops before the end. */
  readonly leave: () => void
}

/** Minimum number of bytes that a part counts, because each part has a memory overhead. */
const PART_MIN_BYTES = 512

/**
 * Creates an empty buffer. After the body has ended it calls neither `setUnread` nor `leave`, because the connection
 * may already carry the next call.
 */
function createFlow({ setUnread, leave }: Valve): Flow {
  let parts: Uint8Array[] = []
  let unreadBytes = 0
  let ended: { readonly error?: unknown } | null = null
  let changed = Promise.withResolvers<void>()

  function change(): void {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }

  function end(how: { readonly error?: unknown }): void {
    ended ??= how
    change()
  }

  /** Removes all unread bytes and returns them joined. */
  function taken(): Uint8Array {
    const whole = joinedBytes(parts)
    if (unreadBytes > LIMITS.upstreamUnreadMaxBytes && !ended) setUnread(false)
    parts = []
    unreadBytes = 0
    return whole
  }

  /** Waits for the next bytes; null at the end of the body. */
  async function next(): Promise<Uint8Array | null> {
    while (parts.length === 0 && !ended) await changed.promise
    if (parts.length > 0) return taken()
    if (ended && 'error' in ended) throw ended.error
    return null
  }

  function left(): void {
    if (!ended) leave()
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (let part = await next(); part; part = await next()) yield part
    } finally {
      left()
    }
  }

  return {
    push: (part) => {
      parts.push(part)
      unreadBytes += Math.max(part.byteLength, PART_MIN_BYTES)
      if (unreadBytes > LIMITS.upstreamUnreadMaxBytes) setUnread(true)
      change()
    },
    end: () => end({}),
    fail: (error) => end({ error }),
    body: { [Symbol.asyncIterator]: read, cancel: async () => left() },
  }
}

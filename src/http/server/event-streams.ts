import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import { utf8 } from '../../core/bytes.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { Frame } from '../../gateway/scrub/frame.ts'
import type { ConnectionSink } from '../../live/sink.ts'

/** Server-sent event streams (WHATWG HTML, 9.2). The members of a group receive the same events. */
export type EventStreams = {
  /**
   * Opens a stream and returns its sink and its response body. Calls `gone` once when the reader disconnects. Calls
   * `closing` when the server ends the stream, because the reader may take longer to notice.
   */
  readonly open: (
    gone: () => void,
    closing: () => void,
  ) => { readonly sink: ConnectionSink; readonly body: ReadableStream }
  /** Sends a frame to each stream of a group. */
  readonly publish: (group: string, frame: Frame, place: string) => void
}

export function createEventStreams(): EventStreams {
  const groups: Groups = new Map()
  return {
    open: (gone, closing) => {
      const sink = new EventSink(groups, gone, closing)
      return { sink, body: sink.body }
    },
    publish: (group, frame, place) => {
      const sinks = groups.get(group)
      if (!sinks) return
      const bytes = frame.event(place)
      for (const sink of sinks) sink.push(bytes)
    },
  }
}

type Groups = Map<string, Set<EventSink>>

const OPENING = utf8(`retry: ${STREAM_LIMITS.retryMs}\n\n`)
const COMMENT = utf8(':\n\n')

class EventSink implements ConnectionSink {
  readonly transport = 'events'
  readonly body: ReadableStream
  readonly #groups: Groups
  readonly #gone: () => void
  readonly #closing: () => void
  readonly #joined = new Set<string>()
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null

  constructor(groups: Groups, gone: () => void, closing: () => void) {
    this.#groups = groups
    this.#gone = gone
    this.#closing = closing
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: STREAM_LIMITS.behindBytes })
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => this.#end(),
      },
      strategy,
    )
    this.push(OPENING)
  }

  // A broken connection counts as a stream that the reader cancelled.
  push(bytes: Uint8Array): void {
    try {
      this.#controller?.enqueue(bytes)
    } catch (error) {
      reportUnexpected('http', error, TypeError)
      this.#end()
    }
  }

  send(frame: Frame): void {
    this.push(frame.eventAt(null))
  }

  deliver(frames: readonly Frame[], place: string | null): void {
    const last = frames.length - 1
    for (const [at, frame] of frames.entries()) this.push(frame.eventAt(at === last ? place : null))
  }

  join(group: string): void {
    this.#joined.add(group)
    const sinks = this.#groups.get(group)
    if (sinks) sinks.add(this)
    else this.#groups.set(group, new Set([this]))
  }

  leave(group: string): void {
    this.#joined.delete(group)
    const sinks = this.#groups.get(group)
    sinks?.delete(this)
    if (sinks?.size === 0) this.#groups.delete(group)
  }

  bufferedBytes(): number {
    return STREAM_LIMITS.behindBytes - (this.#controller?.desiredSize ?? 0)
  }

  heartbeat(): boolean {
    this.push(COMMENT)
    return false
  }

  close(): void {
    if (!this.#controller) return
    this.#controller.close()
    this.#closing()
    this.#end()
  }

  #end(): void {
    this.#controller = null
    for (const group of [...this.#joined]) this.leave(group)
    this.#gone()
  }
}

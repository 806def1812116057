import type { Frame } from '../gateway/scrub/frame.ts'

/** What carries a connection: a WebSocket, or a stream of server-sent events. */
export type Transport = 'socket' | 'events'

/** One caller's end of a connection, whatever carries it. Nothing of it throws. */
export type ConnectionSink = {
  readonly transport: Transport
  readonly send: (frame: Frame) => void
  /** Sends several in order. `place` is where a caller that has them all would resume; null for nowhere. */
  readonly deliver: (frames: readonly Frame[], place: string | null) => void
  readonly join: (group: string) => void
  readonly leave: (group: string) => void
  /** Bytes handed over that have not left this process. */
  readonly bufferedBytes: () => number
  /** Asks whether anybody is still there, or keeps what stands between from giving up: whether an answer is due. */
  readonly heartbeat: () => boolean
  readonly close: (code: number, reason: string) => void
}

/** Sends to everybody who joined a group. `place` is where a caller that has it would resume. */
export type Publish = (group: string, frame: Frame, place: string) => void

import type { Frame } from '../gateway/scrub/frame.ts'

/** The transport of a connection: a WebSocket, or a stream of server-sent events. */
export type Transport = 'socket' | 'events'

/** The sending side of a connection, for any transport. Its functions never throw. */
export type ConnectionSink = {
  readonly transport: Transport
  readonly send: (frame: Frame) => void
  /**
   * Sends frames in order. `place`: the position from which the caller can resume after the last frame; null without
   * such a position.
   */
  readonly deliver: (frames: readonly Frame[], place: string | null) => void
  readonly join: (group: string) => void
  readonly leave: (group: string) => void
  /** Bytes that were written but have not left this process. */
  readonly bufferedBytes: () => number
  /** Sends a ping, or a comment so that proxies keep the idle connection open. Returns whether an answer is expected. */
  readonly heartbeat: () => boolean
  readonly close: (code: number, reason: string) => void
}

/** Sends a frame to all members of a group. `place` is the position from which a recipient can resume. */
export type Publish = (group: string, frame: Frame, place: string) => void

import type { Exact } from '../../../common/exact-json.ts'
import type { Line } from '../line.ts'
import type { ToldTopics } from './told.ts'

/** A WebSocket that is open, or about to be. */
export type Wire = { readonly send: (message: object) => void; readonly close: () => void }

export type WireEvents = {
  readonly onOpen: () => void
  readonly onMessage: (message: Exact) => void
  /** Called once, however it ends. */
  readonly onEnd: () => void
}

export type OpenWire = (events: WireEvents) => Wire

/** What proves a trading key to the server: a signature over the timestamp alone. */
export type Proof = {
  readonly accountId: string
  readonly key: string
  readonly timestamp: string
  readonly signature: string
}

/** Makes a proof of now; null where none can be made. */
export type Prove = () => Promise<Proof | null>

export type LiveParts = {
  readonly openWire: OpenWire
  readonly nowMs: () => number
  readonly after: (ms: number, work: () => void) => () => void
  /** A number from 0 up to 1, another each time. */
  readonly chance: () => number
  /** Whether anybody looks. */
  readonly isHidden: () => boolean
  /** Told the server's time, in milliseconds, with each message. */
  readonly onServerTime: (serverMs: number) => void
}

/** How long after an end the next connection is tried, when the one before was a good one. */
export const RETRY_MIN_MS = 500

/** Everything that is known of the connection. Functions take it as their first argument. */
export type State = LiveParts & {
  readonly lines: Set<Line>
  readonly told: ToldTopics
  /** Topics that this connection was asked for. */
  readonly asked: Set<string>
  /** Topics that were refused, and until when. */
  readonly refused: Map<string, number>
  wire: Wire | null
  isOpen: boolean
  isOnline: boolean
  prove: Prove | null
  isProved: boolean
  heardAtMs: number
  retryMs: number
  /** A sync, a reconnection or a look at the connection that is to come. */
  cancelSync: (() => void) | null
  cancelRetry: () => void
  cancelTick: () => void
}

/** Takes note that the server is there. */
export function heard(state: State): void {
  state.heardAtMs = state.nowMs()
}

/** The lines that a topic concerns. */
export function linesOf({ lines }: State, name: string): readonly Line[] {
  return [...lines].filter(({ topic }) => topic.live?.topics.some((told) => told === name))
}

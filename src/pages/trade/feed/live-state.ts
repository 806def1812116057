import type { FeedAuth } from '../../../core/feed.ts'
import {
  type Exact,
  isRecord,
  memberRows,
  memberText,
  memberValue,
} from '../../common/exact-json.ts'
import { withCandles } from './candle-rows.ts'
import type { TopicLine } from './line.ts'

/** A WebSocket that is open or opening. */
export type LiveWire = { readonly send: (message: object) => void; readonly close: () => void }

export type WireEvents = {
  readonly onOpen: () => void
  readonly onMessage: (message: Exact) => void
  /** Called exactly once when the connection ends, for any reason. */
  readonly onEnd: () => void
}

type OpenWire = (events: WireEvents) => LiveWire

/** Signs the current time with the trading key; null without a key. */
export type SignFeedAuth = () => Promise<FeedAuth | null>

export type LiveEnvironment = {
  readonly openWire: OpenWire
  readonly nowMs: () => number
  readonly after: (ms: number, work: () => void) => () => void
  /** A random number from 0 up to 1. */
  readonly random: () => number
  /** Whether the page is hidden. */
  readonly isHidden: () => boolean
  /** Gets the time of the server, in milliseconds, with each message. */
  readonly onServerTime: (serverMs: number) => void
}

/** The delay before reconnecting after a working connection has ended. */
export const RETRY_MIN_MS = 500

/** The state of the live connection, the first argument of all functions on it. */
export type LiveState = LiveEnvironment & {
  readonly lines: Set<TopicLine>
  readonly topics: ReturnType<typeof createTopicStates>
  /** Topics to which this connection has subscribed. */
  readonly asked: Set<string>
  /** Refused topics, with the time of the next attempt. */
  readonly refused: Map<string, number>
  wire: LiveWire | null
  isOpen: boolean
  isOnline: boolean
  prove: SignFeedAuth | null
  isProved: boolean
  lastMessageAtMs: number
  retryMs: number
  /** Functions that cancel a pending sync, reconnection or connection check. */
  cancelSync: (() => void) | null
  cancelRetry: () => void
  cancelTick: () => void
}

/** Notes that the server has sent a message. */
export function noteMessage(state: LiveState): void {
  state.lastMessageAtMs = state.nowMs()
}

/** The lines that a live topic updates. */
export function topicLines({ lines }: LiveState, name: string): readonly TopicLine[] {
  return [...lines].filter(({ topic }) => topic.live?.topics.some((each) => each === name))
}

/** The state of a live topic: its epoch, last sequence number and data. */
type TopicState = { readonly epoch: string; readonly seq: number; readonly data: Exact }

/** Types of messages that start a topic anew, whatever came before. */
const RESTART_TYPES: ReadonlySet<string> = new Set(['snapshot', 'resync'])

/**
 * Whether a topic is resumed after a reconnect. Only books are resumed, because they change often enough to reveal a
 * lost message soon.
 */
function isResumed(topic: string): boolean {
  return topic.startsWith('orderbook:')
}

/** The state of each live topic. */
export function createTopicStates() {
  const states = new Map<string, TopicState>()
  return {
    /** Applies a message. Returns the topic's new data, or null if an earlier message is missing. */
    apply: (topic: string, message: Exact): Exact | null => {
      const [type, epoch] = [memberText(message, 'type'), memberText(message, 'epoch')]
      const seq = memberNumber(message, 'seq')
      const before = states.get(topic)
      const follows = before?.epoch === epoch && seq === before.seq + 1
      if (!follows && !RESTART_TYPES.has(type)) {
        states.delete(topic)
        return null
      }
      const applied = { type, data: memberValue(message, 'data') ?? null }
      // A `stale` message reports only the topic's age, so the topic's data stays.
      const data =
        type === 'stale'
          ? (before?.data ?? null)
          : afterMessage(topic, before?.data ?? null, applied)
      states.set(topic, { epoch, seq, data })
      return data
    },
    /** The position from which a topic can be resumed; null if it needs a new snapshot. */
    sinceOf: (topic: string) => {
      const state = states.get(topic)
      return state && isResumed(topic) ? ([state.epoch, state.seq] as const) : null
    },
    /** The state of a topic; undefined before its first message. */
    of: (topic: string) => states.get(topic),
    /** Forgets a topic that is no longer wanted, unless it can be resumed. */
    leave: (topic: string) => {
      if (!isResumed(topic)) states.delete(topic)
    },
  }
}

/** A message of the server about one topic. */
type TopicMessage = { readonly type: string; readonly data: Exact }

const TRADES_MAX = 50

/** How messages after the snapshot change a topic's data. For topics not listed here, each message replaces all data. */
const CHANGES: Readonly<Record<string, (before: Exact, change: Exact) => Exact>> = {
  orderbook: (before, change) => ({
    asks: patched(before, change, 'asks'),
    bids: patched(before, change, 'bids'),
  }),
  trades: (before, change) => ({
    trades: [...memberRows(change, 'trades'), ...memberRows(before, 'trades')].slice(0, TRADES_MAX),
  }),
  candles: withCandles,
  'tickers.changes': (before, change) => {
    const changes = new Map(
      memberRows(change, 'markets').map((row) => [memberText(row, 'symbol'), row]),
    )
    const markets = memberRows(before, 'markets').map((row) => {
      const changed = changes.get(memberText(row, 'symbol'))
      return isRecord(row) && isRecord(changed) ? { ...row, ...changed } : row
    })
    return { markets }
  },
}

/** The data of a topic after a message. */
function afterMessage(topic: string, before: Exact | null, { type, data }: TopicMessage): Exact {
  if (type === 'snapshot' || before === null) return data
  const [name = ''] = topic.split(':')
  return CHANGES[name]?.(before, data) ?? data
}

/** One side of a book after a change of `[price, quantity]` pairs; a quantity of 0 removes the level. */
function patched(before: Exact, change: Exact, side: 'asks' | 'bids'): Exact {
  const levels = new Map(memberRows(before, side).map((row) => [memberText(row, 'price'), row]))
  for (const pair of memberRows(change, side)) {
    if (!Array.isArray(pair)) continue
    const [price, quantity]: readonly Exact[] = pair
    if (typeof price !== 'string' || typeof quantity !== 'string') continue
    if (quantity === '0') levels.delete(price)
    else levels.set(price, { price, quantity })
  }
  const sign = side === 'asks' ? 1 : -1
  // Floats are used only for sorting.
  const signedPrice = (row: Exact) => sign * Number(memberText(row, 'price'))
  return [...levels.values()].sort((a, b) => signedPrice(a) - signedPrice(b))
}

/** A numeric member; NaN if missing. */
export function memberNumber(message: Exact, name: string): number {
  const text = memberValue(message, name)
  return typeof text === 'string' ? Number(text) : Number.NaN
}

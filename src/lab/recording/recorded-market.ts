import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import type { Feed, FeedMessage } from '../../core/feed.ts'
import { after, detached, reportUnexpected } from '../../core/loop/guarded.ts'
import { UpstreamError } from '../../core/ports.ts'
import type { MarketTape, TextLevel } from '../../tapes/markets.ts'
import { type GapCause, TapeError } from '../../tapes/records.ts'
import type { RecordSink } from '../../tapes/write.ts'
import {
  type BookChanges,
  bookChanges,
  isNextMessage,
  type LevelChanges,
  LIVE_TOPICS,
  tradeRow,
} from '../../upstream/wire/live.ts'
import { MalformedMessage } from '../../upstream/wire/live-messages.ts'

/** The recording of a market. */
export type Recording = {
  readonly feed: Feed
  readonly writer: RecordSink
  readonly tape: MarketTape
  readonly counts: RecordingCounts
  /** Called if the tape can no longer be written. */
  readonly failed: (error: unknown) => void
  /** The world that mirrors the markets; absent if the recording goes to a tape. */
  readonly mirror?: Mirrored
  /** Called with the symbol after each snapshot of a market's order book. */
  readonly opened: (symbol: string) => void
  isStopped: boolean
}

/** A world that mirrors markets and therefore needs both their mark prices and their books. */
type Mirrored = {
  /** Called when the book or mark price of a market becomes unknown. The gap is recorded once both are known again. */
  readonly lost: (market: number) => void
  readonly nowMs: () => number
}

/** Progress counters of a recording. */
export type RecordingCounts = {
  books: number
  trades: number
  prices: number
  gaps: number
  /** Number of unreadable messages. */
  malformed: number
}

/** A market whose book and trades are recorded. */
type State = {
  readonly recording: Recording
  readonly symbol: string
  readonly number: number
  /** The topics to record. `open` has the topics with a current subscription. */
  readonly topics: readonly string[]
  readonly open: Set<string>
  /** Time of the last mark prices; null before the first, and always null at a venue without mark prices. */
  marksAtMs: number | null
  /** Whether the read of the book waits for the next mark prices. */
  areMarksLost: boolean
  /** Messages that arrive during the read of a snapshot; otherwise null. */
  waiting: FeedMessage[] | null
  /** The last message of the market's book; null while the book is unknown. */
  book: { readonly lastMs: number; readonly isFresh: boolean } | null
  /** The current gap, which lasts until the next snapshot. */
  gap: { readonly fromUs: number; readonly cause: GapCause } | null
}

const RETRY_MS = 1000

/**
 * Records the book and the trades of a market. A lost, out-of-sequence or unreadable message begins a gap, which ends
 * with the next order book snapshot. Returns functions that end the subscriptions and handle mark prices.
 */
export function recordMarket(
  recording: Recording,
  market: { readonly symbol: string; readonly number: number },
): {
  readonly ends: readonly (() => void)[]
  readonly checkMarks: () => void
  readonly marksAtMs: () => number | null
} {
  const { symbol } = market
  // Trades first: at equal times they come before the book change that they cause.
  const topics = [LIVE_TOPICS.trade(symbol), LIVE_TOPICS.book(symbol)]
  if (recording.mirror) topics.push(LIVE_TOPICS.marks)
  const state: State = {
    ...market,
    recording,
    topics,
    open: new Set(),
    marksAtMs: null,
    areMarksLost: false,
    waiting: null,
    book: null,
    gap: null,
  }
  beginGap(state, 'stopped')
  const ends = topics.map((topic) =>
    recording.feed.subscribe(topic, {
      opened: () => {
        state.open.add(topic)
        readBook(state)
      },
      lost: () => {
        state.open.delete(topic)
        if (topic === LIVE_TOPICS.marks) state.areMarksLost = state.marksAtMs !== null
        beginGap(state, 'connection')
      },
      message: (message) =>
        guardRecording(
          recording,
          () => take(state, message),
          () => recover(state),
        ),
    }),
  )
  return { ends, checkMarks: () => checkMarks(state), marksAtMs: () => state.marksAtMs }
}

/** Begins a gap if mark prices are too old. */
function checkMarks(state: State): void {
  if (state.areMarksLost || !areMarksOld(state)) return
  state.areMarksLost = true
  beginGap(state, 'connection')
}

/** Handles a message of the book or a trade, or keeps it during the read of a snapshot. Mark prices are recorded separately. */
function take(state: State, message: FeedMessage): void {
  if (message.topic === LIVE_TOPICS.marks) {
    noteMarks(state)
    return
  }
  checkMarks(state)
  const { book, waiting } = state
  if (book === null) {
    if (waiting && waiting.length < STREAM_LIMITS.feedBufferedMessages) waiting.push(message)
    return
  }
  if (message.topic === LIVE_TOPICS.trade(state.symbol)) takeTrade(state, message)
  else takeChanges(state, book, message)
}

/** Stores the time at which mark prices arrived. If the read of the book waits for mark prices, starts the read. */
function noteMarks(state: State): void {
  state.marksAtMs = state.recording.mirror?.nowMs() ?? null
  if (!state.areMarksLost) return
  state.areMarksLost = false
  readBook(state)
}

/** Whether mark prices are missing for longer than the detection of a lost connection takes. */
function areMarksOld({ recording: { mirror }, marksAtMs }: State): boolean {
  if (!mirror || marksAtMs === null) return false
  return mirror.nowMs() - marksAtMs > STREAM_LIMITS.feedSilenceMs
}

function takeTrade({ recording, number }: State, { data, atMs }: FeedMessage): void {
  const { side, executed_price, executed_quantity } = tradeRow(data, atMs)
  const figures = { price: String(executed_price), quantity: String(executed_quantity) }
  const taker = side === 'BUY' ? 'BUY' : 'SELL'
  recording.tape.trade(number, { atUs: atMs * 1000, side: taker, ...figures })
  recording.counts.trades += 1
}

function takeChanges(
  state: State,
  book: NonNullable<State['book']>,
  { data, atMs }: FeedMessage,
): void {
  const changes = bookChanges(data)
  // The snapshot already contains this message.
  if (atMs <= book.lastMs) return
  if (isNextMessage(book, changes)) putBook(state, changes, atMs, false)
  else recover(state)
}

/** Begins a gap, and reads a new snapshot. */
function recover(state: State): void {
  beginGap(state, 'sequence')
  readBook(state)
}

function putBook(state: State, { bids, asks }: BookChanges, atMs: number, isWhole: boolean): void {
  const { recording, number } = state
  const levels = { bids: levelTexts(bids), asks: levelTexts(asks) }
  recording.tape.book(number, { atUs: atMs * 1000, isWhole, ...levels })
  recording.counts.books += 1
  state.book = { lastMs: atMs, isFresh: isWhole }
}

function levelTexts(levels: LevelChanges): TextLevel[] {
  return levels.map(([price, quantity]) => [String(price), String(quantity)])
}

/** Reads a snapshot of the book once all topics are subscribed. Messages wait during the read. */
function readBook(state: State): void {
  const { recording, symbol, open, topics } = state
  if (open.size < topics.length || state.areMarksLost) return
  if (state.waiting || state.book || recording.isStopped) return
  const waiting: FeedMessage[] = []
  state.waiting = waiting
  const isCurrent = () => state.waiting === waiting && !recording.isStopped
  const read = recording.feed.book(symbol).then(
    (whole) => {
      if (isCurrent())
        guardRecording(
          recording,
          () => openBook(state, whole, waiting),
          () => retry(state),
        )
    },
    (error: unknown) => {
      reportUnexpected('stream', error, UpstreamError)
      if (isCurrent()) retry(state)
    },
  )
  detached('stream', read)
}

function retry(state: State): void {
  state.waiting = null
  state.book = null
  after('stream', RETRY_MS, () => readBook(state)).unref()
}

function openBook(state: State, whole: FeedMessage, waiting: readonly FeedMessage[]): void {
  const { recording, number, gap } = state
  const changes = bookChanges(whole.data)
  if (gap !== null) {
    const atUs = Math.max(gap.fromUs, whole.atMs * 1000)
    recording.writer.add({ kind: 'gap', market: number, atUs, ...gap })
    recording.counts.gaps += 1
    state.gap = null
  }
  putBook(state, changes, whole.atMs, true)
  state.waiting = null
  recording.opened(state.symbol)
  for (const message of waiting) if (message.atMs >= whole.atMs) take(state, message)
}

/** Begins a gap, dated from the market's last record. */
function beginGap(state: State, cause: GapCause): void {
  state.book = null
  state.waiting = null
  state.recording.mirror?.lost(state.number)
  const fromUs = state.recording.tape.lastUs(state.number)
  if (fromUs !== null) state.gap ??= { fromUs, cause }
}

/** The parts of a recording that a faulty message affects. */
type GuardedRecording = {
  readonly failed: (error: unknown) => void
  readonly counts: { malformed: number }
  readonly isStopped: boolean
}

/** Runs `take` for a message. An unreadable message causes `repair`; a tape that cannot be written ends the recording. */
export function guardRecording(
  recording: GuardedRecording,
  take: () => void,
  repair: () => void,
): void {
  if (recording.isStopped) return
  try {
    take()
  } catch (error) {
    if (!isUnreadable(error)) {
      recording.failed(error)
      return
    }
    recording.counts.malformed += 1
    repair()
  }
}

function isUnreadable(error: unknown): boolean {
  return (
    error instanceof MalformedMessage || error instanceof RangeError || error instanceof TapeError
  )
}

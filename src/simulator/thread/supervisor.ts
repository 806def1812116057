import { crashFields } from '../../core/log.ts'
import {
  after,
  defaultOnFailure,
  detached,
  guarded,
  reportUnexpected,
} from '../../core/loop/guarded.ts'
import { markInUse, repeatWhileInUse } from '../../core/loop/idle-timers.ts'
import type { Clock, Log } from '../../core/ports.ts'
import type { VenueCalls, VenueOptions, VenueService } from '../service.ts'
import { RESET_HINT, replacesWorld } from '../world-choices.ts'
import { createVenueClient, type VenueClient } from './client.ts'
import { type FromVenue, isFromVenue, type ToVenue, unpackError } from './messages.ts'

/** The part of the runtime's Worker that the supervisor uses. */
type Thread = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'>

export type SupervisorOptions = {
  readonly options: VenueOptions
  readonly storePath: string
  /** Starts a thread that runs `serveVenue`. */
  readonly startThread: () => Thread
  readonly clock: Clock
  readonly monotonicMs: () => number
  readonly log: Log
  /** The interval between pings to the thread. */
  readonly pingMs: number
}

/** The embedded venue in a separate thread, and the number of its restarts. */
export type SupervisedThread = VenueService & { readonly restarts: () => number }

/** Maximum number of pings in a row that the thread may miss. */
const SILENT_PINGS_MAX = 5
/** Maximum number of missed pings in a row while the thread opens the venue or builds a simulation. */
const BUSY_PINGS_MAX = 120
/** The venue stays down if its thread ends this many times within ENDS_WITHIN_MS. */
const ENDS_MAX = 3
const ENDS_WITHIN_MS = 60_000
/** Maximum time to close a thread. */
const CLOSE_MAX_MS = 5000

const VENUE_DOWN_MESSAGE = `the embedded venue ended ${ENDS_MAX} times within a minute: ${RESET_HINT}`

type EndReason = 'error' | 'closed' | 'malformed' | 'silent' | 'unopened'

type Running = {
  readonly thread: Thread
  readonly opened: PromiseWithResolvers<number | null>
  readonly closed: PromiseWithResolvers<void>
  isOpen: boolean
  isBusy: boolean
  silentPings: number
}

type State = Omit<SupervisorOptions, 'options'> & {
  readonly client: VenueClient
  /** The venue's time, which its thread writes. */
  readonly time: SharedArrayBuffer
  /** Keeps the port of the first start, so that the venue's address does not change. */
  options: VenueOptions
  running: Running | null
  /** Why the venue refused its stored world; null if it was opened. */
  refusal: string | null
  /** Determines whether a thread that has ended is restarted, stays down, or was closed. */
  phase: 'opening' | 'up' | 'down' | 'closing'
  restarts: number
  /** The times at which threads ended recently. */
  endsMs: number[]
}

/**
 * Opens the embedded venue in a thread. Restarts it from the venue's file if it ends or does not answer. After three
 * ends within a minute it stays down. Rejects with the error of the first opening.
 */
export async function openVenueThread(parts: SupervisorOptions): Promise<SupervisedThread> {
  const { clock: wall, options, pingMs } = parts
  const state: State = {
    ...parts,
    client: createVenueClient(wall.nowMs),
    time: new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT),
    running: null,
    refusal: null,
    phase: 'opening',
    restarts: 0,
    endsMs: [],
  }
  const stopPinging = repeatWhileInUse('venue', pingMs, () => ping(state))
  const port = await start(state).catch((error: unknown) => {
    stopPinging()
    throw error
  })
  const { listen } = options
  if (listen && port !== null) state.options = { ...options, listen: { ...listen, port } }
  state.phase = 'up'
  const { calls, feed } = state.client
  const time = new BigInt64Array(state.time)
  return {
    calls: { ...calls, runCommand: (...command) => runCommand(state, ...command) },
    feed,
    clock: options.time === 'real' ? wall : { nowMs: () => Number(Atomics.load(time, 0)) },
    refusal: () => (state.phase === 'down' ? VENUE_DOWN_MESSAGE : state.refusal),
    port,
    arrived: async () => undefined,
    restarts: () => state.restarts,
    close: () => {
      stopPinging()
      return close(state)
    },
  }
}

/**
 * Starts a thread. Resolves with its listener's port once the venue is open; rejects if the thread ends before that.
 */
function start(state: State, change: Partial<VenueOptions> = {}): Promise<number | null> {
  const thread = state.startThread()
  const running: Running = {
    thread,
    opened: Promise.withResolvers(),
    closed: Promise.withResolvers(),
    isOpen: false,
    isBusy: false,
    silentPings: 0,
  }
  state.running = running
  const received = ({ data }: MessageEvent) => receive(state, running, data)
  const failed = (event: ErrorEvent) => {
    event.preventDefault()
    end(state, running, 'error', event.error)
  }
  const closed = () => end(state, running, 'closed')
  thread.addEventListener('message', guarded('venue', received))
  thread.addEventListener('error', guarded('venue', failed))
  thread.addEventListener('close', guarded('venue', closed))
  const { storePath, time: clock } = state
  post(running, { kind: 'open', options: { ...state.options, ...change }, storePath, clock })
  return running.opened.promise
}

function post({ thread }: Running, message: ToVenue): void {
  thread.postMessage(message)
}

function receive(state: State, running: Running, message: unknown): void {
  if (running !== state.running) return
  // It is unknown which call this answer belongs to, so every pending call fails.
  if (isFromVenue(message)) take(state, running, message)
  else end(state, running, 'malformed')
}

function take(state: State, running: Running, message: FromVenue): void {
  const { log, client } = state
  running.silentPings = 0
  if (message.kind === 'open') {
    running.isOpen = true
    client.connected((next) => post(running, next))
    running.opened.resolve(message.port)
  } else if (message.kind === 'unopened') {
    end(state, running, 'unopened', unpackError(message.error))
  } else if (message.kind === 'busy') running.isBusy = message.isBusy
  else if (message.kind === 'refusal') state.refusal = message.reason
  else if (message.kind === 'closed') running.closed.resolve()
  else if (message.kind === 'log') log[message.level](message.event, message.fields)
  else if (message.kind === 'fault') reportUnexpected(message.part, unpackError(message.error))
  else client.receive(message)
}

/** Ends a thread. Its pending calls fail, and a new thread is started. */
function end(state: State, running: Running, reason: EndReason, error?: unknown): void {
  if (running !== state.running) return
  state.running = null
  running.thread.terminate()
  running.opened.reject(error ?? new Error(`the embedded venue's thread ended: ${reason}`))
  running.closed.resolve()
  state.client.disconnected()
  if (state.phase !== 'up') return
  const { log, monotonicMs } = state
  log.error('venue_ended', { reason, ...(error instanceof Error && crashFields(error)) })
  const nowMs = monotonicMs()
  state.endsMs = [...state.endsMs.filter((atMs) => nowMs - atMs < ENDS_WITHIN_MS), nowMs]
  if (state.endsMs.length < ENDS_MAX) detached('venue', restart(state))
  else {
    state.phase = 'down'
    log.error('venue_down', { reason: VENUE_DOWN_MESSAGE })
  }
}

/** Counts and logs a restart, and starts the thread. Resolves when the new thread is open or has ended. */
async function restart(state: State, change: Partial<VenueOptions> = {}): Promise<void> {
  state.restarts += 1
  state.log.warn('venue_restarted', { restarts: state.restarts })
  await start(state, change).catch(defaultOnFailure('venue', null, Error))
}

/** Runs an operator command. If the venue is down, a command that replaces the world gets a new, empty thread. */
async function runCommand(state: State, ...[name, texts]: Parameters<VenueCalls['runCommand']>) {
  if (state.phase === 'down' && replacesWorld(name)) {
    state.phase = 'up'
    state.endsMs = []
    await restart(state, { heldReason: VENUE_DOWN_MESSAGE })
  }
  return state.client.calls.runCommand(name, texts)
}

function ping(state: State): void {
  const { running } = state
  if (!running) return
  // While the venue is opening, the gateway counts as in use.
  if (!running.isOpen) markInUse()
  const silentMax = running.isOpen && !running.isBusy ? SILENT_PINGS_MAX : BUSY_PINGS_MAX
  running.silentPings += 1
  if (running.silentPings > silentMax) end(state, running, 'silent')
  else post(running, { kind: 'ping' })
}

/** Closes the venue, which then stores its state. Then ends the venue's thread. */
async function close(state: State): Promise<void> {
  state.phase = 'closing'
  const { running } = state
  if (!running) return
  post(running, { kind: 'close' })
  const timer = after('venue', CLOSE_MAX_MS, () => running.closed.resolve())
  await running.closed.promise
  clearTimeout(timer)
  end(state, running, 'closed')
}

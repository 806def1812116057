import { MINUTE_MS } from '../../contract/durations.ts'
import type { AdvanceStep, AdvanceUntil } from '../../contract/venue/advance.ts'
import type { ClockCaller, StepEnd, SteppedClock } from '../../core/advance.ts'
import { Failure } from '../../core/failure.ts'
import { defaultOnFailure, yieldToEventLoop } from '../../core/loop/guarded.ts'
import type { Clock } from '../../core/ports.ts'
import { hasScope, isKeyValid } from '../accounts/accounts.ts'
import type { VenueState } from '../exchange/state.ts'
import type { ReadUnserialised } from '../messages/row.ts'
import { findSigningKey } from '../server/gate.ts'
import { watchUntil } from './until.ts'

/** The parts of a venue that a step of its virtual clock uses. */
export type SteppedVenue = {
  readonly exchange: VenueState
  readonly peek: ReadUnserialised
  readonly time: {
    readonly clock: Clock
    readonly advance: ((ms: number) => void) | null
    /** Moves the clock forward to the world's time. */
    readonly reach: (atMs: number) => void
  }
  readonly monotonicMs: () => number
  /** Settles when the world has reached the clock's time. */
  readonly arrived: () => Promise<void>
  /** Sets the clock to the world's time, and stores and publishes everything up to it. */
  readonly reached: () => void
}

/** Steps to take. A step that is too long for one answer is split into several requests. */
export type StepRequest = {
  readonly steps: readonly AdvanceStep[]
  readonly caller: ClockCaller
  /** Whether the last step ends with this request. False if the step continues in the next request. */
  readonly isLast: boolean
}

type Stepper = {
  readonly step: (request: StepRequest) => Promise<readonly SteppedClock[]>
  /** Whether a step is running. A running step publishes its events, so reads between its slices must not publish. */
  readonly isMoving: () => boolean
}

/** Moves a clock by steps. Requests are handled one after the other. */
export function createStepper(parts: SteppedVenue): Stepper {
  let last: Promise<unknown> = Promise.resolve()
  let isMoving = false

  async function taken(request: StepRequest): Promise<readonly SteppedClock[]> {
    await parts.arrived()
    isMoving = true
    try {
      return await advanceSteps(parts, request)
    } finally {
      isMoving = false
    }
  }

  return {
    step: (request) => {
      const next = last.then(() => taken(request))
      last = next.catch(defaultOnFailure('venue', null, Error))
      return next
    },
    isMoving: () => isMoving,
  }
}

/** Maximum simulated time between two publications of events. */
const PIECE_MS = MINUTE_MS

/**
 * Takes steps one after the other. A step ends when the first of its conditions is met, and its reads are answered at
 * that time. Throws Failure: `unauthorized` for a key without read access, `not_found` for an unknown account or
 * market. After a failure, earlier steps keep their effect.
 */
async function advanceSteps(
  parts: SteppedVenue,
  { steps, ...request }: StepRequest,
): Promise<readonly SteppedClock[]> {
  const taken: SteppedClock[] = []
  for (const step of steps) taken.push(await advanceStep(parts, { step, ...request }))
  // A step moves the clock without storing the time. An advance by 0 stores the time.
  parts.time.advance?.(0)
  return taken
}

async function advanceStep(
  parts: SteppedVenue,
  { step, caller, isLast }: Omit<StepRequest, 'steps'> & { readonly step: AdvanceStep },
): Promise<SteppedClock> {
  const { until = {}, ms, reads = [] } = step
  const { exchange, peek } = parts
  const { nowMs } = parts.time.clock
  const accountId = stepAccount(parts, caller, step.account)
  const { world } = exchange.simulation().engine
  assertMarket(until, exchange)
  const fromMs = nowMs()
  const watch = watchUntil(until, { world, peek, accountId })
  try {
    await move(
      parts,
      Math.min(fromMs + ms, Math.max(until.atMs ?? Number.POSITIVE_INFINITY, fromMs)),
      watch.found,
    )
    const isAtTime = until.atMs !== undefined && nowMs() >= until.atMs
    const ended: StepEnd = watch.found() ?? (isLast || isAtTime ? 'time' : 'part')
    const read = (path: string) => peek(path, accountId === null ? {} : { accountId }) ?? null
    return {
      nowMs: nowMs(),
      advancedMs: nowMs() - fromMs,
      ended,
      reads: JSON.stringify(ended === 'part' ? [] : reads.map(read)),
    }
  } finally {
    watch.end()
  }
}

/**
 * Moves the world to a time or until a condition is met. It moves in slices, and the thread answers requests between
 * slices.
 */
async function move(
  { exchange, time, monotonicMs, reached }: SteppedVenue,
  toMs: number,
  found: () => StepEnd | null,
): Promise<void> {
  const { world } = exchange.simulation().engine
  const isOver = () => found() !== null
  let pieceToMs = Math.min(toMs, world.nowMs + PIECE_MS)
  let isThere = world.nowMs >= toMs
  while (!isThere && !isOver()) {
    const isSliceOver = beginSlice(monotonicMs)
    const isWhole = exchange.advance(pieceToMs, () => isOver() || isSliceOver())
    isThere = isWhole && world.nowMs >= toMs
    if (isWhole || isOver()) {
      reached()
      pieceToMs = Math.min(toMs, world.nowMs + PIECE_MS)
    } else time.reach(world.nowMs)
    if (!isThere && !isOver()) await yieldToEventLoop()
  }
}

/** The account that a step's conditions and reads are about; null for any account. Throws Failure. */
function stepAccount(
  { exchange, time: { clock } }: SteppedVenue,
  caller: ClockCaller,
  named: string | undefined,
): string | null {
  if (caller.by === 'operator') {
    const id = named?.toLowerCase() ?? null
    if (id === null || exchange.accounts.has(id)) return id
    throw new Failure('not_found', { parameter: 'account' })
  }
  const { accountId, publicKey } = caller.pair
  const known = findSigningKey(exchange, accountId, publicKey)
  if (!known || known.key.removedAtMs !== undefined || !hasScope(known.key, 'read'))
    throw new Failure('unauthorized', { reason: 'key_unknown' })
  if (!isKeyValid(known.key, clock.nowMs()))
    throw new Failure('unauthorized', { reason: 'key_expired' })
  return known.accountId
}

function assertMarket({ price }: AdvanceUntil, { simulation }: VenueState): void {
  if (price && !simulation().engine.world.exchange.bySymbol.has(price.symbol))
    throw new Failure('not_found', { parameter: 'until.price.symbol' })
}

/** Maximum time in ms that the simulation runs before the thread handles other requests. */
const SLICE_MS = 4

/** Begins a slice. The returned function is called after each event, and returns whether the slice is over. */
export function beginSlice(monotonicMs: () => number): () => boolean {
  const endsMs = monotonicMs() + SLICE_MS
  return () => monotonicMs() >= endsMs
}

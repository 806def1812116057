import { REPLAY_HEADER } from '../../contract/headers.ts'
import { STANDBY } from '../../contract/standby.ts'
import { Failure } from '../../core/failure.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { markInUse, repeatWhileInUse } from '../../core/loop/idle-timers.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Log } from '../../core/ports.ts'
import type { AccountKey, SignedCancel, Standby, StandbyChange } from '../../core/standby.ts'
import { certainlyNotDone } from '../../upstream/wire/failures.ts'
import { relay } from '../relay/relay.ts'
import type { AccountEvents } from '../webhook/events.ts'
import type { StandbyAccess } from './standby.ts'

type StandbyOptions = StandbyAccess & {
  readonly events: Pick<AccountEvents, 'publish'>
  readonly log: Log
  readonly meter: Meter
  /** The pairs whose live connections were last seen after `sinceMs`, with the time. */
  readonly lastSeen: (sinceMs: number) => readonly (AccountKey & { readonly atMs: number })[]
}

type Standbys = ReturnType<typeof createStandbys>

/** Standby cancels with stepped time: the caller sends due cancels after each step. */
export type SteppedStandbys = Pick<Standbys, 'send' | 'dueMs'>

/**
 * Starts two timers: one relays due standby cancels, one postpones the standbys of connected callers. Returns a
 * function that stops the timers. With `isStepped` no timer starts, because the caller sends due cancels after each
 * step.
 */
export function startStandbys({ send, postpone }: Standbys, isStepped: boolean): () => void {
  if (isStepped) return () => undefined
  const stops = [
    repeatWhileInUse('gateway', STANDBY.lookEveryMs, (nextMs) =>
      send(nextMs > STANDBY.lookEveryMs),
    ),
    repeatWhileInUse('gateway', STANDBY.postponeEveryMs, postpone),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/**
 * Creates the functions that relay and postpone standby cancels. Several instances share the work. Each instance leases
 * standbys, and leases them again if another instance did not finish.
 * - `send` relays due standby cancels, oldest deadline first, with a bounded number of concurrent writes. Concurrent
 *   calls share that bound, and each finished write starts the next. A failed write is retried at the next call. An
 *   armed standby keeps the timers in use.
 * - `postpone` extends the deadlines of callers who were seen since the last call.
 * - `dueMs` returns when the standby of a pair is due; null if no standby is armed.
 */
export function createStandbys(parts: StandbyOptions) {
  const { store, clock, lastSeen } = parts
  const failed = defaultOnFailure('gateway', undefined, Failure)
  let sending = 0
  let lookedMs = 0

  /** Takes at most `placesMax` due standbys. Each occupies a sending slot until it is finished. */
  async function takeDue(placesMax: number): Promise<readonly Standby[]> {
    const nowMs = clock.nowMs()
    sending += placesMax
    const due = await store.standbys
      .take(nowMs, nowMs + STANDBY.leaseMs, placesMax)
      .catch(defaultOnFailure('gateway', [], Failure))
    sending -= placesMax - due.length
    return due
  }

  async function sendDue(): Promise<void> {
    const room = STANDBY.sendingMax - sending
    if (room <= 0) return
    const due = await takeDue(room)
    // If all slots were filled, more standbys may be due.
    const isFull = due.length === room
    await Promise.all(due.map((standby) => sendFrom(standby, isFull)))
  }

  async function sendFrom(first: Standby, isFull: boolean): Promise<void> {
    let next: Standby | undefined = first
    while (next) {
      const standby: Standby = next
      await finishStandby(parts, standby).catch(failed)
      sending -= 1
      next = isFull ? (await takeDue(1))[0] : undefined
    }
  }

  async function isAnyArmed(): Promise<boolean> {
    return (await store.standbys.counts()).some(
      ({ state }) => state === 'armed' || state === 'sending',
    )
  }

  return {
    send: async (isResting = false): Promise<void> => {
      await sendDue()
      if (isResting && (await isAnyArmed().catch(failed))) markInUse()
    },
    dueMs: async (pair: AccountKey): Promise<number | null> => {
      const standby = await store.standbys.find(pair)
      const isWaiting = standby?.state === 'armed' || standby?.state === 'sending'
      return isWaiting ? standby.dueAtMs : null
    },
    postpone: async (): Promise<void> => {
      const pairs = lastSeen(lookedMs)
      lookedMs = clock.nowMs()
      if (pairs.length > 0) await store.standbys.postpone(pairs).catch(failed)
    },
  }
}

async function finishStandby(parts: StandbyOptions, standby: Standby): Promise<void> {
  const { store, meter, log, events } = parts
  const next = await sendFirst(parts, standby)
  const isOwn = await store.standbys.put(standby, next)
  if (!isOwn || next.state === 'armed') return
  meter.counter('prepd_standbys_total', next.state).add()
  const level = next.state === 'lapsed' ? 'error' : 'info'
  log[level]('standby_ended', { state: next.state, failure: next.failure })
  const { accountId, publicKey: tradingKey, signedAtMs } = standby
  const { state, changedAtMs: endedAtMs, failure } = next
  const data = { state, endedAtMs, tradingKey, ...(failure !== null && { failure }) }
  const key = `standby ${tradingKey} ${signedAtMs}`
  await events.publish({ accountId, event: 'standby.fired', key, data })
}

/** Sends the first cancel whose signature is not too old. Returns the change of the standby. */
async function sendFirst(deps: StandbyAccess, standby: Standby): Promise<StandbyChange> {
  const nowMs = deps.clock.nowMs()
  const [first, ...others] = standby.cancels.filter(
    ({ timestamp }) => Number(timestamp) + STANDBY.sendWithinMs > nowMs,
  )
  if (!first) return endedChange(deps, 'lapsed', standby.failure ?? 'expired_signature')
  const { accountId, publicKey: key } = standby
  const { path, ...signed } = first
  const envelope = { method: 'DELETE', path, auth: { accountId, key, ...signed } } as const
  try {
    // A separate rate window, which callers cannot exhaust.
    const caller = { address: '', limitKey: `standby:${accountId}` }
    const { headers } = await relay({ ...deps, writes: claimingLedger(deps) }, envelope, caller)
    if (!(REPLAY_HEADER in headers)) return nextPathChange(deps, first, others)
    // Skips the cancel: it was sent before, and orders may have been placed since.
    return retryChange(deps, others, 'duplicate_request')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return afterFailure(deps, error, [first, ...others])
  }
}

/** The change of a standby after its first cancel failed. */
function afterFailure(
  deps: StandbyAccess,
  failure: Failure,
  [first, ...others]: readonly [SignedCancel, ...SignedCancel[]],
): StandbyChange {
  const { code } = failure
  if (certainlyNotDone(failure) || REPEATED.has(code))
    return retryChange(deps, [first, ...others], code)
  // The order no longer exists, so its cancel is done.
  if (code === 'not_found') return nextPathChange(deps, first, others)
  if (REFUSED.has(code)) return endedChange(deps, 'lapsed', code)
  return retryChange(deps, others, code)
}

/** The change of a standby after the cancel of one path succeeded: the remaining paths are due at once. */
function nextPathChange(
  deps: StandbyAccess,
  { path }: SignedCancel,
  others: readonly SignedCancel[],
): StandbyChange {
  const cancels = others.filter((other) => other.path !== path)
  const [next] = cancels
  if (!next) return endedChange(deps, 'cancelled', null)
  const nowMs = deps.clock.nowMs()
  const dueAtMs = Math.max(nowMs, sendableFromMs(next))
  return { state: 'armed', failure: null, cancels, dueAtMs, changedAtMs: nowMs }
}

/**
 * A ledger that sends a cancel only after storing the cancel's claim, so that an instance that takes over does not send
 * the same signature again.
 */
function claimingLedger({ writes }: StandbyAccess): StandbyAccess['writes'] {
  return { ...writes, once: (attempt) => writes.once({ ...attempt, goesUnclaimed: false }) }
}

/** Failures that happen before the cancel is sent. The same cancel is retried. */
const REPEATED: ReadonlySet<string> = new Set([
  'rate_limited',
  'not_available',
  'store_unavailable',
])
/** Refusals of the key or account, which would also refuse the next cancel. */
const REFUSED: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'invalid_signature'])

function endedChange(
  { clock }: StandbyAccess,
  state: 'cancelled' | 'lapsed',
  failure: string | null,
): StandbyChange {
  const nowMs = clock.nowMs()
  return { state, failure, cancels: [], dueAtMs: nowMs, changedAtMs: nowMs }
}

/** The earliest time at which a cancel with a future timestamp may be sent. */
function sendableFromMs({ timestamp }: SignedCancel): number {
  return Number(timestamp) - STANDBY.sendWithinMs
}

/** Retries with the given cancels after a short wait. A cancel with a future timestamp waits until it may be sent. */
function retryChange(
  deps: StandbyAccess,
  cancels: StandbyChange['cancels'],
  failure: string,
): StandbyChange {
  const [next] = cancels
  if (!next) return endedChange(deps, 'lapsed', failure)
  const nowMs = deps.clock.nowMs()
  const dueAtMs = Math.max(nowMs + STANDBY.retryMs, sendableFromMs(next))
  return { state: 'armed', failure, cancels, dueAtMs, changedAtMs: nowMs }
}

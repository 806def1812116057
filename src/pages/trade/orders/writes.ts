import { FIGURE_READS, POSITIONS } from '../../../perp/figure-reads.ts'
import { ApiFailure } from '../../common/api.ts'
import type { Exact } from '../../common/exact-json.ts'
import { filledTemplate } from '../../common/format.ts'
import { sleep } from '../../common/world.ts'
import { neededDayReads } from '../account/day.ts'
import {
  type PrivateCall,
  read,
  refusalIn,
  type SignedPrivateCall,
  type StampedCall,
  sendSignedCall,
  sign,
  stamp,
} from '../account/relay.ts'
import { refreshAccount, session } from '../account/session.ts'
import { readAgain } from '../account/state.ts'
import { signingMs } from '../feed/clock.ts'
import { ACCOUNT_TEXTS } from '../messages/account.ts'
import { dismiss, explainedFailure, notifyFailure, showNotice } from '../messages/notices.ts'
import type { WriteLookUp } from './outcomes.ts'
import { exits, mustWait, REDUCTION, writeCount } from './pending-writes.ts'
import { confirmWrite, type ShownWrite, type WriteToSend } from './question.ts'

/** Failure codes after which the write may have been executed. */
const UNKNOWN: ReadonlySet<string> = new Set([
  'offline',
  'outcome_unknown',
  'upstream_timeout',
  'internal',
])

/**
 * Asks for confirmation, signs once and sends. Resolves to true if the write was accepted; any other result is shown as
 * a notice.
 */
export async function askAndSend(order: ShownWrite): Promise<boolean> {
  if (!session.peek() || isHeld(order)) return false
  const { method, path, body } = order
  const call = await confirmWrite(order, { method, path, body })
  return call !== null && signAndSend(call, order)
}

/** Signs a call once, after the user has seen it, and sends the call. Resolves to true if the call was accepted. */
export async function signAndSend(call: StampedCall, order: WriteToSend): Promise<boolean> {
  const key = session.peek()
  // Another write may have started since the confirmation.
  if (!key || isHeld(order)) return false
  return whileBusy(exitKey(order), async (release) => {
    try {
      return await deliver(await sign(key, call), order, release)
    } catch (error) {
      notifyFailure(error, ACCOUNT_TEXTS.orders.notSent)
      return false
    }
  })
}

/** The key of a write that only cancels or reduces; null for a write that may open a position. */
function exitKey({ method, path, reduces }: WriteToSend): string | null {
  if (method === 'DELETE') return path
  return reduces ? REDUCTION : null
}

/** Ends the time in which an exit holds back exits with the same key. */
type Release = () => void

/** Runs a write while buttons are disabled. `exit`: its key if it is an exit. */
export async function whileBusy(
  exit: string | null,
  work: (release: Release) => Promise<boolean>,
): Promise<boolean> {
  const own = { key: exit }
  const release = () => {
    exits.value = exits.peek().filter((each) => each !== own)
  }
  writeCount.value += 1
  exits.value = [...exits.peek(), own]
  try {
    return await work(release)
  } finally {
    writeCount.value -= 1
    release()
  }
}

/**
 * The reads whose answers a write may have changed, by the start of the write's path. Reads for the outcome are left
 * out.
 */
const CHANGED: readonly (readonly [string, readonly string[]])[] = [
  ['/v1/algo', []],
  ['/v1/client', [POSITIONS, '/v1/client']],
  ['/v1', [POSITIONS]],
]

/** Reads again the data that a write may have changed. */
function readChanged({ path }: Pick<PrivateCall, 'path'>): void {
  const [, paths] = CHANGED.find(([start]) => path.startsWith(start)) ?? ['', []]
  for (const each of paths) readAgain(each)
}

/** Signs and sends a call without notices. Resolves to null if it was accepted, else to the reason of the refusal. */
export async function trySend(call: PrivateCall): Promise<string | null> {
  const key = session.peek()
  if (!key) return ACCOUNT_TEXTS.orders.notSent
  try {
    return refusalIn(await sendWithRetry(await sign(key, stamp(call))))
  } catch (error) {
    const { text, next } = explainedFailure(error)
    return `${text} ${next}`
  }
}

/** Whether a write has to wait for another write; if so, shows a notice. */
function isHeld(order: WriteToSend): boolean {
  if (!mustWait(exitKey(order))) return false
  showNotice({ kind: 'bad', text: ACCOUNT_TEXTS.orders.notSent, next: ACCOUNT_TEXTS.orders.busy })
  return true
}

async function deliver(
  call: SignedPrivateCall,
  order: WriteToSend,
  release: Release,
): Promise<boolean> {
  try {
    return accepted(await sendWithRetry(call, release), order)
  } catch (error) {
    if (!(error instanceof ApiFailure) || !UNKNOWN.has(error.code)) {
      notifyFailure(error)
      return false
    }
    return order.lookUp ? lookUpWrite(call, order, order.lookUp) : showUnknownOutcome(call, order)
  }
}

/** Failure codes after which certainly nothing was sent to the venue, so that the same bytes may be sent again. */
const UNSENT: ReadonlySet<string> = new Set(['rate_limited', 'upstream_busy', 'store_unavailable'])
/** Maximum age of a call for sending it again. An older write is given up, because the market has moved on. */
const RESEND_MAX_MS = 20_000

/**
 * Sends a call. If a rate limit refuses the call, sends the same bytes again as soon as the limit allows. Other exits do
 * not wait for that. Throws ApiFailure.
 */
async function sendWithRetry(call: SignedPrivateCall, release?: Release): Promise<Exact> {
  let mayRead = true
  for (;;) {
    try {
      return await sendSignedCall(call)
    } catch (error) {
      release?.()
      mayRead = await waitToResend(call, error, mayRead)
    }
  }
}

/**
 * Waits until a refused call may be sent again. If `mayRead`, reads the account figures that the refusal needs. Returns
 * whether a later refusal may trigger this read. Throws the refusal if the call must not be sent again.
 */
async function waitToResend(
  call: SignedPrivateCall,
  refusal: unknown,
  mayRead: boolean,
): Promise<boolean> {
  const isRead = mayRead && needsFigures(refusal)
  const seconds = isRead ? (refusal.retryAfterSeconds ?? 0) : waitAfter(refusal)
  if (seconds === null || isGivenUp(call, seconds)) throw refusal
  const text =
    seconds > 0
      ? filledTemplate(ACCOUNT_TEXTS.orders.again, { seconds })
      : ACCOUNT_TEXTS.orders.reading
  const waiting = showNotice({ kind: 'wait', text })
  await sleep(seconds * 1000)
  // Other writes wait during this time, so a slow read is abandoned once the call is too old.
  const tooOld = sleep(leftMs(call)).then(() => false)
  const isFailed = isRead && !(await Promise.race([haveReadFigures(), tooOld]))
  dismiss(waiting)
  if (isFailed || isGivenUp(call, 0)) throw refusal
  return mayRead && !isRead
}

/**
 * Whether the call must be given up: in `seconds` it will be too old to send, or the page now signs with another key.
 */
function isGivenUp(call: SignedPrivateCall, seconds: number): boolean {
  return seconds * 1000 > leftMs(call) || session.peek()?.publicKey !== call.publicKey
}

/** The time in ms until a call is too old to be sent again. */
function leftMs({ timestamp }: SignedPrivateCall): number {
  return Number(timestamp) + RESEND_MAX_MS - signingMs()
}

/**
 * Whether the relay refused a write only because it has no recent figures of the account. Such a write was not sent to
 * the venue.
 */
function needsFigures(error: unknown): error is ApiFailure {
  if (!(error instanceof ApiFailure) || error.code !== 'mandate_exceeded') return false
  return error.reason === 'unknown' || error.retryAfterSeconds !== null
}

const MODE_READS = ['/v1/client/margin_modes', '/v1/client/leverages'] as const

/**
 * Reads the figures that the relay needs to check the limits of position, loss and leverage. Returns false if a read
 * fails. If a read of the day's rows fails, the write is sent anyway.
 */
async function haveReadFigures(): Promise<boolean> {
  const key = session.peek()
  if (!key) return false
  try {
    for (const path of [...MODE_READS, ...FIGURE_READS]) await read(key, path)
  } catch {
    return false
  }
  for (const path of neededDayReads.peek()) await read(key, path).catch(() => null)
  return true
}

/** The seconds until a refused write may be sent again; null if it may have been executed, or must not be repeated. */
function waitAfter(error: unknown): number | null {
  return error instanceof ApiFailure && UNSENT.has(error.code) ? error.retryAfterSeconds : null
}

function accepted(answer: Exact, order: WriteToSend): boolean {
  const next = refusalIn(answer)
  if (next === null) void showOutcome(answer, order)
  else showNotice({ kind: 'bad', text: ACCOUNT_TEXTS.orders.venueSays, next })
  return next === null
}

/** Reads and shows the outcome of an accepted write. */
async function showOutcome(answer: Exact, order: WriteToSend): Promise<void> {
  const key = session.peek()
  if (key) showNotice(await order.outcome(key, answer))
  readChanged(order)
}

const LOOKS_MS = [500, 1500, 3000, 5000] as const

/** Looks up an order whose answer was lost, and shows the result. Resolves to true if the order was found and accepted. */
async function lookUpWrite(
  call: SignedPrivateCall,
  order: WriteToSend,
  lookUp: WriteLookUp,
): Promise<boolean> {
  const waiting = showNotice({ kind: 'wait', text: ACCOUNT_TEXTS.orders.lookingUp })
  let hasLooked = false
  for (const ms of LOOKS_MS) {
    await sleep(ms)
    const seen = await readLookUp(lookUp)
    hasLooked ||= seen !== undefined
    if (!seen) continue
    dismiss(waiting)
    const { kind, text } = seen.outcome
    showNotice({
      kind,
      text: filledTemplate(ACCOUNT_TEXTS.orders.found, {
        status: ACCOUNT_TEXTS.status[seen.status] ?? seen.status,
      }),
      next: text,
    })
    refreshAccount()
    return true
  }
  dismiss(waiting)
  refreshAccount()
  return showUnknownOutcome(
    call,
    order,
    hasLooked ? ACCOUNT_TEXTS.orders.notFound : ACCOUNT_TEXTS.orders.notKnown,
  )
}

/** The result of one look-up; null if the venue has no such order, undefined if the look-up failed. */
async function readLookUp(lookUp: WriteLookUp) {
  const key = session.peek()
  if (!key) return undefined
  try {
    return await lookUp(key)
  } catch {
    return undefined
  }
}

/**
 * Shows that the outcome is unknown. The only action sends the same bytes again. The server executes them at most once.
 */
function showUnknownOutcome(
  call: SignedPrivateCall,
  order: WriteToSend,
  text: string = ACCOUNT_TEXTS.orders.notKnown,
): boolean {
  showNotice({
    kind: 'wait',
    text,
    next: ACCOUNT_TEXTS.orders.sameBytes,
    action: {
      label: ACCOUNT_TEXTS.orders.sendAgain,
      run: () => void whileBusy(exitKey(order), (release) => deliver(call, order, release)),
    },
  })
  return false
}

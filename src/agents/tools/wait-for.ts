import { SECOND_MS } from '../../contract/durations.ts'
import { ADVANCE_PATH } from '../../contract/venue/advance.ts'
import { isObject } from '../../core/json.ts'
import { accountWrite } from '../account-call.ts'
import { invalidArgument } from '../refusal.ts'
import { figure } from '../rows.ts'
import type { SignedContext, Timers, Tool, ToolContext } from '../tool.ts'
import {
  argumentSchema,
  choice,
  decimal,
  optional,
  symbolArgument,
  text,
  wholeNumber,
} from '../tool-arguments.ts'
import { publicTool, signedContext } from '../tool-kinds.ts'
import { cleanedPayload, UNTRUSTED } from '../untrusted-text.ts'
import { refreshedVenueMs } from '../views/current.ts'
import { symbolIn } from '../views/market.ts'
import {
  WAIT_CONDITION_NAMES,
  WAIT_CONDITIONS,
  type WaitCondition,
  type WaitLook,
  type WaitTarget,
} from './conditions.ts'

/**
 * Maximum wait. `ANSWER_MAX_SECONDS` is the maximum wait of a call without progress, because common MCP hosts end such
 * a call after 60 seconds.
 */
const WAIT_MAX_SECONDS = 600
const ANSWER_MAX_SECONDS = 50

const waitFor = publicTool({
  name: 'wait_for',
  description:
    'Waits until mark price or estimated funding rate passes value, a one-minute candle closes, an order is seen or done, or a position is closed; answers what it saw. Out of time is met: false: call again to go on. The last three need credentials.',
  arguments: argumentSchema({
    symbol: symbolArgument,
    until: choice(WAIT_CONDITION_NAMES, 'What for.'),
    value: optional(decimal('Price in USDC, or a funding rate as a fraction.')),
    order_id: optional(wholeNumber('For orders; of a stop, its algo_order_id.', { minimum: 1 })),
    client_order_id: optional(text('Instead of order_id.', { maxLength: 36 })),
    timeoutSeconds: wholeNumber('At most 50 without a progress token.', {
      minimum: 1,
      maximum: WAIT_MAX_SECONDS,
      default: 25,
    }),
  }),
  run: async (context, { symbol: word, until, timeoutSeconds, ...rest }) => {
    const condition = WAIT_CONDITIONS[until]
    const symbol = await symbolIn(context, word)
    const { value, order_id, client_order_id } = rest
    const wanted = { symbol, value, order_id, client_order_id }
    const isNamed = condition.needs === 'order_id' && client_order_id !== undefined
    if (condition.needs && !isNamed && wanted[condition.needs] === undefined) {
      throw invalidArgument(condition.needs, 'missing', { needed_by: until })
    }
    assertInTime(context, timeoutSeconds)
    const waitMs = timeoutSeconds * 1000
    const end = context.beginWait(waitMs)
    try {
      const look = await watchUntilMet(context, condition, wanted, waitMs)
      const isRow = isObject(look.observed)
      return cleanedPayload({ ...look, ts: context.venueClock.nowMs(), ...(isRow && UNTRUSTED) })
    } finally {
      end()
    }
  },
})

export const WAIT_TOOLS: readonly Tool[] = [waitFor]

/**
 * Throws invalid_request for a wait without progress above `ANSWER_MAX_SECONDS`. An account that owns the clock may
 * wait longer, because it advances the time itself.
 */
function assertInTime({ openCall, ownsClock }: ToolContext, seconds: number): void {
  if (openCall?.progress || ownsClock || seconds <= ANSWER_MAX_SECONDS) return
  throw invalidArgument('timeoutSeconds', 'out_of_range', {
    maximum: ANSWER_MAX_SECONDS,
    suggestion: ANSWER_MAX_SECONDS,
    next: 'Hosts give up on a call without progress after a minute: wait as long as suggested, and call again to go on.',
  })
}

async function watchUntilMet(
  context: ToolContext,
  { watch }: WaitCondition,
  wanted: WaitTarget,
  waitMs: number,
): Promise<WaitLook> {
  const met = new AbortController()
  const watching = watchContext(context, waitMs)
  const signal = AbortSignal.any([met.signal, ...waitEnds(watching, waitMs)])
  let last: WaitLook = { observed: null, met: false }
  let beganMs: number | null = null
  const reported = reportProgress(context, waitMs, signal, () => last)
  try {
    for await (const look of watch(watching, wanted, signal)) {
      last = look
      if (look.met || signal.aborted) break
      // On a virtual clock the time may have advanced far more than on the wall clock.
      const nowMs = context.isPractice() ? await refreshedVenueMs(context) : 0
      beganMs ??= nowMs
      if (nowMs - beganMs >= waitMs) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    met.abort()
    await reported
  }
  return last
}

/** The context for watching a condition. An account that owns its clock advances the time while it waits. */
function watchContext(context: ToolContext, waitMs: number): ToolContext {
  if (!context.ownsClock || !context.credentials) return { ...context, ownsClock: false }
  return { ...context, timers: steppedTimers(signedContext(context), waitMs) }
}

/** The signals that end a wait early. After a client has closed its input, a short wait still runs to its end. */
function waitEnds(
  { timers, openCall, ownsClock }: ToolContext,
  waitMs: number,
): readonly AbortSignal[] {
  const deadline = timers.deadline(waitMs)
  if (!openCall) return [deadline]
  const isLong = waitMs > ANSWER_MAX_SECONDS * 1000 && !ownsClock
  return [deadline, openCall.cancelled, ...(isLong ? [openCall.inputEnded] : [])]
}

const PROGRESS_EVERY_SECONDS = 5

/** Sends a wait's elapsed seconds and last observation as progress, until the signal aborts. */
async function reportProgress(
  { openCall, timers }: ToolContext,
  waitMs: number,
  signal: AbortSignal,
  last: () => WaitLook,
): Promise<void> {
  const progress = openCall?.progress
  if (!progress) return
  for (let seconds = PROGRESS_EVERY_SECONDS; ; seconds += PROGRESS_EVERY_SECONDS) {
    await timers.sleep(PROGRESS_EVERY_SECONDS * 1000, signal)
    if (signal.aborted) return
    const { observed } = last()
    const seen = typeof observed === 'number' ? `now ${observed}` : 'not yet'
    await progress(seconds, waitMs / 1000, seen)
  }
}

const STEP_MS = SECOND_MS

/**
 * Timers for a wait on a virtual clock that only this account advances. Each sleep advances the clock by one second, or
 * less at the end of the wait. The deadline aborts when the clock cannot be advanced any more.
 */
function steppedTimers(context: SignedContext, waitMs: number): Timers {
  const stopped = new AbortController()
  let leftMs = waitMs
  return {
    sleep: async (_, signal) => {
      if (signal.aborted) return
      const ms = Math.min(STEP_MS, leftMs)
      const answer = await accountWrite(context, {
        method: 'POST',
        path: ADVANCE_PATH,
        body: JSON.stringify({ steps: [{ ms }] }),
        lookUp: { tool: 'get_time', arguments: {} },
      })
      const [step] = Array.isArray(answer['steps']) ? answer['steps'] : []
      const passedMs = figure(step, 'advancedMs')
      leftMs -= passedMs
      if (passedMs <= 0) stopped.abort()
    },
    deadline: () => stopped.signal,
  }
}

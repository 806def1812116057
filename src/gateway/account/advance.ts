import type { Envelope } from '../../contract/envelope.ts'
import { ADVANCE_LIMITS, AdvanceBody, type ClockController } from '../../contract/venue/advance.ts'
import type { AdvanceClock, SteppedClock } from '../../core/advance.ts'
import type { Caller } from '../../core/client-address.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { parseBody } from '../../core/parse-body.ts'
import { type Answer, uncachedAnswer } from '../cache/answer.ts'
import type { RelayAccess } from '../relay/relay.ts'
import { admitSigner, claimAct, type ServiceActAccess } from '../relay/service-act.ts'

/** Access for an advance by a trading key. */
export type AdvanceAccess = ServiceActAccess & {
  readonly scrub: RelayAccess['scrub']
  /** Advances the embedded venue's virtual clock; null with real time. */
  readonly advanceClock: AdvanceClock | null
  readonly clockMover: ClockController
}

/**
 * Advances the virtual clock, on a request signed by an account's trading key. Throws Failure:
 * - expired_signature, invalid_signature, unauthorized.
 * - duplicate_request for a request that was used before.
 * - invalid_request naming the parameter.
 * - forbidden for a method other than POST, if time is real, or if only the operator may move the clock.
 */
export async function advanceAct(
  deps: AdvanceAccess,
  envelope: Envelope,
  caller: Caller,
): Promise<Answer> {
  const { advanceClock, clockMover } = deps
  if (envelope.method !== 'POST') throw pathRefusal('not_relayed', 'POST')
  if (advanceClock === null) throw pathRefusal('not_relayed', 'PREPD_VENUE_CLOCK=virtual')
  const pair = await admitSigner(deps, envelope, caller)
  if (clockMover === 'operator') throw pathRefusal('operator_only', 'PREPD_VENUE_ADVANCE=accounts')
  const { steps } = parseAdvance(envelope.body ?? '')
  for (const [at, step] of steps.entries())
    for (const operators of ['account', 'calls'] as const)
      if (step[operators] !== undefined)
        throw invalidParameter(`steps.${at}.${operators}`, 'conflicting')
  await claimAct(deps, envelope)
  const stepped = await advanceClock(steps, { by: 'key', pair }, NEVER_ABORTED)
  return uncachedAnswer(
    deps.scrub.text(advanceText(stepped, steps.length), { audience: 'private' }),
  )
}

/** Never aborts: an advance that has begun continues after its caller disconnects. */
const NEVER_ABORTED = new AbortController().signal

function pathRefusal(reason: 'not_relayed' | 'operator_only', expected: string) {
  return new Failure('forbidden', { parameter: 'path', reason, expected })
}

/** Reads the steps of an advance. Throws invalid_request naming the parameter. */
export function parseAdvance(text: string): AdvanceBody {
  const body = parseBody(AdvanceBody, text)
  const wholeMs = body.steps.reduce((sum, { ms }) => sum + ms, 0)
  if (wholeMs > ADVANCE_LIMITS.msMax)
    throw invalidParameter('steps', 'out_of_range', { max: ADVANCE_LIMITS.msMax })
  return body
}

/** A step of the clock. `calls`: the answers to the signed calls that precede the step, as a JSON array. */
export type SteppedCalls = SteppedClock & { readonly calls?: string }

/** The JSON answer to an advance: the time, each step with its calls and reads, and the number of remaining steps. */
export function advanceText(stepped: readonly SteppedCalls[], asked: number): string {
  const rows = stepped.map(({ nowMs, advancedMs, ended, calls, reads }) => {
    const answers = calls === undefined ? '' : `"calls":${calls},`
    return `{"nowMs":${nowMs},"advancedMs":${advancedMs},"ended":"${ended}",${answers}"reads":${reads}}`
  })
  const isPart = stepped.at(-1)?.ended === 'part'
  const left = asked - stepped.length + (isPart ? 1 : 0)
  return `{"nowMs":${stepped.at(-1)?.nowMs ?? 0},"steps":[${rows.join(',')}],"stepsLeft":${left}}`
}

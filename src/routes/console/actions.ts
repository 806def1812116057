import { Failure, invalid } from '../../core/failure.ts'
import { type ActParts, act as doAct } from '../../gateway/controls/acts.ts'
import { fingerprintOf } from '../../gateway/controls/controls.ts'
import { CONSOLE_ACTIONS, CONSOLE_LIMITS, type ConsoleAction } from '../../spec/console/figures.ts'
import type { ActName } from '../../spec/operator/acts.ts'
import { methodNotAllowed } from '../http/responses.ts'
import { targetOf } from '../http/target.ts'
import { authorize } from '../operator/entrance.ts'

export type ActionParts = ActParts & {
  /** Asked for each request; none where nothing can be done from the console. */
  readonly operatorKeys: () => readonly string[]
  /** Moves the embedded venue's virtual clock; null where time is real. */
  readonly advance: ((ms: number, signal: AbortSignal) => Promise<number>) | null
}

/** What the console can do; an act, but for the clock. */
const ACTIONS: Readonly<Record<ConsoleAction, ActName | 'clock'>> = {
  'pause-vouchers': 'pauseVouchers',
  'resume-vouchers': 'resumeVouchers',
  'advance-clock': 'clock',
  'purge-cache': 'purgeCache',
}

/** Does what the console asks, for whoever bears the operator's key. Throws Failure; then nothing has changed. */
export async function act(parts: ActionParts, request: Request, name: string): Promise<Response> {
  const action = CONSOLE_ACTIONS.find((known) => known === name)
  const operatorKeys = parts.operatorKeys()
  if (!action || operatorKeys.length === 0) throw new Failure('not_found')
  if (request.method !== 'POST') throw methodNotAllowed('POST')
  // One window for all: whoever reaches this listener is on the operator's side of it, or guesses.
  const key = await authorize(parts.deps.limiter, request, operatorKeys, 'operator')
  const doing = ACTIONS[action]
  if (doing === 'clock') await advanceClock(parts, request, key)
  else await doAct(parts, doing, {}, key)
  parts.deps.log.info('operator_acted', { action })
  return new Response(JSON.stringify({ done: action }), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

async function advanceClock({ advance, deps }: ActionParts, request: Request, key: string) {
  if (!advance) throw new Failure('not_configured')
  const ms = msOf(request)
  await deps.controls.commit({
    atMs: deps.clock.nowMs(),
    act: 'venue/clock',
    fields: { ms: String(ms) },
    fingerprint: fingerprintOf(key),
  })
  await advance(ms, request.signal)
}

function msOf(request: Request): number {
  const [, search = ''] = targetOf(request.url).split('?')
  const text = new URLSearchParams(search).get('ms') ?? ''
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) > CONSOLE_LIMITS.advanceMaxMs)
    throw invalid('ms', 'out_of_range')
  return Number(text)
}

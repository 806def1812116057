import { Failure, invalid } from '../../core/failure.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { assertOperator } from '../../gateway/referral/operator-key.ts'
import { admit } from '../../limits/admission.ts'
import { CONSOLE_ACTIONS, CONSOLE_LIMITS, type ConsoleAction } from '../../spec/console/figures.ts'
import { headerOf } from '../http/header.ts'
import { methodNotAllowed } from '../http/responses.ts'
import { targetOf } from '../http/target.ts'

export type ActionParts = {
  readonly deps: Gateway
  /** Null where nothing can be done from the console. */
  readonly operatorKey: string | null
  /** Moves the embedded venue's virtual clock; null where time is real. */
  readonly advance: ((ms: number) => void) | null
  /** Pauses or resumes vouchers; null where there are none. */
  readonly pauseVouchers: ((pause: boolean) => void) | null
}

type Act = (parts: ActionParts, request: Request) => void | Promise<void>

const ACTS: Readonly<Record<ConsoleAction, Act>> = {
  'pause-vouchers': (parts) => pause(parts, true),
  'resume-vouchers': (parts) => pause(parts, false),
  'advance-clock': ({ advance }, request) => {
    if (!advance) throw new Failure('not_configured')
    advance(msOf(request))
  },
  'purge-cache': ({ deps }) => deps.cache.purge(),
}

/** Does what the console asks, for whoever bears the operator's key. Throws Failure; then nothing has changed. */
export async function act(parts: ActionParts, request: Request, name: string): Promise<Response> {
  const action = CONSOLE_ACTIONS.find((known) => known === name)
  const { operatorKey } = parts
  if (!action || operatorKey === null) throw new Failure('not_found')
  if (request.method !== 'POST') throw methodNotAllowed('POST')
  assertOwnOrigin(request)
  // One window for all: whoever reaches this listener is on the operator's side of it, or guesses.
  admit(parts.deps.limiter, 'admin', 'console')
  assertOperator(headerOf(request.headers, 'authorization'), operatorKey)
  await ACTS[action](parts, request)
  parts.deps.log.info('operator_acted', { action })
  return new Response(JSON.stringify({ done: action }), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

/** A page of another origin has no business here, whatever it bears. */
function assertOwnOrigin({ url, headers }: Request): void {
  const origin = headers.get('origin')
  const host = headers.get('host') ?? new URL(url).host
  if (origin !== null && URL.parse(origin)?.host !== host) throw new Failure('forbidden')
}

function pause({ pauseVouchers }: ActionParts, wanted: boolean): void {
  if (!pauseVouchers) throw new Failure('not_configured')
  pauseVouchers(wanted)
}

function msOf(request: Request): number {
  const [, search = ''] = targetOf(request.url).split('?')
  const text = new URLSearchParams(search).get('ms') ?? ''
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) > CONSOLE_LIMITS.advanceMaxMs)
    throw invalid('ms', 'out_of_range')
  return Number(text)
}

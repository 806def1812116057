import {
  FAILURES,
  type FailureCode,
  isFailureCode,
  type Reason,
  type ReasonOf,
} from '../contract/failures.ts'
import { Failure } from '../core/failure.ts'
import { ClientFailure } from './client/client.ts'
import { type Hints, ToolFailure } from './tool.ts'

export type Meta = { readonly [name: string]: unknown } & { readonly reason?: Reason }

/** A tool failure for a code of the closed list, with the next step in `meta`. `sentence` replaces the code's default text. */
export function toolRefusal(code: FailureCode, meta: Meta = {}, sentence?: string): ToolFailure {
  const { error, retryable } = FAILURES[code]
  const next = NEXT_STEPS[code]
  return new ToolFailure({
    error: sentence ?? error,
    code,
    retryable: retryable || (!MAYBE_SENT.has(code) && meta['retryAfterSeconds'] !== undefined),
    meta: { ...(next && { next }), ...meta },
  })
}

/**
 * Codes after which a write may have been executed. Under any other code, the relay gives a retry time only if it sent
 * nothing, so even a write may be repeated. A proxy's answer with a retry time is `internal`.
 */
const MAYBE_SENT: ReadonlySet<FailureCode> = new Set(['internal', 'outcome_unknown'])

/** The failure of a write that exceeds the agent's own limits, as opposed to the account's mandate. */
export function limitRefusal(meta: Meta & { readonly reason: Reason }): ToolFailure {
  return toolRefusal('mandate_exceeded', meta, AGENT_LIMIT_REFUSAL)
}

const AGENT_LIMIT_REFUSAL =
  'A limit that was set for this agent does not allow this. Nothing was sent.'

/** The failure of one invalid argument. */
export function invalidArgument(
  parameter: string,
  reason: ReasonOf<'invalid_request'>,
  meta: Meta = {},
): ToolFailure {
  return toolRefusal('invalid_request', { parameter, reason, ...meta })
}

/** Converts any thrown value to a tool failure; an unknown error becomes `internal` without details. */
export function toToolFailure(error: unknown, hints: Hints = {}): ToolFailure {
  if (error instanceof ToolFailure) return error
  if (error instanceof Failure)
    return toolRefusal(error.code, { ...hintMeta(error.code, hints), ...error.meta })
  if (!(error instanceof ClientFailure)) return toolRefusal('internal')
  const code = failureCode(error)
  const { retryAfterSeconds } = error
  const { unreachable } = error.meta
  const meta = {
    ...nextStepMeta(UNREACHABLE_STEPS, unreachable),
    ...nextStepMeta(REASON_STEPS, error.meta['reason']),
    ...hintMeta(code, hints),
    ...error.meta,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }
  const isAway = code === 'upstream_unavailable' && unreachable === 'service'
  return toolRefusal(code, meta, isAway ? SERVICE_AWAY : undefined)
}

const SERVICE_AWAY = 'The service cannot be reached right now.'

/** The failure with additional meta members. */
export function withMeta({ message, code, retryable, meta }: ToolFailure, more: Meta): ToolFailure {
  return new ToolFailure({ error: message, code, retryable, meta: { ...meta, ...more } })
}

/** Runs a tool or a part of it, and adds hints to a failure. */
export async function withHints<T>(hints: Hints | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw toToolFailure(error, hints)
  }
}

/** The code of a client failure. For a route without codes, it is derived from the HTTP status. */
function failureCode({ code, status }: ClientFailure): FailureCode {
  if (isFailureCode(code) && code !== 'internal') return code
  return CODE_BY_STATUS.get(status) ?? 'internal'
}

// The swap status route answers without failure codes.
const CODE_BY_STATUS: ReadonlyMap<number, FailureCode> = new Map([
  [400, 'invalid_request'],
  [404, 'not_found'],
  [502, 'upstream_unavailable'],
  [503, 'upstream_unavailable'],
  [504, 'upstream_timeout'],
])

function hintMeta(code: FailureCode, hints: Hints): Meta {
  const next = hints[code]
  return next === undefined ? {} : { next }
}

function nextStepMeta(steps: ReadonlyMap<string, string>, word: unknown): Meta {
  const next = typeof word === 'string' ? steps.get(word) : undefined
  return next === undefined ? {} : { next }
}

/** The default next step per failure code. */
const NEXT_STEPS: Readonly<Partial<Record<FailureCode, string>>> = {
  invalid_request: 'Correct the named parameter and call again.',
  invalid_address: 'Give a wallet address: 0x and 40 hex characters.',
  unsupported_chain: 'Take a chain from list_swap_chains.',
  unsupported_token: 'Take a token from list_swap_tokens.',
  invalid_signature:
    'The configured trading key does not belong to this account. Only the user can correct the configuration.',
  expired_signature: 'The clock of this machine is off by minutes. Ask the user to set it.',
  unauthorized:
    'The trading key was not accepted. Ask the user to bind a new one and to put it into the configuration.',
  mandate_exceeded:
    'A limit of this account, which only its owner can change, does not allow it. Do not split or disguise the order; tell the user. get_limits lists all.',
  forbidden: 'This is not possible here. Do not try another way; tell the user.',
  not_found: 'Check the id or symbol with the matching list tool.',
  no_route:
    'There is no route for this amount and slippage_pct now. Try later, or ask the user what may change.',
  duplicate_request: 'This was sent before. Look it up with list_orders before sending anything.',
  account_restricted:
    'The account cannot do this now. get_account and list_positions show its state.',
  outcome_unknown:
    'It may have happened, or still happen until may_arrive_until (ms). Make the look_up; wait_for until=order_seen waits for an order. Never send it again before then.',
  order_rejected: 'This order neither rests nor filled. preview_order shows what is wrong.',
  insufficient_margin:
    'Use a smaller size, or free collateral: get_account and list_orders show what holds it.',
  price_out_of_range: 'preview_order with the same arguments answers a corrected price.',
  size_out_of_range: 'preview_order with the same arguments answers a corrected size.',
  notional_too_small: 'preview_order with the same arguments answers the smallest size.',
  amount_too_low: 'Ask the user whether a larger amount is meant.',
  amount_too_high: 'Use a smaller amount.',
  venue_rejected: 'The venue refused this as it is. Do not repeat it unchanged.',
  rate_limited: 'Wait retryAfterSeconds, then call again.',
  upstream_unavailable: 'Nothing was changed. Call again in a few seconds.',
  upstream_busy: 'Nothing was changed. Wait retryAfterSeconds, or a few seconds, then call again.',
  not_available: 'Tell the user the sentence of the operator; reads and cancelling go on.',
  store_unavailable: 'Nothing was sent. Call again in a moment; if it goes on, tell the user.',
  upstream_timeout: 'Call again in a few seconds, or ask for fewer rows.',
  not_configured: 'This deployment does not offer it. Tell the user.',
}

/** The next step per reason for which the venue refused a key. */
const REASON_STEPS: ReadonlyMap<string, string> = new Map([
  [
    'clock',
    'Two clocks differ: signedAtMs is this machine’s, serverAtMs the service’s. Tell the user both.',
  ],
  ['key_expired', 'The trading key has expired. Ask the user to bind a new one.'],
  ['key_unknown', 'The trading key is not bound to this account. Ask the user to bind it.'],
  [
    'scope',
    'The trading key is accepted, and lacks the scope that expected names: tell the user. All else that the key may do goes on.',
  ],
  [
    'credentials',
    'The key has expired, is not bound, or lacks the scope that expected names. get_account tells: where it answers, only the scope is missing. Tell the user.',
  ],
])

/** The next step per unreachable part. */
const UNREACHABLE_STEPS: ReadonlyMap<string, string> = new Map([
  [
    'service',
    'The service itself does not answer; the venue may be well. Ask the user whether it runs, and whether its address in the configuration is right.',
  ],
  [
    'venue',
    'The service answers, the venue behind it does not. Nothing was changed. Call again in a few seconds.',
  ],
  ['swaps', 'The service answers, the provider of swaps behind it does not. Call again later.'],
])

import type { Envelope } from '../contract/envelope.ts'
import { ROUTES } from '../contract/routes.ts'
import { ADVANCE_LIMITS, type AdvanceStep } from '../contract/venue/advance.ts'
import type { AdvanceClock } from '../core/advance.ts'
import { Failure, invalidParameter } from '../core/failure.ts'
import { advanceText, parseAdvance, type SteppedCalls } from '../gateway/account/advance.ts'
import { NO_STORE } from '../gateway/cache/answer.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { rememberSignature } from '../gateway/relay/signed.ts'
import { readBytes } from './server/body.ts'
import type { Front } from './server/front.ts'
import { failureResponse, methodNotAllowed } from './server/responses.ts'

/** The dependencies of `answerAdvance`, which advances the virtual clock for the operator. */
export type AdvanceOptions = {
  readonly deps: Pick<Gateway, 'scrub' | 'verifier'>
  /** Null if the venue runs in real time. */
  readonly advance: AdvanceClock | null
  /** The public API. The signed calls of an advance go through it. */
  readonly front: Front
}

/** Moves a virtual clock by `?ms=`, or by the steps of a body (`AdvanceBody`). Refuses requests from web pages. */
export async function answerAdvance(
  parts: AdvanceOptions,
  request: Request,
  peer: string,
  search: string,
): Promise<Response> {
  const { advance } = parts
  try {
    if (!advance || request.headers.has('origin')) throw new Failure('not_found')
    if (request.method !== 'POST') throw methodNotAllowed('POST')
    const ms = new URLSearchParams(search).get('ms')
    if (ms === null) return await steps({ ...parts, advance }, request, peer)
    return Response.json(await advanceOnce(advance, ms, request.signal), { headers: NO_STORE })
  } catch (error) {
    return failureResponse(error)
  }
}

const OPERATOR = { by: 'operator' } as const

/** Advances by one step of the given milliseconds. */
async function advanceOnce(advance: AdvanceClock, ms: string, signal: AbortSignal) {
  if (!/^[0-9]{1,9}$/.test(ms) || Number(ms) > ADVANCE_LIMITS.msMax)
    throw invalidParameter('ms', 'out_of_range')
  const stepped = await advance([{ ms: Number(ms) }], OPERATOR, signal)
  const advancedMs = stepped[0]?.advancedMs ?? 0
  return { advancedMs, leftMs: Number(ms) - advancedMs }
}

async function steps(
  { deps, advance, front }: AdvanceOptions & { readonly advance: AdvanceClock },
  request: Request,
  peer: string,
): Promise<Response> {
  const text = new TextDecoder().decode(await readBytes(request, peer))
  const { steps: asked } = parseAdvance(text)
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ADVANCE_LIMITS.waitMaxMs)])
  const taken: SteppedCalls[] = []
  const parts = stepGroups(asked)
  for (const [at, { calls, together }] of parts.entries()) {
    const answers = await Promise.all(calls.map((call) => relayCall(front, call, peer)))
    const stepped = advance(together, OPERATOR, signal)
    // Checks the next step's signatures while the venue's thread simulates this step. The relay checks them again
    // later.
    for (const next of parts[at + 1]?.calls ?? []) rememberSignature(deps.verifier, next)
    const [first, ...others] = await stepped
    const named = calls.length > 0 && { calls: `[${answers.join(',')}]` }
    if (first) taken.push({ ...first, ...named }, ...others)
    const isWhole = others.length + 1 === together.length && taken.at(-1)?.ended !== 'part'
    if (!isWhole || signal.aborted) break
  }
  const { bytes } = deps.scrub.text(advanceText(taken, asked.length), { audience: 'private' })
  return new Response(bytes, { headers: { 'content-type': 'application/json', ...NO_STORE } })
}

type StepGroup = { readonly calls: readonly Envelope[]; readonly together: AdvanceStep[] }

/** Groups steps so that each step with signed calls begins a new part. */
function stepGroups(asked: readonly AdvanceStep[]): readonly StepGroup[] {
  const parts: StepGroup[] = []
  for (const { calls = [], ...step } of asked) {
    const last = parts.at(-1)
    if (last && calls.length === 0) last.together.push(step)
    else parts.push({ calls, together: [step] })
  }
  return parts
}

/** Sends a signed call through the relay. Returns the status and the answer as one JSON text. */
async function relayCall(front: Front, call: Envelope, peer: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(call) }
  const response = await front(new Request(RELAY_URL, init), peer)
  return `{"status":${response.status},"body":${await response.text()}}`
}

const RELAY_URL = `http://localhost${ROUTES.relay.path}`

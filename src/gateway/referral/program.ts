import { Failure } from '../../core/failure.ts'
import { UpstreamError } from '../../core/ports.ts'
import type { FailureCode } from '../../spec/failures.ts'
import {
  type Affiliate,
  affiliateOf,
  affiliatePath,
  codeExists,
  codePath,
} from '../../wire/affiliate.ts'
import { openEnvelope } from '../../wire/envelope.ts'
import { failureOfUpstreamError } from '../../wire/outcome.ts'
import type { VenueKey } from '../operator.ts'
import {
  blamed,
  OF_THE_KEY,
  type OperatorCallDeps,
  readAsOperator,
  signedByOperator,
} from '../operator-call.ts'
import { payloadOf, readPayload, type VenueDeps } from '../venue-read.ts'

/** Whether anybody holds a code, by the venue's word. Throws Failure. */
export async function isHeld(deps: VenueDeps, code: string): Promise<boolean> {
  const exists = codeExists(await readPayload(deps, { path: codePath(code) }))
  if (exists === undefined) throw new Failure('upstream_unavailable')
  return exists
}

/** The account's code and rate, read with the operator's key; null when it has no code. Throws Failure. */
export async function readAffiliate(
  deps: OperatorCallDeps,
  key: VenueKey,
  accountId: string,
): Promise<Affiliate | null> {
  try {
    const text = await readAsOperator(deps, key, affiliatePath(accountId))
    return affiliateOf(payloadOf(text), accountId)
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}

/** How a write with the operator's key ended. `failed` certainly changed nothing, and says nothing about the account. */
export type ProgramWrite =
  | { readonly kind: 'done' | 'refused' | 'unknown' }
  | { readonly kind: 'failed'; readonly failure: unknown }

/** Sends a write with the operator's key, once. Throws no Failure: it says how it ended. */
export async function writeProgram(
  deps: OperatorCallDeps,
  key: VenueKey,
  path: string,
  body: string,
): Promise<ProgramWrite> {
  try {
    const response = await deps.upstream.send(
      signedByOperator(deps, key, { method: 'POST', path, body }),
    )
    openEnvelope(response, 'data', 'write', { signed: true })
    return { kind: 'done' }
  } catch (error) {
    const failure = error instanceof UpstreamError ? failureOfUpstreamError(error, 'write') : error
    if (!(failure instanceof Failure)) throw failure
    if (failure.code === 'outcome_unknown') return { kind: 'unknown' }
    if (!NO_VERDICT.has(failure.code)) return { kind: 'refused' }
    return { kind: 'failed', failure: blamed(deps, failure) }
  }
}

const NO_VERDICT: ReadonlySet<FailureCode> = new Set([
  ...OF_THE_KEY,
  'upstream_busy',
  'upstream_unavailable',
  'upstream_timeout',
])

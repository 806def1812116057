import { Failure } from '../../core/failure.ts'
import { UpstreamError, type UpstreamRequest } from '../../core/ports.ts'
import { publicKeyOf, signedText, signText } from '../../crypto/signing.ts'
import type { FailureCode } from '../../spec/failures.ts'
import { LIMITS } from '../../spec/limits.ts'
import {
  type Affiliate,
  affiliateOf,
  affiliatePath,
  codeExists,
  codePath,
} from '../../wire/affiliate.ts'
import { failureOfUpstreamError, openEnvelope } from '../../wire/envelope.ts'
import { signedHeaders } from '../../wire/wire.ts'
import { payloadOf, readVenue, sendRead, type VenueDeps } from '../venue-read.ts'
import type { ProgramDeps } from './deps.ts'
import type { AffiliateKey } from './desk.ts'

/** Whether anybody holds a code, by the venue's word. Throws Failure. */
export async function isHeld(deps: VenueDeps, code: string): Promise<boolean> {
  const exists = codeExists(payloadOf(await readVenue(deps, { path: codePath(code) })))
  if (exists === undefined) throw new Failure('upstream_unavailable')
  return exists
}

/** The account's code and rate, read with the operator's key; null when it has no code. Throws Failure. */
export async function readAffiliate(
  deps: ProgramDeps,
  key: AffiliateKey,
  accountId: string,
): Promise<Affiliate | null> {
  const request = signed(deps, key, { method: 'GET', path: affiliatePath(accountId) })
  const response = await sendRead(deps, request)
  try {
    const text = openEnvelope(response, 'data', 'read', { signed: true })
    return affiliateOf(payloadOf(text), accountId)
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw blamed(deps, error)
  }
}

/** How a write with the operator's key ended. `failed` certainly changed nothing, and says nothing about the account. */
export type ProgramWrite =
  | { readonly kind: 'done' | 'refused' | 'unknown' }
  | { readonly kind: 'failed'; readonly failure: unknown }

/** Sends a write with the operator's key, once. Throws no Failure: it says how it ended. */
export async function writeProgram(
  deps: ProgramDeps,
  key: AffiliateKey,
  path: string,
  body: string,
): Promise<ProgramWrite> {
  try {
    const response = await deps.upstream.send(signed(deps, key, { method: 'POST', path, body }))
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

/** Failures in which the venue judged the operator's key and not the account. */
const OF_THE_KEY: ReadonlySet<FailureCode> = new Set(['unauthorized', 'invalid_signature'])

const NO_VERDICT: ReadonlySet<FailureCode> = new Set([
  ...OF_THE_KEY,
  'upstream_busy',
  'upstream_unavailable',
  'upstream_timeout',
])

/** The caller signed nothing: a key of the operator's that the venue refuses is the deployment's fault. */
function blamed(deps: Pick<ProgramDeps, 'log'>, error: unknown): unknown {
  if (!(error instanceof Failure && OF_THE_KEY.has(error.code))) return error
  deps.log.error('referral.key_refused', { code: error.code })
  return new Failure('not_configured', undefined, { cause: error })
}

type ProgramCall = Pick<UpstreamRequest, 'path' | 'body'> & { readonly method: 'GET' | 'POST' }

function signed(
  { clock }: Pick<ProgramDeps, 'clock'>,
  { accountId, secret }: AffiliateKey,
  call: ProgramCall,
): UpstreamRequest {
  const timestamp = String(clock.nowMs())
  const signature = signText(signedText({ ...call, timestamp }), secret)
  const key = publicKeyOf(secret)
  const isRead = call.method === 'GET'
  return {
    ...call,
    host: 'main',
    headers: signedHeaders(call.method, { accountId, key, signature, timestamp }),
    lane: isRead ? 'read' : 'write',
    deadlineMs: isRead ? LIMITS.upstreamReadDeadlineMs : LIMITS.upstreamWriteDeadlineMs,
  }
}

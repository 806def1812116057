import type { FailureCode } from '../../contract/failures.ts'
import { LIMITS } from '../../contract/limits.ts'
import { signedText } from '../../core/crypto/signed-text.ts'
import { signText, wirePublicKey } from '../../core/crypto/signing.ts'
import { Failure } from '../../core/failure.ts'
import type { Clock, Log, Upstream, UpstreamRequest } from '../../core/ports.ts'
import { openEnvelope } from '../../upstream/wire/envelope.ts'
import { signedHeaders } from '../../upstream/wire/wire.ts'
import { sendRead } from './read.ts'

/** Access for calls that are signed with the operator's key. */
export type OperatorCallAccess = {
  readonly upstream: Upstream
  readonly clock: Clock
  readonly log: Log
}

/** Reads a path of the venue with the operator's key. Returns the payload's JSON text. Throws Failure. */
export async function readAsOperator(
  deps: OperatorCallAccess,
  key: VenueKey,
  path: string,
): Promise<string> {
  const response = await sendRead(deps, signedByOperator(deps, key, { method: 'GET', path }))
  try {
    return openEnvelope(response, 'data', 'read', { signed: true })
  } catch (error) {
    throw toOperatorFailure(deps, error)
  }
}

/** Failures that concern the operator's key rather than the request. */
export const OF_THE_KEY: ReadonlySet<FailureCode> = new Set(['unauthorized', 'invalid_signature'])

/**
 * Converts the error of a call that the operator's key signed. A refusal of that key is a fault of the deployment, not
 * of the caller: not_configured.
 */
export function toOperatorFailure(deps: Pick<OperatorCallAccess, 'log'>, error: unknown): unknown {
  if (!(error instanceof Failure && OF_THE_KEY.has(error.code))) return error
  deps.log.error('operator.key_refused', { code: error.code })
  return new Failure('not_configured', undefined, { cause: error })
}

/** Signs a call to the venue with the operator's key. */
export function signedByOperator(
  { clock }: Pick<OperatorCallAccess, 'clock'>,
  { accountId, secret }: VenueKey,
  call: Pick<UpstreamRequest, 'path' | 'body'> & { readonly method: 'GET' | 'POST' },
): UpstreamRequest {
  const timestamp = String(clock.nowMs())
  const signature = signText(signedText({ ...call, timestamp }), secret)
  const key = wirePublicKey(secret)
  const isRead = call.method === 'GET'
  return {
    ...call,
    host: 'main',
    headers: signedHeaders(call.method, { accountId, key, signature, timestamp }),
    lane: isRead ? 'read' : 'write',
    deadlineMs: isRead ? LIMITS.upstreamReadDeadlineMs : LIMITS.upstreamWriteDeadlineMs,
  }
}

/** The operator of this deployment. */
export type Operator = {
  readonly brokerId: string
  readonly serviceName: string
  /** The host names of this service, in lower case and without ports. */
  readonly hosts: readonly string[]
  /** Whether the rewards module is on. */
  readonly points: boolean
  /** Null without an operator's key. */
  readonly venueKey: VenueKey | null
}

/**
 * The operator's account at the venue, and the account's trading key. It signs the calls that only the operator may
 * make.
 */
export type VenueKey = { readonly accountId: string; readonly secret: Uint8Array }

import type { Failure } from '../../core/failure.ts'
import { FAILURES } from '../../spec/failures.ts'
import { failureResponse } from '../http/responses.ts'

/**
 * A refusal of the agent endpoint before any message was read: a JSON-RPC error without an id, whose code is the HTTP
 * status (the range below zero is taken), and whose data is the service's own failure.
 */
export function agentRefusal(failure: Failure): Response {
  const { code, meta } = failure
  const { status, error, retryable } = FAILURES[code]
  const data = { code, error, retryable, ...(meta && { meta }) }
  const body = { jsonrpc: '2.0', error: { code: status, message: error, data } }
  const { headers } = failureResponse(failure)
  return new Response(JSON.stringify(body), { status, headers })
}

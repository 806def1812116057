import { MANDATE_PATH } from '../../contract/act-paths.ts'
import { MandateAnswer, type MandateUse } from '../../contract/mandate.ts'
import type { Row } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { bodyLimits, type Limits, reduceOnlyCause } from '../../core/mandate.ts'
import { matchesSchema } from '../../core/parse-body.ts'
import { ClientFailure } from '../client/client.ts'
import type { ToolContext } from '../tool.ts'

/** The limits that the relay enforces for an account, including the operator's limits, and the use of these limits. */
export type AccountMandate = {
  readonly limits: Limits
  readonly use: MandateUse
  readonly cause: ReturnType<typeof reduceOnlyCause>
  /** The answer members that explain why the account may only cancel and reduce; empty if it may open positions. */
  readonly causeShown: Row
}

const CALL = { method: 'GET', path: MANDATE_PATH } as const

/** Reads the mandate of the caller's account: an empty one without credentials, null if the service gives no valid answer. */
export async function readMandate({
  client,
  credentials,
}: ToolContext): Promise<AccountMandate | null> {
  if (!credentials) return { limits: {}, use: {}, cause: null, causeShown: {} }
  const answer = await client
    .relay(credentials, CALL)
    .catch(defaultOnFailure('mcp', null, ClientFailure))
  if (!matchesSchema(MandateAnswer, answer)) return null
  const { limits, effectiveLimits, frozenBy, recordsLost, ...use } = answer
  const causeShown = {
    ...(frozenBy !== 'none' && { frozen_by: frozenBy }),
    ...(recordsLost !== undefined && { records_lost: recordsLost }),
  }
  const cause = reduceOnlyCause({ frozenBy, loss: recordsLost })
  return { limits: bodyLimits(effectiveLimits ?? limits), use, cause, causeShown }
}

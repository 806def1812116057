import { MandateAnswer, type MandateUse } from '../../contract/mandate.ts'
import { MANDATE_PATH } from '../../contract/mandate-path.ts'
import type { Row } from '../../core/json.ts'
import { orElse } from '../../core/loop/guarded.ts'
import { type Limits, limitsOf } from '../../core/mandate.ts'
import { matches } from '../../core/parse-body.ts'
import { ClientFailure } from '../client/client.ts'
import type { ToolContext } from '../tool.ts'

/** The limits of relayed writes, those of the operator included, what is used of them, and who has frozen the account. */
export type SignedMandate = {
  readonly limits: Limits
  readonly use: MandateUse
  readonly frozen: Row
}

const CALL = { method: 'GET', path: MANDATE_PATH } as const

/**
 * Reads the mandate of the caller's account: an empty one for a caller without credentials, null without a valid answer
 * of the service.
 */
export async function readMandate({
  client,
  credentials,
}: ToolContext): Promise<SignedMandate | null> {
  if (!credentials) return { limits: {}, use: {}, frozen: {} }
  const answer = await client.relay(credentials, CALL).catch(orElse('mcp', null, ClientFailure))
  if (!matches(MandateAnswer, answer)) return null
  const { limits, effectiveLimits, frozenBy, ...use } = answer
  const frozen = frozenBy === 'none' ? {} : { frozen_by: frozenBy }
  return { limits: limitsOf(effectiveLimits ?? limits), use, frozen }
}

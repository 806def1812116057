import { ClientFailure } from '../../client/client.ts'
import { orElse } from '../../core/loop/guarded.ts'
import { type Limits, limitsOf } from '../../core/mandate.ts'
import { matches } from '../../core/parse-body.ts'
import { MANDATE_PATH, MandateAnswer } from '../../spec/mandate.ts'
import type { Row } from '../rows.ts'
import type { ToolContext } from '../tool.ts'

/** What the account's wallet has signed, and who has frozen the account; null where the service does not say. */
type Mandate = { readonly limits: Limits; readonly frozen: Row }

const CALL = { method: 'GET', path: MANDATE_PATH } as const

/** Reads the mandate of the caller's account; one without limits where there is no account. */
export async function readMandate({ client, credentials }: ToolContext): Promise<Mandate | null> {
  if (!credentials) return { limits: {}, frozen: {} }
  const answer = await client.relay(credentials, CALL).catch(orElse('mcp', null, ClientFailure))
  if (!matches(MandateAnswer, answer)) return null
  const { limits, frozenBy } = answer
  return { limits: limitsOf(limits), frozen: frozenBy === 'none' ? {} : { frozen_by: frozenBy } }
}

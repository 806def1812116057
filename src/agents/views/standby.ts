import { STANDBY_PATH } from '../../contract/standby.ts'
import { isObject, type Row } from '../../core/json.ts'
import { orElse } from '../../core/loop/guarded.ts'
import { ClientFailure } from '../client/client.ts'
import type { ToolContext } from '../tool.ts'

/** The service's answer about a standby in the names of the tools. */
export function standbyShown(answer: unknown): Row {
  if (!isObject(answer)) return {}
  const { state, sendsAtMs, endsAtMs, endedAtMs, failure } = answer
  return {
    state,
    sends_at_ms: sendsAtMs,
    renew_before_ms: endsAtMs,
    ended_at_ms: endedAtMs,
    failure,
  }
}

/**
 * The standby of the caller's key as a member of an answer: armed, fired or lapsed. The answer has no such member
 * without a standby. The member is null if the standby is unknown.
 */
export async function standbyMember({ client, credentials }: ToolContext): Promise<Row> {
  if (!credentials) return {}
  const call = { method: 'GET', path: STANDBY_PATH } as const
  const answer = await client.relay(credentials, call).catch(orElse('mcp', null, ClientFailure))
  if (answer === null) return { standby: null }
  const shown = standbyShown(answer)
  return shown['state'] === 'none' ? {} : { standby: shown }
}

import { STANDBY_PATH } from '../../contract/standby.ts'
import { isObject, type Row } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { ClientFailure } from '../client/client.ts'
import type { ToolContext } from '../tool.ts'

/** The service's answer about a standby, with the tools' field names. */
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

/** Reads the caller's standby as the member `standby`: empty without a standby, null if it cannot be read. */
export async function standbyMember({ client, credentials }: ToolContext): Promise<Row> {
  if (!credentials) return {}
  const call = { method: 'GET', path: STANDBY_PATH } as const
  const answer = await client
    .relay(credentials, call)
    .catch(defaultOnFailure('mcp', null, ClientFailure))
  if (answer === null) return { standby: null }
  const shown = standbyShown(answer)
  return shown['state'] === 'none' ? {} : { standby: shown }
}

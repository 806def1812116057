import { abbreviate } from '../core/hex.ts'
import type { Log } from '../core/ports.ts'
import { type AuditLine, type SignedContext, type ToolContext, ToolFailure } from './tool.ts'

const TEXT_MAX_CHARS = 80

/** Long hex: its ends identify an account and reveal nothing of a secret. */
const LONG_HEX = /(?:0x)?([0-9a-f]{4})[0-9a-f]{24,}([0-9a-f]{4})/gi

/** Writes one log line for each write of an agent. Long texts and hex strings are shortened. */
export function auditTo(log: Log): (line: AuditLine) => void {
  return (line) => log.info('agent_write', Object.fromEntries(Object.entries(line).map(shortened)))
}

function shortened([name, value]: [string, AuditLine[string]]): [string, AuditLine[string]] {
  if (typeof value !== 'string') return [name, value]
  return [name, value.replace(LONG_HEX, '0x$1…$2').slice(0, TEXT_MAX_CHARS)]
}

/** The fields of an audit line about a write. */
type Audited = {
  readonly tool: string
  readonly symbol?: string
  readonly side?: string
  readonly size?: string
  readonly client_order_id?: string
}

/** Runs a write and writes one audit line, whether it succeeds or fails. */
export async function audited<T>(
  context: SignedContext,
  line: Audited,
  run: () => Promise<T>,
): Promise<T> {
  try {
    const result = await run()
    noteWrite(context, { ...line, code: 'ok' })
    return result
  } catch (error) {
    noteWrite(context, { ...line, code: error instanceof ToolFailure ? error.code : 'internal' })
    throw error
  }
}

/** Writes one audit line; absent fields are null. */
export function noteWrite(context: ToolContext, line: Audited & { readonly code: string }): void {
  const { tool, symbol = null, side = null, size = null, client_order_id = null, code } = line
  const account = context.credentials ? abbreviate(context.credentials.accountId) : null
  const timeMs = context.clock.nowMs()
  context.audit({ timeMs, tool, symbol, side, size, client_order_id, code, account })
}

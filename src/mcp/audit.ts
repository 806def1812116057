import { abbreviate } from '../core/hex.ts'
import type { Log } from '../core/ports.ts'
import { type AuditLine, type SignedContext, type ToolContext, ToolFailure } from './tool.ts'

const TEXT_MAX_CHARS = 80

/** Long hex of any kind: an account is recognised by its ends, and the ends of a secret are worth nothing. */
const LONG_HEX = /(?:0x)?([0-9a-f]{4})[0-9a-f]{24,}([0-9a-f]{4})/gi

/** Writes one line of the log for each write an agent made. What is long, or looks like a key, is shortened. */
export function auditTo(log: Log): (line: AuditLine) => void {
  return (line) => log.info('agent_write', Object.fromEntries(Object.entries(line).map(shortened)))
}

function shortened([name, value]: [string, AuditLine[string]]): [string, AuditLine[string]] {
  if (typeof value !== 'string') return [name, value]
  return [name, value.replace(LONG_HEX, '0x$1…$2').slice(0, TEXT_MAX_CHARS)]
}

/** What an audit line says of a write. */
type Audited = {
  readonly tool: string
  readonly symbol?: string
  readonly side?: string
  readonly size?: string
  readonly client_order_id?: string
}

/** Runs a write and leaves one line about it, however it ends. */
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

/** Leaves one line about a write; what it does not name is null. */
export function noteWrite(context: ToolContext, line: Audited & { readonly code: string }): void {
  const { tool, symbol = null, side = null, size = null, client_order_id = null, code } = line
  const account = context.credentials ? abbreviate(context.credentials.accountId) : null
  const timeMs = context.clock.nowMs()
  context.audit({ timeMs, tool, symbol, side, size, client_order_id, code, account })
}

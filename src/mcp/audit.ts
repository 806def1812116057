import type { Log } from '../core/ports.ts'
import type { AuditLine } from './tool.ts'

const TEXT_MAX_CHARS = 80

/** Long hex of any kind: an account is told by its ends, and a secret would be worth nothing. */
const LONG_HEX = /(?:0x)?([0-9a-f]{4})[0-9a-f]{24,}([0-9a-f]{4})/gi

/** Writes one line of the log for each write an agent made. What is long, or looks like a key, is shortened. */
export function auditTo(log: Log): (line: AuditLine) => void {
  return (line) => log.info('agent_write', Object.fromEntries(Object.entries(line).map(shortened)))
}

function shortened([name, value]: [string, AuditLine[string]]): [string, AuditLine[string]] {
  if (typeof value !== 'string') return [name, value]
  return [name, value.replace(LONG_HEX, '0x$1…$2').slice(0, TEXT_MAX_CHARS)]
}

import { sha256Hex } from '../core/digest.ts'
import { Failure } from '../core/failure.ts'
import { abbreviate } from '../core/hex.ts'
import { reportUnexpected } from '../core/loop/guarded.ts'
import { combinedLimits, limitsBody } from '../core/mandate.ts'
import type { Log } from '../core/ports.ts'
import type { CallToSign } from './client/client.ts'
import type { RecordWrite } from './journal-shares.ts'
import {
  type AuditLine,
  type SignedContext,
  type ToolContext,
  ToolFailure,
  type WriteJournal,
} from './tool.ts'

const TEXT_MAX_CHARS = 80

/** Long hex strings, shortened to their first and last four digits: enough to identify an account, too few to reveal a key. */
const LONG_HEX = /(?:0x)?([0-9a-f]{4})[0-9a-f]{24,}([0-9a-f]{4})/gi

/** Writes one log line for each write of an agent. Long texts and hex strings are shortened. */
export function createAuditLog(log: Log): (line: AuditLine) => void {
  return (line) => log.info('agent_write', Object.fromEntries(Object.entries(line).map(shortened)))
}

function shortened([name, value]: [string, AuditLine[string]]): [string, AuditLine[string]] {
  if (typeof value !== 'string') return [name, value]
  return [name, value.replace(LONG_HEX, '0x$1…$2').slice(0, TEXT_MAX_CHARS)]
}

/** The fields of an audit line about a write. */
type AuditedWrite = {
  readonly tool: string
  readonly symbol?: string
  readonly side?: string
  readonly size?: string
  readonly client_order_id?: string
}

/**
 * Runs a write with two journal entries, one before it and one with its outcome, and one audit line. Throws the error
 * of the write. If writing the first entry fails, throws Failure store_unavailable before sending. Only a cancel is
 * sent without a first entry.
 */
export async function runAudited<T>(
  context: SignedContext,
  line: AuditedWrite & { readonly call: CallToSign },
  run: () => Promise<T>,
): Promise<T> {
  const settle = await recordBegin(context, line)
  async function note(code: string): Promise<void> {
    await settle(code)
    noteWrite(context, { ...line, code })
  }
  try {
    const result = await run()
    await note('ok')
    return result
  } catch (error) {
    await note(error instanceof ToolFailure ? error.code : 'internal')
    throw error
  }
}

async function recordBegin(
  context: SignedContext,
  { tool, call }: AuditedWrite & { readonly call: CallToSign },
): Promise<(outcome: string) => Promise<void>> {
  const { clock, credentials, journal, limits, operatorLimits } = context
  try {
    return await journal.begin({
      atMs: clock.nowMs(),
      account: abbreviate(credentials.accountId),
      tool,
      limits: limitsBody(combinedLimits(limits, operatorLimits)),
      digest: callDigest(call),
    })
  } catch (error) {
    if (!isCancel(call)) throw error
    reportUnexpected('mcp', error, Failure)
    return async () => undefined
  }
}

function isCancel({ method, path }: CallToSign): boolean {
  return method === 'DELETE' && path.startsWith('/v1/')
}

function callDigest({ method, path, body = '' }: CallToSign): string {
  return sha256Hex(method + path + body)
}

/** Writes one audit line; absent fields are null. */
export function noteWrite(
  context: ToolContext,
  line: AuditedWrite & { readonly code: string },
): void {
  const { tool, symbol = null, side = null, size = null, client_order_id = null, code } = line
  const account = context.credentials ? abbreviate(context.credentials.accountId) : null
  const timeMs = context.clock.nowMs()
  context.audit({ timeMs, tool, symbol, side, size, client_order_id, code, account })
}

type WriteJournalOptions = {
  readonly record: RecordWrite
  /** Whether the venue has accepted the caller's key for the account. */
  readonly isProven: () => Promise<boolean>
}

/**
 * The journal of one caller's writes. Until the venue has accepted the caller's key, a write is recorded only after the
 * venue's answer, and only if the venue accepted the key. Callers without an account therefore add no entries.
 */
export function writeJournal({ record, isProven }: WriteJournalOptions): WriteJournal {
  return {
    begin: async (write) => {
      const settle = (await isProven()) ? await record(write) : null
      return async (outcome) => {
        try {
          if (settle === null && !(await isProven())) return
          await (settle ?? (await record(write)))(outcome)
        } catch (error) {
          // The write is done; only its journal entry keeps showing an unknown outcome.
          reportUnexpected('mcp', error, Failure)
        }
      }
    },
  }
}

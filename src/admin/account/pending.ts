import { isObject } from '../../core/json.ts'
import { textOf } from '../../settings/files.ts'
import { UsageError } from '../../settings/usage-error.ts'
import type { CommandDeps } from '../command.ts'

/** What waits for a wallet's signature, kept beside the trading key: nothing in it is secret. */
export type Pending = {
  readonly step: 'register' | 'trading-key'
  /** Lower case. */
  readonly wallet: string
  readonly url: string
  readonly digest: string
  /** Goes back to the service with the signature. */
  readonly message: object
}

/** Where it is kept. */
export function pendingFile(out: string): string {
  return `${out}.pending`
}

/** What waits beside a trading key. Throws UsageError when nothing does. */
export function readPending(files: CommandDeps['files'], out: string): Pending {
  const pending = parsed(textOf(files, pendingFile(out)) ?? '')
  if (pending) return pending
  throw new UsageError(
    `nothing waits for a signature beside ${out}: start with account create --wallet ADDRESS --out ${out}`,
  )
}

function parsed(text: string): Pending | null {
  const value = json(text)
  if (!isObject(value)) return null
  const { step, wallet, url, digest, message } = value
  if (step !== 'register' && step !== 'trading-key') return null
  if (typeof wallet !== 'string' || typeof url !== 'string' || typeof digest !== 'string')
    return null
  return isObject(message) ? { step, wallet, url, digest, message } : null
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

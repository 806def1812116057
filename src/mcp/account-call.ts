import { isObject } from '../core/json.ts'
import type { Method } from '../core/ports.ts'
import { refusal, toolFailureOf } from './refusal.ts'
import type { SignedContext } from './tool.ts'
import { type Hints, ToolFailure } from './tool.ts'

/** Query values by name; what is undefined is left out. */
export type Query = Readonly<Record<string, string | number | undefined>>

/** A signed GET. */
export function accountRead(
  context: SignedContext,
  path: string,
  query: Query = {},
): Promise<unknown> {
  return context.client.relay(context.credentials, { method: 'GET', path: pathWith(path, query) })
}

/** A path and its query, spelled as it is signed. */
export function pathWith(path: string, query: Query): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.append(name, String(value))
  }
  const search = given.toString()
  return search ? `${path}?${search}` : path
}

/** A call that shows what became of a write. */
export type LookUp = {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export type Write = {
  readonly method: Exclude<Method, 'GET'>
  readonly path: string
  /** Sent exactly as it is. */
  readonly body?: string
  readonly lookUp: LookUp
  /** Said with every failure: what the caller needs to find the order again. */
  readonly told?: Readonly<Record<string, unknown>>
}

/**
 * Sends a write once and never again. Throws outcome_unknown, with the look-up to make, wherever it is not certain
 * that nothing happened.
 */
export async function accountWrite(
  context: SignedContext,
  write: Write,
): Promise<Readonly<Record<string, unknown>>> {
  const { method, path, body } = write
  try {
    const call = { method, path, ...(body !== undefined && { body }) }
    const answer = await context.client.relay(context.credentials, call)
    if (isObject(answer)) return answer
  } catch (error) {
    throw refused(error, write, context.hints)
  }
  throw unknown(write)
}

function refused(error: unknown, write: Write, hints?: Hints) {
  const { message, code, retryable, meta } = toolFailureOf(error, hints)
  if (OPEN_CODES.has(code)) return unknown(write)
  return new ToolFailure({ error: message, code, retryable, meta: { ...meta, ...write.told } })
}

// A service that cannot be reached may have been reached: its answer is what is missing.
const OPEN_CODES: ReadonlySet<string> = new Set([
  'outcome_unknown',
  'upstream_timeout',
  'upstream_unavailable',
  'internal',
])

function unknown({ lookUp, told }: Write) {
  return refusal('outcome_unknown', { ...told, look_up: lookUp })
}

import type { Method } from '../contract/allowlist.ts'
import { LIMITS } from '../contract/limits.ts'
import { isObject } from '../core/json.ts'
import { defaultOnFailure } from '../core/loop/guarded.ts'
import { ClientFailure } from './client/client.ts'
import { toolRefusal, toToolFailure, withMeta } from './refusal.ts'
import type { Hints, SignedContext } from './tool.ts'

/** Query values by name; undefined values are omitted. */
export type QueryValues = Readonly<Record<string, string | number | undefined>>

/** Sends a signed GET through the relay. Throws ClientFailure. */
export function accountRead(
  context: SignedContext,
  path: string,
  query: QueryValues = {},
): Promise<unknown> {
  return context.client.relay(context.credentials, { method: 'GET', path: pathWith(path, query) })
}

/** The path with its query string, as it is signed; undefined values are left out. */
export function pathWith(path: string, query: QueryValues): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.append(name, String(value))
  }
  const search = given.toString()
  return search ? `${path}?${search}` : path
}

/** The tool call by which an agent can look up the outcome of a write. */
export type OutcomeLookUp = {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export type AccountWrite = {
  readonly method: Exclude<Method, 'GET'>
  readonly path: string
  /** The exact body text to sign and send. */
  readonly body?: string
  readonly lookUp: OutcomeLookUp
  /** Whether the body contains the wallet's signature, for a write that needs such a signature. */
  readonly consented?: true
  /** Whether the account's owner has to approve the write first. */
  readonly needsApproval?: boolean
  /** Members that the meta of every failure gets. With these members, the agent can find the order again. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** Sends a write at most once. Throws outcome_unknown with the look-up call, unless the write certainly failed. */
export async function accountWrite(
  context: SignedContext,
  write: AccountWrite,
): Promise<Readonly<Record<string, unknown>>> {
  const { method, path, body } = write
  if (write.needsApproval) await readForOwner(context, path)
  let untilMs = 0
  try {
    const call = { method, path, ...(body !== undefined && { body }) }
    const sent = context.client[clientMethod(write)](context.credentials, call)
    // An upper bound of the signature's expiry: the call was signed before this line.
    untilMs = context.clock.nowMs() + LIMITS.signatureAgeMaxMs
    const answer = await sent
    if (isObject(answer)) return answer
  } catch (error) {
    throw writeFailure(error, { ...write, untilMs }, context.hints)
  }
  throw outcomeUnknown({ ...write, untilMs })
}

/**
 * Reads the figures that the owner sees when approving a write. Reading the positions also proves the key: only a key
 * that the venue has accepted may request an approval. Unreadable settings are shown as unknown.
 */
async function readForOwner({ client, credentials }: SignedContext, path: string): Promise<void> {
  const read = (shown: string) => client.approved(credentials, { method: 'GET', path: shown })
  await read('/v1/positions')
  const [, settings] = SETTING_READS.find(([prefix]) => path.startsWith(prefix)) ?? []
  if (settings) await read(settings).catch(defaultOnFailure('mcp', null, ClientFailure))
}

/** For each path prefix of a write, the read that shows the settings on which the write depends. */
const SETTING_READS = [
  ['/v1/client/leverage', '/v1/client/leverages'],
  ['/v1/client/margin_mode', '/v1/client/margin_modes'],
  ['/v1/order', '/v1/client/margin_modes'],
  ['/v1/batch-order', '/v1/client/margin_modes'],
  ['/v1/algo/order', '/v1/client/margin_modes'],
] as const

function clientMethod({
  needsApproval,
  consented,
}: AccountWrite): 'approved' | 'consented' | 'relay' {
  if (needsApproval) return 'approved'
  return consented ? 'consented' : 'relay'
}

/** A write and the time at which its signature expires. */
type SentWrite = AccountWrite & { readonly untilMs: number }

function writeFailure(error: unknown, write: SentWrite, hints?: Hints) {
  const failure = toToolFailure(error, hints)
  const { unreachable } = failure.meta
  if (UNKNOWN_OUTCOME_CODES.has(failure.code)) return outcomeUnknown(write, unreachable)
  return withMeta(failure, write.details ?? {})
}

// Failure codes after which the write may have been executed: the service may have received it although its answer is
// missing.
const UNKNOWN_OUTCOME_CODES: ReadonlySet<string> = new Set([
  'outcome_unknown',
  'upstream_timeout',
  'upstream_unavailable',
  'internal',
])

function outcomeUnknown({ lookUp, details, untilMs }: SentWrite, unreachable?: unknown) {
  const silent = unreachable === undefined ? {} : { unreachable }
  return toolRefusal('outcome_unknown', {
    ...details,
    ...silent,
    look_up: lookUp,
    may_arrive_until: untilMs,
  })
}

import { ClientFailure } from '../client/client.ts'
import { Failure } from '../core/failure.ts'
import { FAILURES, type FailureCode, type Reason, type ReasonOf } from '../spec/failures.ts'
import { NEXT_STEPS, REASON_STEPS, UNREACHABLE_STEPS } from './next-steps.ts'
import { type Hints, ToolFailure } from './tool.ts'

export type Meta = { readonly [name: string]: unknown } & { readonly reason?: Reason }

/** A failure of the closed list as a tool tells it: its own sentence, and in `meta` what to do next. */
export function refusal(code: FailureCode, meta: Meta = {}): ToolFailure {
  const { error, retryable } = FAILURES[code]
  const next = NEXT_STEPS[code]
  return new ToolFailure({ error, code, retryable, meta: { ...(next && { next }), ...meta } })
}

/** A refused argument: which, and why. */
export function invalidArgument(
  parameter: string,
  reason: ReasonOf<'invalid_request'>,
  meta: Meta = {},
): ToolFailure {
  return refusal('invalid_request', { parameter, reason, ...meta })
}

/** Whatever a call threw, as a tool failure. What is not known to be ours is `internal` and says nothing else. */
export function toolFailureOf(error: unknown, hints: Hints = {}): ToolFailure {
  if (error instanceof ToolFailure) return error
  if (error instanceof Failure)
    return refusal(error.code, { ...hinted(error.code, hints), ...error.meta })
  if (!(error instanceof ClientFailure)) return refusal('internal')
  const code = codeOf(error)
  const { retryAfterSeconds } = error
  return refusal(code, {
    ...stepOf(UNREACHABLE_STEPS, error.meta['unreachable']),
    ...stepOf(REASON_STEPS, error.meta['reason']),
    ...hinted(code, hints),
    ...error.meta,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

/** The same failure with more to say. */
export function withMeta({ message, code, retryable, meta }: ToolFailure, more: Meta): ToolFailure {
  return new ToolFailure({ error: message, code, retryable, meta: { ...meta, ...more } })
}

/** Runs a tool, or a part of one, and gives its failure these hints. */
export async function withHints<T>(hints: Hints | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw toolFailureOf(error, hints)
  }
}

/** The code of a service's refusal; by its HTTP status where the route gives none. */
function codeOf({ code, status }: ClientFailure): FailureCode {
  if (isFailureCode(code) && code !== 'internal') return code
  return CODE_BY_STATUS.get(status) ?? 'internal'
}

// The status route of swaps answers without codes.
const CODE_BY_STATUS: ReadonlyMap<number, FailureCode> = new Map([
  [400, 'invalid_request'],
  [404, 'not_found'],
  [502, 'upstream_unavailable'],
  [503, 'upstream_unavailable'],
  [504, 'upstream_timeout'],
])

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURES, code)
}

function hinted(code: FailureCode, hints: Hints): Meta {
  const next = hints[code]
  return next === undefined ? {} : { next }
}

function stepOf(steps: ReadonlyMap<string, string>, word: unknown): Meta {
  const next = typeof word === 'string' ? steps.get(word) : undefined
  return next === undefined ? {} : { next }
}

import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { FAILURES, isFailureCode } from '../../contract/failures.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { UsageError } from '../../core/settings/usage-error.ts'

/**
 * One tool call of the agent, as a JSON line in the log of a run. It has the venue's time, `ok` or the failure code,
 * and the lengths of the call and its answer.
 */
const DecisionLine = Type.Object({
  atMs: Type.Integer(),
  tool: Type.String(),
  arguments: Type.Object({}),
  outcome: Type.String(),
  chars: Type.Integer(),
})
export type LoggedDecision = Readonly<Static<typeof DecisionLine>>

type Begun = Pick<LoggedDecision, 'atMs' | 'tool' | 'arguments' | 'chars'>

/** Watches the messages between an agent and its tools. */
export type DecisionWatch = {
  readonly asked: (line: string) => void
  readonly answered: (line: string) => void
}

/** Creates a watch that reports each tool call when it is answered. Other messages are ignored. */
export function watchDecisions(
  nowMs: () => number,
  decided: (decision: LoggedDecision) => void,
): DecisionWatch {
  const begun = new Map<unknown, Begun>()
  return {
    asked: (line) => {
      const { id, method, params } = parseRpcMessage(line)
      if (method !== 'tools/call' || !isObject(params) || typeof params['name'] !== 'string') return
      const given = isObject(params['arguments']) ? params['arguments'] : {}
      begun.set(id, { atMs: nowMs(), tool: params['name'], arguments: given, chars: line.length })
    },
    answered: (line) => {
      const { id, result, error } = parseRpcMessage(line)
      const call = begun.get(id)
      if (!call || (result === undefined && error === undefined)) return
      begun.delete(id)
      decided({ ...call, outcome: callOutcome(result), chars: call.chars + line.length })
    },
  }
}

function parseRpcMessage(line: string): Readonly<Record<string, unknown>> {
  const message = parsedJson(line)
  return isObject(message) ? message : {}
}

/** The text of a tool's answer as JSON; undefined for other messages. */
export function parseToolAnswer(result: unknown): unknown {
  const [part] = isObject(result) && Array.isArray(result['content']) ? result['content'] : []
  return isObject(part) && typeof part['text'] === 'string' ? parsedJson(part['text']) : undefined
}

function callOutcome(result: unknown): string {
  if (!isObject(result)) return 'protocol_error'
  if (result['isError'] !== true) return 'ok'
  const answer = parseToolAnswer(result)
  return isObject(answer) && typeof answer['code'] === 'string' ? answer['code'] : 'internal'
}

/** Counts of an agent's calls in a run. */
export type Counts = {
  decisions: number
  calls: number
  chars: number
  errors: number
  refusals: number
  limitHits: number
}

/** Adds a call to the counts. All calls at one venue time are one decision. */
export function countDecision(
  counts: Counts,
  before: LoggedDecision | null,
  decision: LoggedDecision,
): void {
  counts.calls += 1
  counts.chars += decision.chars
  if (before?.atMs !== decision.atMs) counts.decisions += 1
  if (decision.outcome === 'ok') return
  if (LIMIT_CODES.has(decision.outcome)) counts.limitHits += 1
  else if (isRefusal(decision.outcome)) counts.refusals += 1
  else counts.errors += 1
}

const LIMIT_CODES: ReadonlySet<string> = new Set(['mandate_exceeded', 'approval_required'])
const TOO_MANY_REQUESTS = 429

/** Whether a failure code means that the call was invalid, not that the service failed. */
function isRefusal(code: string): boolean {
  const status = isFailureCode(code) ? FAILURES[code].status : 0
  return code !== 'outcome_unknown' && status >= 400 && status < 500 && status !== TOO_MANY_REQUESTS
}

/** The calls in a log, in order. Throws UsageError for an invalid line. */
export async function* readDecisions(lines: AsyncIterable<string>): AsyncGenerator<LoggedDecision> {
  for await (const line of lines) {
    if (line === '') continue
    const value = parsedJson(line)
    if (!Value.Check(DecisionLine, value)) throw new UsageError('the log of decisions is damaged')
    yield value
  }
}

import { ClientFailure } from '../client/client.ts'
import { Failure } from '../core/failure.ts'
import { refusal, toolFailureOf } from './refusal.ts'
import { ToolFailure } from './tool.ts'

/** What a tool call answers: one text part of compact JSON. */
export type ToolResult = {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }]
  readonly isError?: true
}

/** Clients cut longer results in the middle of a row, without a word. Tools keep below it by themselves. */
const RESULT_MAX_BYTES = 60_000

/** The result of a tool that succeeded. Throws ToolFailure payload_too_large. */
export function resultOf(value: unknown): ToolResult {
  const text = JSON.stringify(value ?? {})
  if (Buffer.byteLength(text) > RESULT_MAX_BYTES) {
    throw refusal('payload_too_large', {
      maxBytes: RESULT_MAX_BYTES,
      next: 'Ask for less at once.',
    })
  }
  return { content: [{ type: 'text', text }] }
}

/** The result of a tool that failed: `{error, code, retryable, meta}`. Anything unforeseen says only `internal`. */
export function failureResult(failure: unknown): ToolResult {
  const { message, code, retryable, meta } = toolFailureOf(failure)
  const body = { error: message, code, retryable, ...(Object.keys(meta).length > 0 && { meta }) }
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true }
}

/** Whether an error is one that tools are expected to throw. */
export function isExpected(error: unknown): boolean {
  return error instanceof ToolFailure || error instanceof ClientFailure || error instanceof Failure
}

import { ToolFailure } from '../../mcp/tool.ts'
import type { FailureCode } from '../../spec/failures.ts'

/** How the text of a header is read, and what it must be, in words. */
export type Kind<Value> = {
  readonly expects: string
  readonly parse: (text: string) => Value | undefined
}

/** What a header's text stands for. Throws ToolFailure with the given code when it stands for nothing. */
export function headerValue<Value>(
  name: string,
  text: string,
  { expects, parse }: Kind<Value>,
  code: FailureCode,
): Value {
  const value = parse(text)
  if (value === undefined) throw malformedHeader(name, expects, code)
  return value
}

/** Names a header and what it must be; its value is never repeated. */
export function malformedHeader(name: string, expects: string, code: FailureCode): ToolFailure {
  return new ToolFailure({
    error: `The header ${name} must be ${expects}.`,
    code,
    meta: { parameter: name, next: 'Ask the user to correct the configuration of this client.' },
  })
}

import { FAILURES, type FailureCode, type FailureRow } from '../../spec/failures.ts'

/** The failures any route can answer. */
export const COMMON: readonly FailureCode[] = ['invalid_request', 'rate_limited', 'internal']

/** One reference a status: several codes may share one. */
export function failureReferences(codes: readonly FailureCode[]) {
  const statuses = new Set(codes.map((code) => FAILURES[code].status))
  const rows = [...statuses].map((status) => [
    status,
    { $ref: `#/components/responses/${nameOf(status)}` },
  ])
  return Object.fromEntries([...rows, ['default', { $ref: '#/components/responses/Failure' }]])
}

/** A response for each status, with the body of every code that has it. */
export function failureResponses() {
  const statuses = new Set(Object.values(FAILURES).map(({ status }) => status))
  const rows = [...statuses].map((status) => {
    const codes = rowsOf(status)
    const description = codes.map(([code, { error }]) => `${code}: ${error}`).join(' ')
    return [nameOf(status), { description, content: contentOf(codes) }]
  })
  const any = { description: 'Any other failure of the closed list.', content: contentOf([]) }
  return Object.fromEntries([...rows, ['Failure', any]])
}

function rowsOf(status: number): [string, FailureRow][] {
  return Object.entries<FailureRow>(FAILURES).filter(([, row]) => row.status === status)
}

function contentOf(rows: readonly (readonly [string, FailureRow])[]) {
  const examples = Object.fromEntries(
    rows.map(([code, { error }]) => [code, { summary: code, value: bodyOf(code, error) }]),
  )
  return {
    'application/json': {
      schema: { $ref: '#/components/schemas/Failure' },
      ...(rows.length > 0 && { examples }),
    },
  }
}

/** What programs get beside the sentence, where the code always has it. */
const METAS: Partial<Record<string, Readonly<Record<string, string | number>>>> = {
  invalid_request: { parameter: 'symbol', reason: 'missing' },
  rate_limited: { retryAfterSeconds: 5 },
  method_not_allowed: { allow: 'POST' },
  not_available: { sentence: 'Maintenance until 14:00 UTC.' },
}

function bodyOf(code: string, error: string) {
  const meta = METAS[code]
  return { code, error, ...(meta && { meta }) }
}

function nameOf(status: number): string {
  return `Failure${status}`
}

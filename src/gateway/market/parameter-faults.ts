import type { FailureCode, Reason } from '../../contract/failures.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Failure, faultsFailure, type RequestFault } from '../../core/failure.ts'
import { schemaExpectation } from '../../core/parse-body.ts'
import type { Query } from '../../core/query.ts'
import { suggest } from '../../core/settings/suggest.ts'

/** A query parameter as declared in a table. Without a schema any text is valid. */
export type DeclaredParameter = {
  readonly name: string
  readonly required: boolean
  readonly description: string
  readonly schema?: Readonly<Record<string, unknown>>
}

/**
 * Completes a failure about a query: why the parameter was refused, the expected value, and the faults of other
 * parameters. Not_found with a symbol means an unknown market. Other failures are returned unchanged.
 */
export function withParameterFaults(
  error: Failure,
  declared: readonly DeclaredParameter[],
  query: Query,
): Failure {
  if (error.code === 'not_found') return unknownMarket(error, declared)
  if (VENUE_REFUSALS.includes(error.code) && error.meta?.['parameter'] === undefined)
    return malformed(error, declared, query)
  const row = declared.find(({ name }) => name === error.meta?.['parameter'])
  if (!row || (error.code !== 'invalid_request' && error.code !== 'invalid_address')) return error
  const { reason = 'malformed' } = error.meta ?? {}
  const named = parameterFault(row, query) ?? {
    parameter: row.name,
    reason,
    ...declaredExpectation(row),
  }
  const others = declared.filter(({ name }) => name !== row.name)
  return faultsFailure(error.code, [
    named,
    ...others.flatMap((other) => parameterFault(other, query) ?? []),
  ])
}

/** Failures with which the venue refuses a query without naming a parameter. */
const VENUE_REFUSALS: readonly FailureCode[] = ['invalid_request', 'venue_rejected']

function malformed(error: Failure, declared: readonly DeclaredParameter[], query: Query): Failure {
  const [first, ...others] = declared.flatMap((row) => parameterFault(row, query) ?? [])
  return first ? faultsFailure('invalid_request', [first, ...others]) : error
}

/** The most similar candidate; empty without a similar candidate, or for a word that is too long to compare. */
export function suggestion(
  word: string,
  candidates: readonly string[],
): Pick<RequestFault, 'suggestion'> {
  const meant = word.length > SUGGESTION_MAX_CHARS ? undefined : suggest(word, candidates)
  return meant === undefined ? {} : { suggestion: meant }
}

const SUGGESTION_MAX_CHARS = 64

function declaredExpectation({
  schema,
  description,
}: DeclaredParameter): Pick<RequestFault, 'expected'> {
  return schemaExpectation({ description, enum: schema?.['enum'] })
}

/** The fault of a sent parameter; null if the table accepts it. */
function parameterFault(row: DeclaredParameter, query: Query): RequestFault | null {
  const values = query.get(row.name) ?? []
  const reason = faultReason(row, values)
  if (reason === null) return null
  const words = allowedWords(row)
  const [value] = values
  const meant = words && typeof value === 'string' ? suggestion(value, words) : {}
  return { parameter: row.name, reason, ...declaredExpectation(row), ...meant }
}

function faultReason(
  { required, schema = {} }: DeclaredParameter,
  [value, ...others]: readonly (string | null)[],
): Reason | null {
  if (others.length > 0) return 'repeated'
  if (value === null) return 'malformed'
  if (!value) return required ? 'missing' : null
  const { maxLength = LIMITS.queryValueMaxChars } = schema
  if (value.length > Number(maxLength)) return 'too_long'
  return satisfiesSchema(schema, value) ? null : 'malformed'
}

// Bounds of numbers are not checked here: the code that reads the number clamps or refuses it.
function satisfiesSchema(schema: NonNullable<DeclaredParameter['schema']>, value: string): boolean {
  const { pattern, enum: words } = schema
  if (Array.isArray(words)) return words.includes(value)
  return typeof pattern !== 'string' || new RegExp(pattern).test(value)
}

function allowedWords({ schema }: DeclaredParameter): readonly string[] | null {
  const words = schema?.['enum']
  return Array.isArray(words) ? words.map(String) : null
}

function unknownMarket(error: Failure, declared: readonly DeclaredParameter[]): Failure {
  const asked = declared.some(({ name, required }) => name === 'symbol' && required)
  if (!asked || error.meta) return error
  const meta = { parameter: 'symbol', reason: 'unknown_market' } as const
  return new Failure('not_found', meta, { cause: error })
}

import type { Static, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import type { Reason } from '../contract/failures.ts'
import { LIMITS } from '../contract/limits.ts'
import { faultsFailure, invalidParameter, type RequestFault } from './failure.ts'
import { assertDepth } from './json.ts'

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/** Parses a JSON text by a schema. Throws invalid_request that lists all faults. */
export function parseBody<S extends TSchema>(schema: S, text: string): Static<S> {
  return checked(schema, parsed(text))
}

function checked<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const check = compiledCheck(schema)
  if (check.Check(value)) return value
  const [first, ...others] = parameterFaults(check.Errors(value))
  throw first ? faultsFailure('invalid_request', [first, ...others]) : invalidParameter('body')
}

/** Whether a parsed value matches a schema. The first check of a schema takes milliseconds. */
export function matchesSchema<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return compiledCheck(schema).Check(value)
}

/** The faults, one per parameter, in the order of the schema. */
function parameterFaults(errors: Iterable<ValueError>): RequestFault[] {
  const faults = new Map<string, RequestFault>()
  for (const { path, schema, type } of errorsForKind(errors)) {
    const parameter = path.slice(1).replaceAll('/', '.') || 'body'
    if (faults.has(parameter)) continue
    const reason = REASONS_OF.get(type) ?? 'malformed'
    faults.set(parameter, { parameter, reason, ...schemaExpectation(schema) })
    if (faults.size === LIMITS.bodyFaultsMax) break
  }
  return [...faults.values()]
}

const KIND_POINTER = '/kind'

/** The errors, with the errors of a union replaced by the errors of the member that the value's `kind` selects. */
function* errorsForKind(errors: Iterable<ValueError>): Iterable<ValueError> {
  for (const error of errors) {
    const members = error.errors.map((each) => [...each])
    const others = members.filter((faults) => faults.some(({ path }) => path === KIND_POINTER))
    const chosen = members.find((faults) => !others.includes(faults))
    yield* chosen && others.length > 0 ? chosen : [error]
  }
}

const REASONS_OF: ReadonlyMap<ValueErrorType, Reason> = new Map([
  [ValueErrorType.ObjectRequiredProperty, 'missing'],
  [ValueErrorType.ObjectAdditionalProperties, 'unknown_argument'],
  [ValueErrorType.StringMinLength, 'too_short'],
  [ValueErrorType.ArrayMinItems, 'too_short'],
  [ValueErrorType.StringMaxLength, 'too_long'],
  [ValueErrorType.ArrayMaxItems, 'too_long'],
  [ValueErrorType.NumberMinimum, 'out_of_range'],
  [ValueErrorType.NumberMaximum, 'out_of_range'],
  [ValueErrorType.IntegerMinimum, 'out_of_range'],
  [ValueErrorType.IntegerMaximum, 'out_of_range'],
  [ValueErrorType.IntegerExclusiveMinimum, 'out_of_range'],
])

type Described = { readonly description?: unknown; readonly enum?: unknown }

/** The expected form of a value, from its schema's description. */
export function schemaExpectation(schema: Described): Pick<RequestFault, 'expected'> {
  const { description, enum: words } = schema
  if (Array.isArray(words)) return { expected: `One of ${words.join(', ')}.` }
  return typeof description === 'string' ? { expected: description } : {}
}

function parsed(text: string): unknown {
  try {
    assertDepth(text, LIMITS.httpBodyDepthMax)
    return JSON.parse(text)
  } catch (error) {
    throw invalidParameter('body', error instanceof RangeError ? 'too_deep' : 'not_json')
  }
}

// Compiling takes milliseconds, so each schema is compiled once, at first use.
function compiledCheck<S extends TSchema>(schema: S): TypeCheck<S> {
  const known = compiled.get(schema)
  if (known) return known as TypeCheck<S>
  const check = TypeCompiler.Compile(schema)
  compiled.set(schema, check)
  return check
}

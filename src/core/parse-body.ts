import type { Static, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { LIMITS } from '../spec/limits.ts'
import { invalid } from './failure.ts'
import { assertDepth } from './json.ts'

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/** Parses a JSON text of a known shape. Throws invalid_request naming the first parameter that is off. */
export function parseBody<S extends TSchema>(schema: S, text: string): Static<S> {
  return checked(schema, parsed(text))
}

function checked<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const check = checkOf(schema)
  if (check.Check(value)) return value
  const path = check.Errors(value).First()?.path ?? ''
  throw invalid(path.slice(1).replaceAll('/', '.') || 'body')
}

function parsed(text: string): unknown {
  try {
    assertDepth(text, LIMITS.httpBodyDepthMax)
    return JSON.parse(text)
  } catch (error) {
    throw invalid('body', { reason: error instanceof RangeError ? 'nested too deep' : 'not JSON' })
  }
}

// Compiling costs milliseconds: once a schema, when it is first needed.
function checkOf<S extends TSchema>(schema: S): TypeCheck<S> {
  const known = compiled.get(schema)
  if (known) return known as TypeCheck<S>
  const check = TypeCompiler.Compile(schema)
  compiled.set(schema, check)
  return check
}

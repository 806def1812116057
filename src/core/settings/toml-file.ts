import type { Static, TSchema } from '@sinclair/typebox'
import { ValueErrorType } from '@sinclair/typebox/errors'
import { Value } from '@sinclair/typebox/value'
import { readToml } from './toml.ts'
import { UsageError } from './usage-error.ts'

const PROBLEMS_MAX = 20

/**
 * Parses a TOML text by a schema. Throws UsageError with one line per problem. A line has the key and its description,
 * never a value, which may be a secret.
 */
export function readTomlAs<Schema extends TSchema>(schema: Schema, text: string): Static<Schema> {
  const table = readToml(text)
  if (Value.Check(schema, table)) return table
  const lines = new Map<string, string>()
  for (const { type, path, schema: part } of Value.Errors(schema, table)) {
    const name = pointerName(path)
    if (!lines.has(name))
      lines.set(name, problemLine(name, type, part.description ?? 'something else'))
    if (lines.size === PROBLEMS_MAX) break
  }
  throw new UsageError(...lines.values())
}

function problemLine(name: string, type: ValueErrorType, description: string): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return `${name} is not known here`
  const missing = type === ValueErrorType.ObjectRequiredProperty
  return missing ? `${name} is missing: give ${description}` : `${name} must be ${description}`
}

/** The readable form of a JSON pointer: `chains[0].rpcs[1]` for `/chains/0/rpcs/1`. */
function pointerName(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d{1,2})(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
}

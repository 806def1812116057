import type { TSchema } from '@sinclair/typebox'
import { Failure } from '../../src/core/failure.ts'
import { parseBody } from '../../src/core/parse-body.ts'

/** The parameter a value is refused for, or undefined when the schema takes it. */
export function refusedFor(schema: TSchema, value: unknown): unknown {
  try {
    parseBody(schema, JSON.stringify(value))
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.meta?.['parameter']
    throw error
  }
}

/** A copy of an object with one member, given by its dotted path, changed; `undefined` takes it out. */
export function withMember(value: object, path: string, member: unknown): object {
  const [name = '', ...rest] = path.split('.')
  const inner: unknown = Object.entries(value).find(([key]) => key === name)?.[1]
  const changed =
    rest.length > 0 && inner instanceof Object ? withMember(inner, rest.join('.'), member) : member
  const others = Object.entries(value).filter(([key]) => key !== name)
  return Object.fromEntries(changed === undefined ? others : [...others, [name, changed]])
}

/** A value as a test's name shows it: JSON, cut where it gets long. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > 60 ? `${text.slice(0, 40)}… (${text.length} characters)` : text
}

import { type BodyMember, type BodyMembers, WRITE_BODIES } from '../contract/write-bodies.ts'
import { invalidParameter } from '../core/failure.ts'
import { Decimal, type StrictObject, type StrictValue } from './strict-json.ts'

/** Throws invalid_request if the body has an unknown member or a member of the wrong type. */
export function assertFields(write: string, body: StrictObject): void {
  const fields = Object.hasOwn(WRITE_BODIES, write) ? WRITE_BODIES[write] : undefined
  if (fields) assertObject(body, fields, 'body')
}

function assertObject(body: StrictObject, fields: BodyMembers, parent: string): void {
  for (const [name, value] of body) {
    const parameter = `${parent}.${name}`
    const kind = Object.hasOwn(fields, name) ? fields[name]?.kind : undefined
    if (kind === undefined) throw invalidParameter(parameter, 'unknown_argument')
    assertKind(value, kind, parameter)
  }
}

function assertKind(value: StrictValue, kind: BodyMember['kind'], parameter: string): void {
  if (typeof kind === 'object') {
    if (!Array.isArray(value)) throw invalidParameter(parameter)
    for (const [at, item] of value.entries()) {
      if (!(item instanceof Map)) throw invalidParameter(`${parameter}.${at}`)
      assertObject(item, kind, `${parameter}.${at}`)
    }
    return
  }
  if (!IS_KIND[kind](value)) throw invalidParameter(parameter)
}

const IS_KIND: Readonly<
  Record<Exclude<BodyMember['kind'], BodyMembers>, (value: StrictValue) => boolean>
> = {
  text: (value) => typeof value === 'string' && value !== '',
  number: (value) => value instanceof Decimal,
  flag: (value) => typeof value === 'boolean',
  decimal: (value) => value instanceof Decimal || (typeof value === 'string' && PLAIN.test(value)),
  scalar: (value) =>
    typeof value === 'string' || typeof value === 'boolean' || value instanceof Decimal,
}

const PLAIN = /^(?=.{1,16}$)(?:0|[1-9]\d*)(?:\.\d+)?$/

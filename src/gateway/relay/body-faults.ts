import type { Reason } from '../../contract/failures.ts'
import { LIMITS } from '../../contract/limits.ts'
import {
  type BodyMember,
  type BodyMembers,
  type MemberCondition,
  WRITE_BODIES,
} from '../../contract/write-bodies.ts'
import type { RequestFault } from '../../core/failure.ts'
import { isObject, type Row, toFloat } from '../../core/json.ts'
import { schemaExpectation } from '../../core/parse-body.ts'
import { suggestion } from '../market/parameter-faults.ts'

/**
 * The faults of a write's body according to the table of its members, each with its path such as `child_orders.0.side`.
 * `write`: method and path. Empty for a body without faults, or a write without a table.
 */
export function bodyFaults(write: string, body: unknown): readonly RequestFault[] {
  const members = Object.hasOwn(WRITE_BODIES, write) ? WRITE_BODIES[write] : undefined
  if (!members) return []
  if (!isObject(body))
    return [{ parameter: 'body', reason: 'malformed', expected: 'A JSON object.' }]
  return [...objectFaults(body, members, '').take(LIMITS.bodyFaultsMax)]
}

function* objectFaults(object: Row, members: BodyMembers, path: string): Generator<RequestFault> {
  for (const [name, member] of Object.entries(members)) {
    const reason = faultReason(object, name, member)
    if (reason !== null) yield { parameter: path + name, reason, ...expectation(member) }
    else yield* listFaults(object[name], member, path + name)
  }
  const known = Object.keys(members)
  // Only plain names are repeated in the answer, since anything else may be a misplaced secret.
  for (const name of Object.keys(object))
    if (!known.includes(name) && MEMBER_NAME.test(name))
      yield { parameter: path + name, reason: 'unknown_argument', ...suggestion(name, known) }
}

function* listFaults(list: unknown, { kind }: BodyMember, path: string): Iterable<RequestFault> {
  if (typeof kind !== 'object' || !Array.isArray(list)) return
  for (const [at, item] of list.entries()) yield* objectFaults(item, kind, `${path}.${at}.`)
}

const MEMBER_NAME = /^[A-Za-z_]{1,32}$/

function expectation({ words, expected }: BodyMember): Pick<RequestFault, 'expected'> {
  return schemaExpectation({ enum: words, description: expected })
}

function faultReason(object: Row, name: string, member: BodyMember): Reason | null {
  const { required, instead = '', only, kind } = member
  const value = object[name] ?? undefined
  const hasOther = (object[instead] ?? undefined) !== undefined
  if (value === undefined) {
    const isRequired = required === true || (required !== undefined && holds(required, object))
    return isRequired && !hasOther ? 'missing' : null
  }
  if (hasOther || (only && !holds(only, object))) return 'conflicting'
  return typeof kind === 'object' ? listReason(value) : valueReason(value, member)
}

/** Whether a rule applies: the member that it depends on has one of the rule's values. */
function holds(when: MemberCondition, object: Row): boolean {
  return Object.entries(when).some(([name, words]) => words.includes(String(object[name])))
}

function listReason(value: unknown): Reason | null {
  if (!Array.isArray(value) || !value.every(isObject)) return 'malformed'
  return value.length === 0 ? 'too_short' : null
}

function valueReason(value: unknown, member: BodyMember): Reason | null {
  if (typeof member.kind === 'object' || !IS_KIND[member.kind](value)) return 'malformed'
  const { words, pattern, maxChars = Number.POSITIVE_INFINITY } = member
  if (member.kind === 'number' || member.kind === 'decimal')
    return isWithin(Number(value), member) ? null : 'out_of_range'
  if (words && !words.includes(String(value))) return 'malformed'
  if (String(value).length > maxChars) return 'too_long'
  return pattern && !pattern.test(String(value)) ? 'malformed' : null
}

function isWithin(value: number, { min, above, max }: BodyMember): boolean {
  return (
    (min === undefined || value >= min) &&
    (above === undefined || value > above) &&
    (max === undefined || value <= max)
  )
}

const isNumber = (value: unknown) => toFloat(value) !== undefined
const isText = (value: unknown) => typeof value === 'string' && value !== ''

const IS_KIND: Readonly<
  Record<Exclude<BodyMember['kind'], BodyMembers>, (value: unknown) => boolean>
> = {
  text: isText,
  number: isNumber,
  flag: (value) => typeof value === 'boolean',
  decimal: (value) => isNumber(value) || (isText(value) && Number.isFinite(Number(value))),
  scalar: (value) => isText(value) || typeof value === 'boolean' || isNumber(value),
}

import {
  OPERATIONS,
  type Operation,
  type OperationId,
  type OperationParameter,
} from '../../contract/operations.ts'
import { invalidParameter } from '../../core/failure.ts'
import { optionalValue, type Query, requiredValue } from '../../core/query.ts'

export type OperationCall = {
  /** The venue's path, with its query. */
  readonly path: string
  /** The cache key. Calls with the same answer have equal keys, however their queries are ordered or spelled. */
  readonly cacheKey: string
}

type Given = { readonly parameter: OperationParameter; readonly value: string }

/**
 * Converts a catalogued read to the venue's path. Only listed parameters are passed on, in the table's order. Each is
 * encoded, so that it stays within its path segment. Adds the operator's broker id if the operation needs it. Throws
 * invalid_request with the name of a missing, repeated or malformed parameter.
 */
export function operationCall(id: OperationId, query: Query, brokerId: string): OperationCall {
  const operation = OPERATIONS[id]
  const given = givenParameters(operation, query, brokerId)
  const own = given.map(({ parameter, value }) => pair(parameter.name, value)).join('&')
  return {
    path: filledPath(operation.path, given) + searchText(operation, given),
    cacheKey: own ? `op:${id}?${own}` : `op:${id}`,
  }
}

function givenParameters(operation: Operation, query: Query, brokerId: string): readonly Given[] {
  const injected: readonly string[] = operation.inject ?? []
  return operation.parameters.flatMap((parameter) => {
    const value = injected.includes(parameter.name) ? brokerId : read(query, parameter)
    return value === undefined ? [] : [{ parameter, value }]
  })
}

function read(query: Query, parameter: OperationParameter): string | undefined {
  return parameter.required
    ? requiredValue(query, parameter.name)
    : optionalValue(query, parameter.name)
}

function filledPath(template: string, given: readonly Given[]): string {
  return given
    .filter(({ parameter }) => parameter.in === 'path')
    .reduce((path, { parameter, value }) => {
      assertSegment(parameter.name, value)
      return path.replace(`{${parameter.name}}`, () => encoded(value))
    }, template)
}

// URL parsers resolve dot segments even if the dots are percent-encoded, so dot segments are refused.
function assertSegment(name: string, value: string): void {
  if (value === '.' || value === '..' || /\p{Cc}/u.test(value)) throw invalidParameter(name)
}

function searchText({ fallback = {} }: Operation, given: readonly Given[]): string {
  const pairs = new Map(given.filter(({ parameter }) => parameter.in === 'query').map(upstreamPair))
  for (const [name, value] of Object.entries(fallback)) if (!pairs.has(name)) pairs.set(name, value)
  const search = [...pairs].map(([name, value]) => pair(name, value)).join('&')
  return search && `?${search}`
}

function upstreamPair({ parameter, value }: Given): readonly [string, string] {
  return [parameter.upstreamName ?? parameter.name, value]
}

function pair(name: string, value: string): string {
  return `${name}=${encoded(value)}`
}

/** Percent-encodes all but the unreserved characters of RFC 3986, so that URL parsers leave the result unchanged. */
function encoded(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

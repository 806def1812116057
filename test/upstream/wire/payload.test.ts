import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LIMITS } from '../../../src/contract/limits.ts'
import { Failure } from '../../../src/core/failure.ts'
import { parseExact } from '../../../src/core/json.ts'
import type { UpstreamResponse } from '../../../src/core/ports.ts'
import { openEnvelope, openPayload } from '../../../src/upstream/wire/envelope.ts'
import { runs } from '../../runs.ts'

function response(body: string, status = 200): UpstreamResponse {
  return { status, contentType: 'application/json', body }
}

/** What a reading of a body makes of it, or the failure that it is. */
function outcomeOf(read: () => unknown) {
  try {
    return { json: JSON.stringify(read()) }
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, meta: error.meta }
    throw error
  }
}

describe('the payload in one reading', () => {
  test('is what is parsed of what is cut out, or the same failure', () => {
    const number = fc.stringMatching(
      /^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?$/,
    )
    const value = fc.oneof(
      number,
      fc.json({ noUnicodeString: false }),
      fc.constantFrom('null', '[]'),
    )
    const member = fc.tuple(
      fc.constantFrom('success', 'data', 'code', 'message', '__proto__', 'd\\u0061ta'),
      fc.oneof(value, fc.constantFrom('true', 'false')),
    )
    const bodies = fc.oneof(
      fc.array(member).map((pairs) => `{${pairs.map(([key, text]) => `"${key}":${text}`)}}`),
      value.map((text) => `{"success":true,"timestamp":1.0,"data":{"rows":[${text}]}}`),
      value,
      fc.string(),
    )
    const statuses = fc.constantFrom(200, 204, 302, 404, 429, 503)
    const missing = fc.constantFrom('empty' as const, 'not_found' as const)
    fc.assert(
      fc.property(bodies, statuses, missing, (body, status, option) => {
        const answer = response(body, status)
        const cut = () => openEnvelope(answer, 'data', 'read', { missing: option })
        expect(outcomeOf(() => openPayload(answer, { missing: option }))).toEqual(
          outcomeOf(() => parseExact(cut(), LIMITS.scrubDepthMax)),
        )
      }),
      { numRuns: runs(400) },
    )
  })

  test('is refused where it nests too deep', () => {
    const answer = (depth: number) =>
      response(`{"success":true,"data":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    expect(openPayload(answer(LIMITS.scrubDepthMax - 1), {})).toBeArray()
    const tooDeep = answer(LIMITS.scrubDepthMax)
    expect(outcomeOf(() => openPayload(tooDeep, {}))).toEqual(
      outcomeOf(() => openEnvelope(tooDeep, 'data', 'read')),
    )
    expect(outcomeOf(() => openPayload(tooDeep, {}))).toHaveProperty('code', 'upstream_unavailable')
  })
})

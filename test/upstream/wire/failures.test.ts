import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FAILURES, type FailureCode } from '../../../src/contract/failures.ts'
import {
  type CallKind,
  toFailure,
  type UpstreamRefusal,
  VENUE_CODES,
} from '../../../src/upstream/wire/failures.ts'
import { runs } from '../../runs.ts'
import rows from '../../vectors/venue-refusals.json'

const KINDS: readonly CallKind[] = ['read', 'write']

describe('failureOf', () => {
  for (const row of rows) {
    const { code, httpStatus, message = '', signed = false, meta } = row
    test(`${code} "${message}" (${httpStatus}${signed ? ', signed' : ''}) is ${row.read} for a read and ${row.write} for a write`, () => {
      const refusal: UpstreamRefusal = { code, httpStatus, message, signed }
      for (const kind of KINDS) {
        const failure = toFailure(refusal, kind)
        expect<string>(failure.code).toBe(row[kind])
        expect<unknown>(failure.meta).toEqual(meta)
        if (typeof code === 'number') {
          expect(toFailure({ ...refusal, code: String(code) }, kind)).toEqual(failure)
        }
      }
    })
  }

  test('every code of the table is in the vectors', () => {
    const covered = new Set(rows.map(({ code }) => String(code)))
    expect([...VENUE_CODES.keys()].filter((code) => !covered.has(code))).toEqual([])
  })

  test('a 429 is upstream_busy whatever else it says, with the wait when it is known', () => {
    for (const kind of KINDS) {
      const plain = toFailure({ httpStatus: 429 }, kind)
      expect([plain.code, plain.meta]).toEqual(['upstream_busy', undefined])
      const reported = toFailure({ httpStatus: 429, code: -1101, retryAfterSeconds: 7 }, kind)
      expect([reported.code, reported.meta]).toEqual(['upstream_busy', { retryAfterSeconds: 7 }])
    }
  })

  test.each([200, 400, 401, 404, 500, 502])(
    'an answer of status %p without a code leaves a write open',
    (httpStatus) => {
      expect(toFailure({ httpStatus }, 'read').code).toBe('upstream_unavailable')
      expect(toFailure({ httpStatus }, 'write').code).toBe('outcome_unknown')
    },
  )

  test('a 5xx leaves a write open even with the code of a definite refusal', () => {
    for (const code of VENUE_CODES.keys()) {
      if (VENUE_CODES.get(code) === 'upstream_busy') continue
      expect(toFailure({ httpStatus: 500, code }, 'write').code).toBe('outcome_unknown')
    }
  })

  test.each(['constructor', '__proto__', 'toString', '', '-1', '1e3'])(
    'the code %p has no meaning by accident',
    (code) => {
      const expected = code === '' ? 'upstream_unavailable' : 'venue_rejected'
      expect(toFailure({ httpStatus: 400, code }, 'read').code).toBe(expected)
    },
  )

  test('a write is never given a failure that invites to send it again unless it did not happen', () => {
    const codes = [...VENUE_CODES.keys()].map((code) => fc.constant<string | number>(code))
    const refusal = fc.record({
      httpStatus: fc.constantFrom(200, 400, 401, 404, 409, 500, 502, 503),
      code: fc.option(fc.oneof(fc.integer(), fc.string(), ...codes), { nil: undefined }),
      message: fc.string(),
      signed: fc.boolean(),
    })
    fc.assert(
      fc.property(refusal, (given) => {
        const { code } = toFailure(given, 'write')
        const retryable: FailureCode[] = ['upstream_busy', 'upstream_unavailable']
        if (FAILURES[code].retryable) expect(retryable).toContain(code)
        expect(code).not.toBe('upstream_unavailable')
      }),
      { numRuns: runs(500) },
    )
  })

  test('no word of the venue reaches the failure', () => {
    const message = 'symbol orderly not found: key expired, woofi_pro'
    for (const code of VENUE_CODES.keys()) {
      const failure = toFailure({ httpStatus: 400, code, message, signed: true }, 'read')
      expect(JSON.stringify([failure.message, failure.meta])).not.toMatch(/orderly|woofi|symbol/)
    }
  })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FailureCode } from '../../../src/contract/failures.ts'
import type { EnvelopeShape } from '../../../src/contract/operations.ts'
import { Failure } from '../../../src/core/failure.ts'
import {
  UpstreamError,
  type UpstreamFault,
  type UpstreamResponse,
} from '../../../src/core/ports.ts'
import { isAlreadyExists, openEnvelope } from '../../../src/upstream/wire/envelope.ts'
import {
  type CallKind,
  certainlyNotDone,
  failureOfUpstreamError,
} from '../../../src/upstream/wire/failures.ts'

function response(body: string, rest: Partial<UpstreamResponse> = {}): UpstreamResponse {
  return { status: 200, contentType: 'application/json', body, ...rest }
}

function failureIn(open: () => unknown): Pick<Failure, 'code' | 'meta'> {
  try {
    open()
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, meta: error.meta }
    throw error
  }
  throw new Error('the envelope opened')
}

describe('the payload', () => {
  test.each([
    '{"a":1.50,"b":9007199254740993,"c":-0,"d":1E2}',
    '[ 1, 2 ]',
    '"text with \\u007b and }"',
    '{"success":false,"code":-1000,"data":{"data":1}}',
    '12.340',
    'false',
    '""',
  ])('%p is cut out byte for byte', (data) => {
    const body = ` {"success" :true,\n"timestamp":1,"data":  ${data}\t,"more":{"data":0}}\n`
    expect(openEnvelope(response(body), 'data', 'read')).toBe(data)
  })

  test('any JSON survives, whatever stands around it', () => {
    const anyJson = fc.json({ noUnicodeString: false })
    fc.assert(
      fc.property(anyJson, anyJson, fc.constantFrom('', ' ', '\r\n\t'), (data, other, gap) => {
        fc.pre(data !== 'null')
        const body = `{${gap}"x":${other},"success":true,"data"${gap}:${gap}${data}${gap}}`
        expect(openEnvelope(response(body), 'data', 'write')).toBe(data)
      }),
    )
  })

  const missing: readonly ['empty' | 'not_found', CallKind, string][] = [
    ['empty', 'read', '{}'],
    ['not_found', 'read', 'not_found'],
    ['empty', 'write', '{}'],
    ['not_found', 'write', '{}'],
  ]
  test.each(missing)(
    'a success without data, %s by option, of a %s is %s',
    (option, kind, expected) => {
      for (const body of ['{"success":true}', '{"success":true,"timestamp":1,"data":null}']) {
        const open = () => openEnvelope(response(body), 'data', kind, { missing: option })
        if (expected === '{}') expect(open()).toBe('{}')
        else expect<string>(failureIn(open).code).toBe(expected)
      }
    },
  )

  test('a success without data is empty unless the caller asks otherwise', () => {
    expect(openEnvelope(response('{"success":true}'), 'data', 'read')).toBe('{}')
  })
})

describe('depth', () => {
  const answer = (depth: number) =>
    response(`{"success":true,"data":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`)

  test('of 64 is read, of 65 is an unusable answer', () => {
    expect(openEnvelope(answer(64), 'data', 'read')).toHaveLength(126)
    expect(failureIn(() => openEnvelope(answer(65), 'data', 'read')).code).toBe(
      'upstream_unavailable',
    )
  })
})

describe('charts', () => {
  test.each(['{"s":"ok","t":[1], "c":[1.50]}', '{"s":"no_data"}', '{"supports_time":true}', '[1]'])(
    '%p is its own payload',
    (body) => expect(openEnvelope(response(body), 'bare', 'read')).toBe(body),
  )

  test.each([
    ['{"s":"error","errmsg":"unknown_symbol"}', 200, 'not_found'],
    ['{"s":"error","errmsg":"invalid symbol"}', 200, 'not_found'],
    ['{"s":"error","errmsg":"no such resolution"}', 200, 'venue_rejected'],
    ['{"s":"error"}', 200, 'venue_rejected'],
    ['{"success":false,"code":-1005,"message":"symbol X not found"}', 400, 'not_found'],
    ['{"success":false,"code":-1003,"message":""}', 200, 'upstream_busy'],
    ['{"s":"ok"}', 502, 'upstream_unavailable'],
    ['{"s":"ok"', 200, 'upstream_unavailable'],
  ])('%p (%p) is %s', (body, status, code) => {
    const open = () => openEnvelope(response(body, { status }), 'bare', 'read')
    expect<string>(failureIn(open).code).toBe(code)
  })
})

describe('data with a meta beside it', () => {
  test.each([
    ['"data":{"rows":[1.50] },"meta":{"total":1}', '{"rows":[1.50],"meta":{"total":1}}'],
    ['"meta":{"total":0},"data":{ }', '{"meta":{"total":0}}'],
    ['"data":{"rows":[]}', '{"rows":[]}'],
    ['"data":{"rows":[]},"meta":null', '{"rows":[]}'],
    ['"data":{"meta":{"own":1}},"meta":{"total":1}', '{"meta":{"own":1}}'],
    ['"data":[1],"meta":{"total":1}', '[1]'],
    ['"meta":{"total":0}', '{"meta":{"total":0}}'],
  ])('%s becomes %s', (inner, expected) => {
    const body = `{"success":true,${inner},"timestamp":5}`
    expect(openEnvelope(response(body), 'data_and_meta', 'read')).toBe(expected)
  })

  test('only that shape takes the meta along', () => {
    const body = '{"success":true,"data":{"rows":[]},"meta":{"total":1}}'
    expect(openEnvelope(response(body), 'data', 'read')).toBe('{"rows":[]}')
  })
})

describe('refusals', () => {
  const unreadable = ['', '<html></html>', '{"success":true,"data":', '[]', '1', 'null', '{}']
  const unaccepted = ['{"data":{}}', '{"success":1,"data":{}}', '{"success":"true","data":{}}']
  const cases = [...unreadable, ...unaccepted, '['.repeat(100_000)]
  test.each(cases.map((body) => [body.slice(0, 40), body]))(
    'the answer %p reads as unavailable and leaves a write open',
    (_, body) => {
      const failures = (['read', 'write'] as const).map(
        (kind) => failureIn(() => openEnvelope(response(body), 'data', kind)).code,
      )
      expect(failures).toEqual(['upstream_unavailable', 'outcome_unknown'])
    },
  )

  const shapes: readonly EnvelopeShape[] = ['data', 'data_and_meta', 'bare']
  test.each(shapes)('a success with an HTTP error is a failure in the shape %s', (shape) => {
    const answer = response('{"success":true,"s":"ok","data":{}}', { status: 500 })
    expect(failureIn(() => openEnvelope(answer, shape, 'read')).code).toBe('upstream_unavailable')
  })

  test('code, status, wait and signature of the call choose the failure', () => {
    const busy = response('<html>', { status: 429, contentType: 'text/html', retryAfterSeconds: 9 })
    expect(failureIn(() => openEnvelope(busy, 'data', 'write'))).toEqual({
      code: 'upstream_busy',
      meta: { retryAfterSeconds: 9 },
    })
    const key = response('{"success":false,"code":-1004,"message":"orderly key error"}')
    const ofKey = (signed: boolean) =>
      failureIn(() => openEnvelope(key, 'data', 'write', { signed }))
    expect(ofKey(true)).toEqual({ code: 'unauthorized', meta: { reason: 'key_unknown' } })
    expect(ofKey(false)).toEqual({ code: 'invalid_request', meta: undefined })
  })

  test('a code or message of another kind is no code and no message', () => {
    const odd = response('{"success":false,"code":{"a":1},"message":["symbol not found"]}')
    expect(failureIn(() => openEnvelope(odd, 'data', 'read')).code).toBe('upstream_unavailable')
  })

  test.each([
    ['{"success":false,"code":-1604,"message":""}', 400, true],
    ['{"success":false,"code":"-1007","message":""}', 409, true],
    ['{"success":false,"code":1,"message":"Account ALREADY exists"}', 400, true],
    ['{"success":false,"code":-1604,"message":""}', 500, false],
    ['{"success":true,"data":{"message":"already"},"message":"already"}', 200, false],
    ['{"success":false,"code":-1005,"message":"wrong"}', 400, false],
    ['<html>already</html>', 200, false],
  ])('%p (%p) says that it exists already: %p', (body, status, expected) => {
    expect(isAlreadyExists(response(body, { status }))).toBe(expected)
  })
})

describe('calls without an answer', () => {
  const rows: readonly [UpstreamFault, boolean, read: FailureCode, write: FailureCode][] = [
    ['unreachable', false, 'upstream_unavailable', 'upstream_unavailable'],
    ['unreachable', true, 'upstream_unavailable', 'outcome_unknown'],
    ['saturated', false, 'upstream_busy', 'upstream_busy'],
    ['timeout', true, 'upstream_timeout', 'outcome_unknown'],
    ['reset', true, 'upstream_unavailable', 'outcome_unknown'],
    ['redirect', true, 'upstream_unavailable', 'outcome_unknown'],
    ['oversized', true, 'upstream_unavailable', 'outcome_unknown'],
    ['content_type', true, 'upstream_unavailable', 'outcome_unknown'],
  ]
  test.each(rows)(
    '%s (sent: %p) is %s for a read and %s for a write',
    (fault, sent, read, write) => {
      const error = new UpstreamError(fault, sent)
      expect(failureOfUpstreamError(error, 'read')).toMatchObject({ code: read, cause: error })
      const failure = failureOfUpstreamError(error, 'write')
      expect(failure).toMatchObject({ code: write, cause: error })
      expect(certainlyNotDone(error)).toBe(!sent)
      expect(certainlyNotDone(failure)).toBe(!sent)
    },
  )
})

describe('certainlyNotDone', () => {
  test.each([
    [429, -1003, true],
    [200, -1003, true],
    [400, -1011, false],
    [400, -1101, false],
    [409, -1007, false],
    [401, -1002, false],
    [500, -1000, false],
    [503, -1011, false],
    [502, undefined, false],
  ])('a refusal of status %p with code %p: %p', (status, code, expected) => {
    const answer = response(JSON.stringify({ success: false, code, message: '' }), { status })
    let thrown: unknown
    try {
      openEnvelope(answer, 'data', 'write')
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(Failure)
    expect(certainlyNotDone(thrown)).toBe(expected)
  })

  test('an error of another kind leaves it open', () => {
    const others = [undefined, null, new Error('upstream_busy'), 'upstream_busy']
    expect(others.filter(certainlyNotDone)).toEqual([])
  })
})

import { describe, expect, test } from 'bun:test'
import { Envelope } from '../../src/contract/envelope.ts'
import { FailureAnswer } from '../../src/contract/failure-answer.ts'
import { FAILURES } from '../../src/contract/failures.ts'
import { Failure, failureBody, invalidParameter } from '../../src/core/failure.ts'
import { refusedFor, shown, withMember } from './shape.ts'

const ENVELOPE: Envelope = {
  method: 'POST',
  path: '/v1/order',
  body: '{}',
  auth: {
    accountId: `0x${'aB'.repeat(32)}`,
    key: 'ed25519:FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
    signature: 'A'.repeat(86),
    timestamp: '1700000000000',
  },
}

const x = (length: number) => 'x'.repeat(length)

describe('an envelope is well formed', () => {
  const cases: [string, unknown][] = [
    ['method', 'GET'],
    ['method', 'PUT'],
    ['method', 'DELETE'],
    ['path', '/x'],
    ['path', '/v2/not-listed'],
    ['path', x(512)],
    ['body', undefined],
    ['body', ''],
    ['body', null],
    ['body', x(32_768)],
    ['body', '\u{1F600}'.repeat(16_384)],
    ['auth.key', x(128)],
    ['auth.signature', `${x(14)}-_`],
    ['auth.signature', x(256)],
    ['auth.timestamp', '1234567890'],
    ['auth.timestamp', '1234567890123456'],
    ['extra', 1],
    ['auth.extra', { deep: true }],
  ]
  for (const [path, member] of cases) {
    test(`with ${path} ${shown(member)}`, () => {
      expect(refusedFor(Envelope, withMember(ENVELOPE, path, member))).toBeUndefined()
    })
  }
})

describe('an envelope is refused, naming the parameter', () => {
  const cases: [string, unknown][] = [
    ['method', undefined],
    ['method', 'get'],
    ['method', 'PATCH'],
    ['method', 'GET\n'],
    ['method', 'XGET'],
    ['method', ['GET']],
    ['path', undefined],
    ['path', '/'],
    ['path', x(513)],
    ['path', 1],
    ['body', {}],
    ['body', 1],
    ['body', x(32_769)],
    ['body', '\u{1F600}'.repeat(16_385)],
    ['auth', undefined],
    ['auth', 'x'],
    ['auth.accountId', `0x${'a'.repeat(63)}`],
    ['auth.accountId', `0x${'a'.repeat(65)}`],
    ['auth.accountId', `0X${'a'.repeat(64)}`],
    ['auth.accountId', `0x${'a'.repeat(64)}\n`],
    ['auth.key', undefined],
    ['auth.key', ''],
    ['auth.key', x(129)],
    ['auth.signature', x(15)],
    ['auth.signature', x(257)],
    ['auth.signature', `${x(85)}=`],
    ['auth.signature', `${x(85)}+`],
    ['auth.signature', `${x(85)}\n`],
    ['auth.timestamp', 1_700_000_000_000],
    ['auth.timestamp', '123456789'],
    ['auth.timestamp', '12345678901234567'],
    ['auth.timestamp', '-700000000000'],
    ['auth.timestamp', '1.7e12000000'],
  ]
  for (const [path, member] of cases) {
    test(`${path} ${shown(member)}`, () => {
      expect(refusedFor(Envelope, withMember(ENVELOPE, path, member))).toBe(path)
    })
  }

  for (const value of [null, [], 'text', 1]) {
    test(`an envelope that is ${shown(value)}`, () => {
      expect(refusedFor(Envelope, value)).toBe('body')
    })
  }
})

describe('a failure', () => {
  test('of every code has the documented shape', () => {
    for (const code of Object.keys(FAILURES).filter(isCode)) {
      expect(refusedFor(FailureAnswer, JSON.parse(failureBody(new Failure(code))))).toBeUndefined()
    }
    expect(
      refusedFor(FailureAnswer, JSON.parse(failureBody(invalidParameter('path')))),
    ).toBeUndefined()
  })

  test('without a code is none', () => {
    expect(refusedFor(FailureAnswer, { error: 'Something.' })).toBe('code')
  })

  test('documents the closed list of codes', () => {
    expect(FailureAnswer.properties.code['enum']).toEqual(Object.keys(FAILURES))
  })
})

function isCode(code: string): code is keyof typeof FAILURES {
  return Object.hasOwn(FAILURES, code)
}

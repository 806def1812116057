import { describe, expect, test } from 'bun:test'
import {
  REFERRAL_CODE,
  RESERVED_CODES,
  ReferralCodeAnswer,
  ReferralCodeBody,
  ReferralRateAnswer,
  ReferralRateBody,
} from '../../src/contract/referral.ts'
import { refusedFor } from './shape.ts'

const accountId = `0x${'0'.repeat(64)}`

describe('a code to claim', () => {
  test.each(['ABCD', 'A1B2C3D4E5', '1234'])('%s has the form', (code) => {
    expect(code).toMatch(REFERRAL_CODE.claim)
  })

  test.each(['', 'ABC', 'ABCDEFGHIJK', 'abcd', 'AB-D', 'AB_D', 'ABCD\n', ' ABCD', 'ÀBCD'])(
    '%j has not',
    (code) => {
      expect(code).not.toMatch(REFERRAL_CODE.claim)
    },
  )

  test('of the wrong form is a well formed request: the answer is a reason, not an error', () => {
    for (const code of ['', 'x', 'way too long to be a code', ' abcd ']) {
      expect(refusedFor(ReferralCodeBody, { accountId, code })).toBeUndefined()
    }
  })

  test('is bounded all the same', () => {
    expect(refusedFor(ReferralCodeBody, { accountId, code: 'x'.repeat(513) })).toBe('code')
    expect(refusedFor(ReferralCodeBody, { accountId, code: 1 })).toBe('code')
    expect(refusedFor(ReferralCodeBody, { accountId: '0x1', code: 'ABCD' })).toBe('accountId')
  })
})

describe('a code to look up', () => {
  test.each(['a', 'A-b_9', 'x'.repeat(32)])('%s has the form', (code) => {
    expect(code).toMatch(REFERRAL_CODE.lookUp)
  })

  test.each(['', 'x'.repeat(33), 'a b', 'a.b', 'é', 'a\n', '%41'])('%j has not', (code) => {
    expect(code).not.toMatch(REFERRAL_CODE.lookUp)
  })
})

test('a rate takes an account and nothing that could set it', () => {
  expect(refusedFor(ReferralRateBody, { accountId })).toBeUndefined()
  expect(refusedFor(ReferralRateBody, {})).toBe('accountId')
  expect(Object.keys(ReferralRateBody.properties)).toEqual(['accountId'])
})

test('reserved words are the eighteen of the specification, in the form codes are compared in', () => {
  expect(RESERVED_CODES.length).toBe(18)
  for (const word of RESERVED_CODES) expect(word).toMatch(/^[A-Z]+$/)
})

describe('a refusal', () => {
  test('has one of the reasons of the specification', () => {
    const ofCodes = ['format', 'reserved', 'not_configured', 'already_affiliate', 'taken']
    for (const reason of [...ofCodes, 'not_affiliate']) {
      expect(refusedFor(ReferralCodeAnswer, { created: false, reason })).toBeUndefined()
    }
    for (const reason of ['not_configured', 'not_affiliate', 'already_set']) {
      expect(refusedFor(ReferralRateAnswer, { updated: false, reason })).toBeUndefined()
    }
  })

  test('has no other', () => {
    expect(refusedFor(ReferralCodeAnswer, { created: false, reason: 'already_set' })).toBe('reason')
    expect(refusedFor(ReferralRateAnswer, { updated: false, reason: 'taken' })).toBe('reason')
  })
})

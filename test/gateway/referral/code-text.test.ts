import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RESERVED_CODES } from '../../../src/contract/referral.ts'
import { codeFault, isLookUpCode, normalCode } from '../../../src/gateway/referral/code-text.ts'

test.each([
  { text: 'abcd', code: 'ABCD' },
  { text: '  MyCode1\n', code: 'MYCODE1' },
  { text: '', code: '' },
])('$text is claimed as $code', ({ text, code }) => {
  expect(normalCode(text)).toBe(code)
})

describe('a code', () => {
  test.each(['', 'ABC', 'ABCDEFGHIJK', 'AB CD', 'AB-CD', 'AB_CD', 'abcd', 'ÀBCD', 'ABCD\n'])(
    '%j has the wrong form',
    (code) => {
      expect(codeFault(code, 'prepd')).toBe('format')
    },
  )

  test.each(['ABCD', '1234', 'A1B2C3D4E5', 'ADMINS', 'PREPD1'])('%s is nobody’s', (code) => {
    expect(codeFault(code, 'prepd')).toBeNull()
  })

  test('on the reserved list is refused, however it was spelt; one too short to claim for its form', () => {
    for (const word of RESERVED_CODES) {
      const fault = codeFault(normalCode(` ${word.toLowerCase()} `), 'prepd')
      expect(fault).toBe(word.length < 4 ? 'format' : 'reserved')
    }
  })

  test.each([
    { name: 'prepd', code: 'PREPD' },
    { name: 'My-Desk', code: 'MYDESK' },
    { name: 'Desk 24/7', code: 'DESK247' },
  ])('that reads like the service $name is reserved', ({ name, code }) => {
    expect(codeFault(code, name)).toBe('reserved')
    expect(codeFault(code, 'another')).toBeNull()
  })

  // Slow: many generated texts are checked.
  test('that is accepted is four to ten upper-case letters and digits, whatever was typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (text) => {
        const code = normalCode(text)
        if (codeFault(code, 'prepd') === null) expect(code).toMatch(/^[A-Z0-9]{4,10}$/)
      }),
    )
  })
})

test('a code to look up may be of another service’s form', () => {
  for (const code of ['a', 'A-b_9', 'x'.repeat(32)]) expect(isLookUpCode(code)).toBe(true)
  for (const code of ['', 'a b', 'a&b', 'x'.repeat(33), 'é']) expect(isLookUpCode(code)).toBe(false)
})

import { describe, expect, test } from 'bun:test'
import { parseExact } from '../../../src/core/json.ts'
import {
  codeExists,
  creationBody,
  findAffiliate,
  updateBody,
} from '../../../src/upstream/wire/affiliate.ts'

const ACCOUNT = `0x${'ab'.repeat(32)}`
const OTHER = `0x${'cd'.repeat(32)}`

const rowOf = (fields: object) => ({ account_id: ACCOUNT, referral_code: 'MINE', ...fields })

describe('the row of an account', () => {
  test.each([
    { name: 'no payload', payload: undefined },
    { name: 'an empty list', payload: { rows: [] } },
    { name: 'rows of others', payload: { rows: [{ account_id: OTHER, referral_code: 'THEIRS' }] } },
    { name: 'a row without a code', payload: { rows: [{ account_id: ACCOUNT }] } },
    { name: 'a row with an empty code', payload: { rows: [rowOf({ referral_code: '' })] } },
    { name: 'a list that is none', payload: { rows: 'none' } },
  ])('is not found in $name', ({ payload }) => {
    expect(findAffiliate(payload, ACCOUNT)).toBeNull()
  })

  test.each([
    { name: 'the present name', fields: { bonus_max_rebate_rate: 0.2 }, rate: 0.2 },
    { name: 'the former name', fields: { max_rebate_rate: 0.2 }, rate: 0.2 },
    {
      name: 'whichever is not zero',
      fields: { bonus_max_rebate_rate: 0, max_rebate_rate: 0.3 },
      rate: 0.3,
    },
    { name: 'a text', fields: { max_rebate_rate: '0.4' }, rate: 0.4 },
    { name: 'an odd spelling', fields: { max_rebate_rate: 0.5 }, rate: 0.5 },
    { name: 'zero everywhere', fields: { bonus_max_rebate_rate: 0, max_rebate_rate: 0 }, rate: 0 },
    { name: 'no name', fields: {}, rate: null },
    { name: 'nonsense', fields: { max_rebate_rate: 'high' }, rate: null },
  ])('has the rate under $name', ({ fields, rate }) => {
    const text = JSON.stringify({
      rows: [{ account_id: OTHER, referral_code: 'X' }, rowOf(fields)],
    })
    const payload = parseExact(text.replace(':0.5', ':0.50'), 3)
    expect(findAffiliate(payload, ACCOUNT)).toEqual({ code: 'MINE', rate })
  })

  test('is found whatever the case of its id, and where the answer is the row itself', () => {
    const row = rowOf({ account_id: ACCOUNT.toUpperCase().replace('0X', '0x'), max_rebate_rate: 0 })
    expect(findAffiliate({ rows: [row] }, ACCOUNT)).toEqual({ code: 'MINE', rate: 0 })
    expect(findAffiliate({ referral_code: 'MINE', max_rebate_rate: 0 }, ACCOUNT)?.code).toBe('MINE')
  })
})

test.each([
  { exist: 'true', answer: true },
  { exist: true, answer: true },
  { exist: 'false', answer: false },
  { exist: false, answer: false },
  { exist: 1, answer: undefined },
  { exist: undefined, answer: undefined },
])('a code of which the venue says $exist exists: $answer', ({ exist, answer }) => {
  expect(codeExists({ exist })).toBe(answer)
  expect(codeExists(null)).toBeUndefined()
})

test('bodies carry the names of the wire and nothing else', () => {
  expect(creationBody(ACCOUNT, 'CODE', 0.1)).toBe(
    `{"account_id":"${ACCOUNT}","referral_code":"CODE","bonus_max_rebate_rate":0.1}`,
  )
  expect(updateBody(ACCOUNT, 0.1)).toBe(`{"bonus_rebate_rate":0.1,"account_ids":["${ACCOUNT}"]}`)
})

import { describe, expect, test } from 'bun:test'
import { FAILURES, type FailureCode } from '../../../src/contract/failures.ts'
import { SWAP_STATUS_REFUSALS } from '../../../src/contract/swap.ts'
import { Failure } from '../../../src/core/failure.ts'
import { StatusRefusal, toStatusRefusal } from '../../../src/gateway/swap/refusal.ts'

const CODES = Object.keys(FAILURES).filter((code): code is FailureCode => code in FAILURES)
const SENTENCES: readonly (string | undefined)[] = Object.values(SWAP_STATUS_REFUSALS).map(
  ({ error }) => error,
)

describe('any failure is told in a sentence of the closed list', () => {
  test.each(CODES.filter((code) => code !== 'rate_limited'))('%s', (code) => {
    const refusal = toStatusRefusal(new Failure(code))
    expect(SENTENCES.includes(refusal?.error)).toBe(true)
    expect(refusal).not.toHaveProperty('code')
  })
})

test.each([
  ['upstream_unavailable', 502, 'Transfer status is not available right now.'],
  ['upstream_busy', 503, 'Transfer status is not available right now.'],
  ['not_configured', 503, 'Transfer status is not available right now.'],
  ['upstream_timeout', 504, 'Transfer status took too long.'],
] as const)('%s is %d: %s', (code, status, error) => {
  expect(toStatusRefusal(new Failure(code))).toMatchObject({ status, error })
})

test('rate_limited alone keeps its code', () => {
  expect(toStatusRefusal(new Failure('rate_limited'))).toBeNull()
})

test('a wait is handed on, a bug says nothing of itself, and a refusal stays what it is', () => {
  const busy = new Failure('upstream_busy', { retryAfterSeconds: 7 })
  expect(toStatusRefusal(busy)?.retryAfterSeconds).toBe(7)
  expect(toStatusRefusal(new TypeError('secret'))?.error).toBe(FAILURES.internal.error)
  const refusal = new StatusRefusal('malformed_chain')
  expect(toStatusRefusal(refusal)).toBe(refusal)
})

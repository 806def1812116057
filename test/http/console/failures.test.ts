import { expect, test } from 'bun:test'
import { CONSOLE_LIMITS } from '../../../src/contract/console/limits.ts'
import { createFailures } from '../../../src/http/console/failures.ts'

const { errorsMax, errorsOfCodeMax, faultsWithinMs } = CONSOLE_LIMITS

function openFailures() {
  const time = { nowMs: faultsWithinMs }
  const failures = createFailures({ nowMs: () => time.nowMs })
  const add = (code: string, requestId = 'r') =>
    failures.add({ atMs: time.nowMs, code, operation: 'markets', requestId })
  return { time, failures, add }
}

test('a flood of one code hides no other, and memory is bounded', () => {
  const { failures, add } = openFailures()
  add('internal', 'first')
  for (let count = 0; count < 10 * errorsMax; count += 1) add('not_found', String(count))
  expect(failures.newest()).toHaveLength(errorsMax)
  expect(failures.ofCode('not_found')).toHaveLength(errorsOfCodeMax)
  expect(failures.ofCode('not_found')[0]?.requestId).toBe(String(10 * errorsMax - 1))
  expect(failures.ofCode('internal')).toMatchObject([{ requestId: 'first' }])
  expect(failures.ofCode('unknown')).toEqual([])
  expect(failures.counts()).toEqual([
    { name: 'not_found', count: 10 * errorsMax },
    { name: 'internal', count: 1 },
  ])
})

test('faults are failures of this side within five minutes, and not what the operator chose', () => {
  const { time, failures, add } = openFailures()
  for (const code of ['internal', 'not_found', 'not_configured', 'not_available']) add(code)
  expect(failures.faults()).toEqual([{ name: 'internal', count: 1 }])
  time.nowMs += faultsWithinMs
  expect(failures.faults()).toEqual([{ name: 'internal', count: 1 }])
  time.nowMs += 1
  expect(failures.faults()).toEqual([])
})

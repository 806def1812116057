import { expect, test } from 'bun:test'
import { Failure } from '../../../../src/core/failure.ts'
import { createQuota } from '../../../../src/gateway/swap/remote/quota.ts'

function harness() {
  let nowMs = 1_000_000
  const quota = createQuota({ nowMs: () => nowMs })
  const at = (seconds: number) => {
    nowMs = 1_000_000 + seconds * 1000
  }
  return { quota, at }
}

function waitOf(run: () => unknown): unknown {
  try {
    run()
    return null
  } catch (error) {
    return error instanceof Failure && error.code === 'upstream_busy'
      ? error.meta?.['retryAfterSeconds']
      : error
  }
}

const left = (remaining: number, resetSeconds = 60) => ({ refused: false, remaining, resetSeconds })

test('calls are free until the provider says what remains, and then as many as remain', () => {
  const { quota, at } = harness()
  quota.take()(left(2))
  quota.take()
  quota.take()
  at(10)
  expect(waitOf(quota.take)).toBe(50)
  at(60)
  expect(waitOf(quota.take)).toBeNull()
})

test('calls still under way count against what the provider says remains', () => {
  const { quota } = harness()
  const first = quota.take()
  quota.take()
  quota.take()
  first(left(3))
  expect(waitOf(quota.take)).toBeNull()
  expect(waitOf(quota.take)).toBe(60)
})

test('a refusal shuts it until the reset, or a minute when none is given, and never for longer than two hours', () => {
  for (const [resetSeconds, wait] of [
    [5, 5],
    [0, 1],
    [null, 60],
    [999_999_999, 7200],
  ] as const) {
    const { quota, at } = harness()
    quota.take()({ refused: true, remaining: 50, resetSeconds })
    expect(waitOf(quota.take)).toBe(wait)
    at(wait)
    expect(waitOf(quota.take)).toBeNull()
  }
})

test('a call of which nothing is heard changes nothing, and a clock set back does not shut it for ever', () => {
  const { quota, at } = harness()
  quota.take()(undefined)
  quota.take()({ refused: true, remaining: null, resetSeconds: 7200 })
  expect(waitOf(quota.take)).toBe(7200)
  at(-10)
  expect(waitOf(quota.take)).toBeNull()
})

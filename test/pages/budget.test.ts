import { expect, test } from 'bun:test'
import { createBudget } from '../../src/pages/trade/feed/budget.ts'

const NOW_MS = 1_800_000_000_000

/** How many private reads may be sent from a moment on, when nothing waits. */
function sendable(budget: ReturnType<typeof createBudget>, atMs: number): number {
  let count = 0
  while (budget.waitMs('relay', atMs) === 0 && count < 1000) {
    budget.take(atMs)
    count += 1
  }
  return count
}

test('private reads take half of what the service allows, at once and over a minute', () => {
  const budget = createBudget()
  expect(sendable(budget, NOW_MS)).toBe(30)
  let sent = 0
  for (let second = 1; second <= 60; second += 1) sent += sendable(budget, NOW_MS + second * 1000)
  expect(sent).toBe(150)
})

test('half of a smaller limit is what a refusal says it is, and at least one read', () => {
  const budget = createBudget()
  budget.note({ policy: 'account', perSecond: 1, serverMs: null })
  expect(sendable(budget, NOW_MS)).toBe(6)
  budget.note({ policy: 'relay', perSecond: 0.05, serverMs: null })
  expect(sendable(budget, NOW_MS + 3_600_000)).toBe(1)
  // Other limits are not those of private calls.
  budget.note({ policy: 'read', perSecond: 1000, serverMs: null })
  expect(sendable(budget, NOW_MS + 7_200_000)).toBe(1)
})

test('private reads wait for a write, and public ones do not', () => {
  const budget = createBudget()
  const release = budget.hold()
  expect(budget.waitMs('relay', NOW_MS)).toBeGreaterThan(0)
  expect(budget.waitMs('read', NOW_MS)).toBe(0)
  release()
  expect(budget.waitMs('relay', NOW_MS)).toBe(0)
})

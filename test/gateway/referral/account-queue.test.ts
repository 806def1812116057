import { expect, test } from 'bun:test'
import { createAccountQueue } from '../../../src/gateway/referral/account-queue.ts'

test('calls for one account run one at a time, and each who waited hears how the one before ended', async () => {
  const queue = createAccountQueue<number>()
  let under = 0
  let most = 0
  const run = (outcome: number) => async () => {
    under += 1
    most = Math.max(most, under)
    await Bun.sleep(1)
    under -= 1
    return outcome
  }
  const adopted: number[] = []
  const outcomes = await Promise.all(
    [1, 2, 3].map((outcome) =>
      queue.take('a', run(outcome), (earlier) => {
        adopted.push(earlier)
        return earlier === 2 ? 20 : null
      }),
    ),
  )
  expect(outcomes).toEqual([1, 2, 20])
  expect(adopted).toEqual([1, 1, 2])
  expect(most).toBe(1)
})

test('accounts do not wait for each other', async () => {
  const queue = createAccountQueue<string>()
  const { promise, resolve } = Promise.withResolvers<string>()
  const slow = queue.take(
    'a',
    () => promise,
    () => null,
  )
  expect(
    await queue.take(
      'b',
      async () => 'b',
      () => null,
    ),
  ).toBe('b')
  resolve('a')
  expect(await slow).toBe('a')
})

test('a failure is shared by those who waited, and not by those who come later', async () => {
  const queue = createAccountQueue<string>()
  const fail = () => Promise.reject(new Error('away'))
  const waiting = [
    queue.take('a', fail, () => null),
    queue.take(
      'a',
      async () => 'b',
      () => null,
    ),
  ]
  const settled = await Promise.allSettled(waiting)
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(
    await queue.take(
      'a',
      async () => 'c',
      () => null,
    ),
  ).toBe('c')
})

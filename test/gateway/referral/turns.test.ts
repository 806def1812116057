import { expect, test } from 'bun:test'
import { createTurns } from '../../../src/gateway/referral/turns.ts'

test('calls for one account run one at a time, and each who waited hears how the one before ended', async () => {
  const turns = createTurns<number>()
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
      turns.take('a', run(outcome), (earlier) => {
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
  const turns = createTurns<string>()
  const { promise, resolve } = Promise.withResolvers<string>()
  const slow = turns.take(
    'a',
    () => promise,
    () => null,
  )
  expect(
    await turns.take(
      'b',
      async () => 'b',
      () => null,
    ),
  ).toBe('b')
  resolve('a')
  expect(await slow).toBe('a')
})

test('a failure is shared by those who waited, and not by those who come later', async () => {
  const turns = createTurns<string>()
  const fail = () => Promise.reject(new Error('away'))
  const waiting = [
    turns.take('a', fail, () => null),
    turns.take(
      'a',
      async () => 'b',
      () => null,
    ),
  ]
  const settled = await Promise.allSettled(waiting)
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(
    await turns.take(
      'a',
      async () => 'c',
      () => null,
    ),
  ).toBe('c')
})

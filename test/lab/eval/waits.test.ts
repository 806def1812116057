import { expect, spyOn, test } from 'bun:test'
import { createWaitUntil } from '../../../src/lab/eval/program.ts'

const never = () => new Promise<string>(() => undefined)

test('waits leave one reaction at the promise of their end, however many they are', async () => {
  const end = Promise.withResolvers<void>()
  const reactions = spyOn(end.promise, 'then')
  const wait = createWaitUntil(end.promise)
  for (let at = 0; at < 100; at += 1) expect(await wait(async () => at)).toBe(at)
  expect(reactions).toHaveBeenCalledTimes(1)
})

test('the end ends all waits, and no work is begun after it', async () => {
  const end = Promise.withResolvers<void>()
  const wait = createWaitUntil(end.promise)
  const waits = [wait(never), wait(never)]
  end.resolve()
  expect(await Promise.all(waits)).toEqual([undefined, undefined])
  let begun = 0
  expect(await wait(async () => (begun += 1))).toBeUndefined()
  expect(begun).toBe(0)
})

test('an error of the work is the error of the wait', async () => {
  const wait = createWaitUntil(never())
  expect(wait(() => Promise.reject(new Error('closed')))).rejects.toThrow('closed')
})

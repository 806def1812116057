import { expect, test, vi } from 'bun:test'
import { yieldToEventLoop } from '../../../src/core/loop/guarded.ts'
import { startStandbys } from '../../../src/gateway/standby/watch.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { newCaller } from '../../caller.ts'
import { cancelAt, openInstance, TAKEN } from './instance.ts'

test('an idle thread goes on looking each second while a cancel is armed, and rests after it was sent', async () => {
  vi.useFakeTimers()
  let nowMs = 1_800_000_000_000
  let sent = 0
  let looks = 0
  const store = openSqlite(':memory:', 0)
  const send = async () => {
    sent += 1
    return TAKEN
  }
  const instance = await openInstance({ store, nowMs: () => nowMs, send })
  const caller = newCaller()
  await instance.prove(caller)
  await instance.arm([cancelAt(caller, nowMs)], 60_000)
  const look = (isResting?: boolean) => {
    looks += 1
    return instance.send(isResting)
  }
  const stop = startStandbys({ ...instance, send: look }, false)
  async function looksIn(ms: number): Promise<number> {
    const before = looks
    for (let at = 0; at < ms; at += 1000) {
      nowMs += 1000
      vi.advanceTimersByTime(1000)
      await yieldToEventLoop()
      await yieldToEventLoop()
    }
    return looks - before
  }

  await looksIn(20_000)
  expect(await looksIn(30_000)).toBeGreaterThanOrEqual(24)
  await looksIn(20_000)
  expect(sent).toBe(1)
  await looksIn(10_000)
  expect(await looksIn(30_000)).toBe(6)
  stop()
  vi.useRealTimers()
  store.close()
})

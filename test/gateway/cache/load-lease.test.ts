import { expect, test } from 'bun:test'
import { lifetimeOf } from '../../../src/contract/operations.ts'
import { createLeasedLoad, type Turn } from '../../../src/gateway/cache/load-lease.ts'
import type { Entry } from '../../../src/gateway/cache/memory.ts'

/** Loads in turn with other instances, for which a caller waits so long in all. */
function openTurns(waitMaxMs: number, begin: () => Promise<Turn>) {
  const responses = { takeIn: () => undefined }
  return createLeasedLoad({ responses: responses, leases: { begin }, waitMaxMs })
}

const TURN: Turn = { end: () => undefined }
const never = <Value>() => Promise.withResolvers<Value>().promise

test('a load that begins late, after another instance was waited for, ends with the one deadline of both', async () => {
  const late = openTurns(20, async () => {
    await Bun.sleep(15)
    return TURN
  })
  const startedMs = performance.now()
  const load = late('key', lifetimeOf('markets.list'), never<Entry>)
  await expect(load).rejects.toMatchObject({ code: 'upstream_timeout' })
  await load.catch(() => undefined)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
})

test('a load that ends within the deadline is answered, and its failure is its own', async () => {
  const turns = openTurns(60_000, async () => TURN)
  const failure = new Error('down')
  await expect(
    turns('key', lifetimeOf('markets.list'), () => Promise.reject(failure)),
  ).rejects.toBe(failure)
})

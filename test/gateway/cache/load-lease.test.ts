import { expect, test } from 'bun:test'
import { operationLifetime } from '../../../src/contract/operations.ts'
import { Failure } from '../../../src/core/failure.ts'
import { UpstreamError } from '../../../src/core/ports.ts'
import { createLeasedLoad, type Turn } from '../../../src/gateway/cache/load-lease.ts'
import type { CachedReply } from '../../../src/gateway/cache/memory.ts'

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
  const load = late('key', operationLifetime('markets.list'), never<CachedReply>)
  await expect(load).rejects.toMatchObject({ code: 'upstream_timeout' })
  await load.catch(() => undefined)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
})

test('a load that ends within the deadline is answered, and its failure is its own', async () => {
  const turns = openTurns(60_000, async () => TURN)
  const failure = new Error('down')
  await expect(
    turns('key', operationLifetime('markets.list'), () => Promise.reject(failure)),
  ).rejects.toBe(failure)
})

test('instances that wait get an outage of the venue, but no refusal of one caller', async () => {
  const ends: unknown[] = []
  const turns = openTurns(60_000, async () => ({ end: (failure) => void ends.push(failure) }))
  const busy = (sent: boolean) =>
    new Failure('upstream_busy', undefined, { cause: new UpstreamError('saturated', sent) })
  for (const failure of [busy(false), busy(true), new Failure('upstream_busy')]) {
    const load = turns('key', operationLifetime('markets.list'), () => Promise.reject(failure))
    await expect(load).rejects.toBe(failure)
  }
  expect(ends).toEqual([null, 'upstream_busy', 'upstream_busy'])
})

import { describe, expect, test } from 'bun:test'
import { envelope, newCaller } from '../caller.ts'
import { USUAL_KINDS } from '../target.ts'
import { relayFixture } from './relay-fixture.ts'

const GET = { method: 'GET', path: '/v1/positions' } as const
const ORDER = { method: 'POST', path: '/v1/order', body: '{}' } as const

describe.each([...USUAL_KINDS])('a flood of reads that the venue does not answer, %s', (kind) => {
  const released = Promise.withResolvers<void>()
  const fixture = relayFixture(kind, {
    caller: newCaller(),
    answer: async ({ method }) => {
      if (method === 'GET') await released.promise
      return { json: { success: true, timestamp: 1, data: {} } }
    },
  })
  const count = (method: string) => fixture.sent().filter((sent) => sent.method === method).length

  test('takes 128 ways to the venue, and leaves the other 64 to orders and cancels', async () => {
    // One account may take a quarter of what is free: many are needed to take all.
    const callers = Array.from({ length: 150 }, () => newCaller())
    await Promise.all(callers.map((caller) => fixture.post(envelope(caller, ORDER))))
    const reads = callers.map((caller) => fixture.post(envelope(caller, GET)))
    while (count('GET') < 128) await Bun.sleep(1)
    const orders = await Promise.all(
      Array.from({ length: 8 }, (_, n) => fixture.relay({ ...ORDER, body: `{"n":${n}}` })),
    )
    expect(orders.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect([count('GET'), count('POST')]).toEqual([128, 158])
    released.resolve()
    const statuses = await Promise.all(reads.map(async (read) => (await read).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(count('GET')).toBe(150)
  })
})

// Slow: each test starts a PostgreSQL and its standby, and promotes it.
import { afterEach, describe, expect, test } from 'bun:test'
import { envelope, newCaller } from '../caller.ts'
import { headerOf, startRecordingUpstream } from '../recording-upstream.ts'
import { runs } from '../runs.ts'
import { type Instance, kept, openInstance, startInstance, UNHURRIED } from './instances.ts'
import { until } from './processes.ts'
import { startReplicated } from './replicated.ts'

/** How long nothing arrives at the standby while writes go on. */
const CUT_MS = runs(100)
const AT_ONCE = 6

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

type Signed = ReturnType<typeof envelope>

function sign(): Signed {
  const body = JSON.stringify({ order: crypto.randomUUID() })
  return envelope(newCaller(), { method: 'POST', path: '/v1/order', body })
}

/** Sends new writes to an instance for as long as it is asked to. */
async function keepSending(instance: Instance, isOver: () => boolean, sent: Signed[]) {
  while (!isOver()) {
    const signed = sign()
    sent.push(signed)
    await instance.relay(signed).catch(() => null)
  }
}

describe('a standby that is promoted after its link was cut under load', () => {
  test.each([['async'], ['sync']] as const)(
    'lets no write arrive twice, where it followed as %s',
    async (kind) => {
      const { primary, standby, way, urlOf, stop } = await startReplicated(kind)
      ends.push(stop)
      const venue = await startRecordingUpstream()
      ends.push(venue.stop)
      const given = urlOf([primary.port, standby.port])
      // The one that was replaced is killed here: that is fencing, and nobody but the test can know of it.
      const settings = { POSTGRES_FENCING: 'operator' }
      const shared = { postgres: given, venue: venue.url, settings }
      const [first, second, doomed] = await Promise.all([
        openInstance(shared),
        openInstance(shared, UNHURRIED),
        startInstance(shared),
      ])
      ends.push(first.stop, second.stop)

      const sent: Signed[] = []
      let isOver = false
      const senders = [first, doomed].flatMap((instance) =>
        Array.from({ length: AT_ONCE }, () => keepSending(instance, () => isOver, sent)),
      )
      await until(async () => venue.requests.length > 20)
      way.cut()
      await Bun.sleep(CUT_MS)
      // One of the instances that remember claims which the standby does not have ends as well.
      await Promise.all([primary.kill(), doomed.kill()])
      isOver = true
      await Promise.all(senders)
      await standby.ask('SELECT pg_promote()')
      for (const instance of [first, second]) await instance.sees('postgres', 'back')

      const outcomes = new Map<string, number>()
      for (const signed of sent) {
        const { status, body } = await kept(second, signed)
        const outcome = status === 200 ? 'answered' : String(body.code)
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
      expect([...outcomes.keys()]).toEqual(['outcome_unknown'])
      const arrivals = venue.requests
        .map((request) => headerOf(request, 'orderly-signature'))
        .filter((signature) => signature !== undefined)
      expect(arrivals.length).toBeGreaterThan(20)
      expect(new Set(arrivals).size).toBe(arrivals.length)
      // Valkey, which is away, would know whether the one that is gone has sent a timestamp ahead of now.
      for (const instance of [first, second])
        expect((await kept(instance, sign())).body.code).toBe('outcome_unknown')
    },
  )
})

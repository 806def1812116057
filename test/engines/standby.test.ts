import { afterEach, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { envelope, newCaller } from '../caller.ts'
import { headerOf, startRecordingUpstream } from '../recording-upstream.ts'
import { type Instance, startInstance } from './instances.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { until } from './processes.ts'
import { startProxy } from './proxy.ts'

/** How long the standby hears nothing while writes go on: longer in a long run. */
const CUT_MS = Number(process.env['STANDBY_CUT_MS'] ?? 400)
const AT_ONCE = 6

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** A server and its standby, with a way between them that can be cut. */
async function pair(kind: 'async' | 'sync') {
  const primary = await startPostgres()
  ends.push(primary.stop)
  const database = new URL(await primary.newDatabase()).pathname
  const way = await startProxy(primary.port)
  ends.push(way.stop)
  // A copy of its files while nobody writes them.
  await primary.kill()
  const standby = await startPostgres({
    fill: async (data) => {
      spawnSync('cp', ['-a', primary.data, data])
      writeFileSync(join(data, 'standby.signal'), '')
      const follow = `primary_conninfo = '${primary.following(way.port)}'\n`
      writeFileSync(join(data, 'postgresql.auto.conf'), follow)
      await primary.start()
    },
  })
  ends.push(standby.stop)
  if (kind === 'sync') {
    await until(async () => (await followers(primary, 'async')) === 1)
    await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await primary.ask('SELECT pg_reload_conf()')
  }
  await until(async () => (await followers(primary, kind)) === 1)
  return { primary, standby, way, database }
}

async function followers(primary: PostgresServer, kind: 'async' | 'sync'): Promise<number> {
  const [row] = await primary.ask(
    `SELECT count(*)::int AS rows FROM pg_stat_replication
     WHERE state = 'streaming' AND sync_state = '${kind}'`,
  )
  return Number(row?.['rows'])
}

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
      const { primary, standby, way, database } = await pair(kind)
      const venue = await startRecordingUpstream()
      ends.push(venue.stop)
      const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`
      const given = (await primary.newDatabase()).replace(/@.*/, `@${hosts}${database}`)
      // The one that was replaced is killed here: that is fencing, and nobody but the test can know of it.
      const settings = { POSTGRES_FENCING: 'operator' }
      const shared = { postgres: given, venue: venue.url, settings }
      const [first, second, doomed] = await Promise.all([
        startInstance(shared),
        startInstance(shared),
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
      // One of those who remember what the standby has not heard of goes as well.
      await Promise.all([primary.kill(), doomed.kill()])
      isOver = true
      await Promise.all(senders)
      await standby.ask('SELECT pg_promote()')
      for (const instance of [first, second]) await instance.sees('postgres', 'back')

      const said = new Map<string, number>()
      for (const signed of sent) {
        const { status, body } = await second.relay(signed)
        const outcome = status === 200 ? 'answered' : String(body.code)
        said.set(outcome, (said.get(outcome) ?? 0) + 1)
      }
      expect([...said.keys()]).toEqual(['outcome_unknown'])
      const arrivals = venue.requests
        .map((request) => headerOf(request, 'orderly-signature'))
        .filter((signature) => signature !== undefined)
      expect(arrivals.length).toBeGreaterThan(20)
      expect(new Set(arrivals).size).toBe(arrivals.length)
      // What is signed now goes out.
      expect(await second.relay(sign())).toMatchObject({ status: 200 })
    },
  )
})

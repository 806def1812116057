import { expect } from 'bun:test'
import { checkValkey } from '../../../src/cluster/valkey/topology.ts'
import { testsNeeding } from '../../programs.ts'
import { until } from '../processes.ts'
import { startValkey, VALKEY_PROGRAMS } from '../valkey.ts'
import { openInstance, placeOf } from './fixture.ts'

const { test } = testsNeeding('checks of Valkey', ...VALKEY_PROGRAMS)

test('an engine that evicts rate windows is warned of, and one that does not is not', async () => {
  const valkey = await startValkey('--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru')
  const look = () => checkValkey(placeOf(valkey.url), Date.now)
  const found = await look()
  expect(found.map(({ state }) => state)).toEqual(['ok', 'ok', 'warn'])
  expect(found[2]?.seen).toEndWith(`127.0.0.1:${valkey.port} evicts by allkeys-lru`)
  await valkey.cli('config', 'set', 'maxmemory-policy', 'noeviction')
  expect((await look()).map(({ state }) => state)).toEqual(['ok', 'ok'])
  expect(await valkey.cli('keys', '*')).toBe('')
  await valkey.stop()
})

test('an engine that refuses its user, or is not there, fails without a word of the password', async () => {
  const valkey = await startValkey()
  const wrong = placeOf(valkey.url.replace(valkey.password, 'not-the-password-of-it'))
  const refused = await checkValkey(wrong, Date.now)
  expect(refused[0]).toMatchObject({ state: 'fail' })
  expect(refused[0]?.seen).toEndWith('it refuses us (WRONGPASS)')
  await valkey.stop()
  const gone = await checkValkey(placeOf(valkey.url), Date.now)
  expect(gone[0]?.seen).toEndWith('it is unreachable')
  expect(JSON.stringify([refused, gone])).not.toContain('password-of-it')
  expect(JSON.stringify(gone)).not.toContain(valkey.password)
})

test('who leads the live data is named, since when and how fresh the lead is, and nobody where nobody leads', async () => {
  const valkey = await startValkey()
  const look = async () => (await checkValkey(placeOf(valkey.url), Date.now))[1]?.seen ?? ''
  const { valkey: instance } = await openInstance(valkey.url)
  expect(await look()).toEndWith(': no instance leads the live data, since nobody listens')
  const startedMs = performance.now()
  expect(await instance.feedBus.leader()).toBeNull()
  let seen = ''
  let named: string | null = null
  // Where the look takes longer than a lead lasts, it is led again.
  await until(async () => {
    expect(await instance.feedBus.lead()).toBeGreaterThan(0)
    named = await instance.feedBus.leader()
    seen = await look()
    return named !== null && !seen.includes('no instance leads')
  })
  expect(String(named)).toBe('host:1')
  const [, name, sinceSeconds, ageMs] =
    /: (\S+) has led the live data for (\d+) s, renewed (\d+) ms ago$/.exec(seen) ?? []
  expect(name).toBe('host:1')
  expect(Number(sinceSeconds)).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / 1000)
  expect(Number(ageMs)).toBeLessThanOrEqual(3000)
  instance.close()
  await valkey.stop()
})

test('a node of a cluster, and a primary that takes writes without its replicas, are warned of', async () => {
  const alone = await startValkey('--cluster-enabled', 'yes')
  await alone.cli('cluster', 'addslotsrange', '0', '16383')
  await until(async () => (await alone.cli('cluster', 'info')).includes('cluster_state:ok'))
  const [, , node] = await checkValkey(placeOf(alone.url), Date.now)
  expect(node).toMatchObject({ state: 'warn' })
  expect(node?.seen).toEndWith('is a node of a cluster')
  await alone.stop()

  const primary = await startValkey()
  const { password, port } = primary
  const follow = ['--replicaof', '127.0.0.1', `${port}`, '--masterauth', password]
  const replica = await startValkey(...follow)
  await until(async () => (await primary.cli('info', 'replication')).includes('state=online'))
  const look = async () => (await checkValkey(placeOf(primary.url), Date.now)).slice(2)
  expect(await look()).toMatchObject([{ state: 'warn' }])
  expect((await look())[0]?.seen).toEndWith('takes writes without its replicas')
  await primary.cli('config', 'set', 'min-replicas-to-write', '1')
  expect(await look()).toEqual([])
  await Promise.all([primary.stop(), replica.stop()])
})

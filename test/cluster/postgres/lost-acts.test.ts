// Slow: databases are copied and put back.
import { expect } from 'bun:test'
import { join } from 'node:path'
import pg from 'pg'
import type { SharedStore } from '../../../src/cluster/postgres/store.ts'
import { loadControls } from '../../../src/gateway/controls/controls.ts'
import { openMark } from '../../../src/store/connection/commit-mark.ts'
import { webhookOf } from '../../store/webhook-contract.ts'
import { temporaryFolder } from '../../surface/spawned.ts'
import { until } from '../processes.ts'
import { claim, copied } from './copies.ts'
import { useEngines } from './engines.ts'
import { claimOf, openAt } from './instance.ts'

const { describe, ends, newRegistry, server, test, valkey } = useEngines(
  'acts that PostgreSQL has lost',
)

async function open(url: string, data: string): Promise<SharedStore> {
  const markOf = () => openMark(join(data, 'mark'))
  const store = await openAt(url, { registry: await newRegistry(), markOf })
  ends.push(store.close)
  return store
}

function newFolder(): string {
  const folder = temporaryFolder()
  ends.push(() => folder[Symbol.dispose]())
  return folder.path
}

const NOW_MS = Date.now()
const PAIR = { accountId: 'account', publicKey: 'key' }

function set(kind: string, act: 'freeze' | 'block' | 'maintenance') {
  const entry = { atMs: NOW_MS, act, fields: {}, fingerprint: '' }
  return ({ controls }: SharedStore) =>
    controls.commit(entry, [{ kind, key: 'account', value: String(NOW_MS) }])
}

const ACTS = {
  freeze: set('freeze', 'freeze'),
  block: set('block', 'block'),
  maintenance: set('maintenance', 'maintenance'),
  mandate: ({ mandates }: SharedStore) =>
    mandates.put({
      ...{ accountId: 'account', limits: { readOnly: true }, counter: 1 },
      ...{ frozenBy: 'wallet', changedAtMs: NOW_MS },
    }),
  webhook: ({ webhooks }: SharedStore) => webhooks.add(webhookOf(), 9),
  approval: ({ approvals }: SharedStore) =>
    approvals.ask({
      ...{ id: 'a', accountId: 'account', digest: 'digest', method: 'POST', path: '/v1/order' },
      ...{ key: null, program: null, effects: null, body: '{}', order: 'one' },
      ...{ costUsdc: '10', worstUsdc: null, askedAtMs: NOW_MS, decideUntilMs: NOW_MS + 600_000 },
      ...{ state: 'waiting', decidedAtMs: null, signature: null },
    }),
  'standby cancel': ({ standbys }: SharedStore) =>
    standbys.arm({
      ...{ ...PAIR, cancels: [], signedAtMs: NOW_MS, afterMs: 1000, dueAtMs: NOW_MS + 60_000 },
      ...{ endsAtMs: NOW_MS + 60_000, state: 'armed', changedAtMs: NOW_MS, failure: null },
    }),
} as const

/** A database in use: it has a claim already. */
async function used(data: string) {
  const url = await server().readyDatabase()
  const first = await open(url, data)
  expect(await claim(first, claimOf('before'))).toBe(true)
  return { url, first }
}

/** The kind of the loss that the gateway learns of; null for none. */
async function lossKind({ controls }: SharedStore): Promise<string | null> {
  return (await loadControls(controls)).loss()?.kind ?? null
}

/** Acts as soon as PostgreSQL is back. */
async function act(store: SharedStore, commit: (store: SharedStore) => Promise<unknown>) {
  await until(async () => {
    const done = await commit(store).then(
      () => true,
      () => false,
    )
    return done
  })
}

describe('an act that was committed last, and that a database lacks when it is put back', () => {
  test.each(['freeze', 'mandate'] as const)(
    'is a loss to an instance with its data directory, though Valkey is empty: a %s',
    async (name) => {
      const data = newFolder()
      const { url, first } = await used(data)
      const back = await copied(server(), url)
      await act(first, ACTS[name])
      first.close()
      await back()
      await valkey().cli('flushall')
      expect(await lossKind(await open(url, data))).toBe('behind')
    },
  )

  test('is a loss to an instance that only Valkey tells of it: a freeze', async () => {
    const { url, first } = await used(newFolder())
    const before = await valkey().cli('hget', 'prepd:database', 'claims')
    const back = await copied(server(), url)
    await act(first, ACTS.freeze)
    await until(async () => (await valkey().cli('hget', 'prepd:database', 'claims')) > before)
    first.close()
    await back()
    expect(await lossKind(await open(url, newFolder()))).toBe('behind')
  })
})

test('each act takes a number, an act that changes nothing takes none, and a database that is put back with all its acts has no loss', async () => {
  const data = newFolder()
  const { url, first } = await used(data)
  const marked = openMark(join(data, 'mark'))
  ends.push(marked.close)
  const raised: string[] = []
  for (const [name, commit] of Object.entries(ACTS)) {
    const before = marked.read().commits
    await commit(first)
    if (marked.read().commits === before + 1) raised.push(name)
  }
  expect(raised).toEqual(Object.keys(ACTS))
  const { commits } = marked.read()
  expect(await first.standbys.withdraw({ ...PAIR, publicKey: 'other' }, NOW_MS)).toBe(false)
  expect(await first.webhooks.remove('account', 'other')).toBe(false)
  expect(await ACTS.approval(first)).toMatchObject({ id: 'a' })
  expect(marked.read().commits).toBe(commits)
  const back = await copied(server(), url)
  first.close()
  await back()
  await valkey().cli('flushall')
  const next = await open(url, data)
  expect(await lossKind(next)).toBeNull()
  expect(await next.controls.load()).toHaveLength(3)
})

test('an act waits for no other act, and is no claim', async () => {
  const { url, first } = await used(newFolder())
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  ends.push(() => other.end())
  await other.query('BEGIN; SELECT FROM prepd_lineage FOR UPDATE')
  for (const commit of Object.values(ACTS)) await commit(first)
  await other.query('COMMIT')
  expect(await first.once.list(9)).toMatchObject({ count: 1, rows: [{ identity: 'before' }] })
})

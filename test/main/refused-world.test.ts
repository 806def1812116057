import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openVenueFile } from '../../src/store/entity-file.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { openTarget, type Target } from '../target.ts'

const OPERATOR_KEY = 'operator-key-of-a-server-with-a-refused-world'
const COMMAND = '`prepd --mode admin venue reset`'
const ACCOUNT = `0x${'a'.repeat(64)}`
const NONCE = '123456789'

/** What the version before this one stored of an account that has placed an order, beside a nonce of the gateway. */
const ROWS = [
  { kind: 'venue-time', key: 'genesis', json: '1767222000000' },
  { kind: 'venue-time', key: 'real-world', json: '1767222000000' },
  {
    kind: 'account',
    key: ACCOUNT,
    json: `{"v":3,"entity":{"accountId":"${ACCOUNT}","userId":1000001,"address":"0xb","brokerId":"demo","createdAtMs":1767222000000}}`,
  },
  { kind: 'counters', key: 'counters', json: '{"v":3,"entity":{"sequence":1000001,"draws":2}}' },
  {
    kind: 'engine-request',
    key: '000000000000001',
    json: `{"kind":"open","atMs":1767222000000,"fields":{"key":"${ACCOUNT}","leverage":10}}`,
  },
]

describe('a data directory whose world another version wrote', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-refused-'))
  const path = join(folder, 'prepd.sqlite')
  const venuePath = join(folder, 'venue.sqlite')
  let target: Target

  beforeAll(async () => {
    const store = openSqlite(path, Date.now())
    await store.nonces.issue(NONCE, Date.now() + 86_400_000)
    store.close()
    // Versions before the venue had a file of its own kept its world in the gateway's.
    using older = new Database(path)
    for (const { kind, key, json } of ROWS)
      older.run('INSERT INTO entities (kind, key, json) VALUES (?, ?, ?)', [kind, key, json])
    await start()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  async function start(): Promise<void> {
    target = await openTarget('in process', { DATA_DIR: folder, OPERATOR_KEY })
  }

  const run = (command: string) =>
    target.fetch(`/api/admin/venue/${command}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
      body: '{}',
    })
  const readiness = () => target.ops('/readyz')

  test('is refused in the log and on /readyz, each time with the command that starts a new one', async () => {
    expect(target.log()).toContain('venue_world_refused')
    expect(target.log()).toContain(COMMAND)
    const response = await readiness()
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      ready: false,
      missing: expect.stringContaining(COMMAND),
    })
  })

  test('answers nothing of a world, and is not changed by whoever asks', async () => {
    for (const response of [
      await target.fetch('/api/prep/markets'),
      await run('check'),
      await run('hash'),
    ]) {
      expect(response.status).toBe(502)
      expect(await response.json()).toMatchObject({ code: 'upstream_unavailable' })
    }
    await target.stop()
    const entities = openVenueFile(venuePath)
    for (const { kind, key, json } of ROWS)
      expect([...entities.load(kind)]).toContainEqual({ key, json })
    entities.close()
    await start()
  })

  test('starts a new one with the command, and keeps what is not of the world', async () => {
    expect((await run('reset')).status).toBe(200)
    expect((await readiness()).status).toBe(200)
    await target.stop()
    const store = openSqlite(path, Date.now())
    expect(await store.nonces.burn(NONCE, Date.now())).toBe(true)
    store.close()
    const entities = openVenueFile(venuePath)
    expect([...entities.load('account')]).toEqual([])
    entities.close()
  })
})

import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '../../src/contract/durations.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import type { Claim, ClaimedUse } from '../../src/core/claim.ts'
import { spendingTable } from '../../src/store/claims/spending.ts'
import { claimTable } from '../../src/store/claims/table.ts'
import { NO_MARK } from '../../src/store/connection/commit-mark.ts'
import { openConnection } from '../../src/store/connection/connection.ts'
import { createGroupCommit } from '../../src/store/connection/group-commit.ts'
import { SYNCED_BY_COMMIT } from '../../src/store/connection/log-sync.ts'
import { createLazyStatements } from '../../src/store/connection/statements.ts'

const NOW_MS = 1_700_000_000_000
const FOLDER = mkdtempSync(join(tmpdir(), 'prepd-claim-shares-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))
const FULL = { code: 'store_unavailable' }

/** Claims that hold so many identities at most. */
function openClaims(heldMax: number, path = ':memory:') {
  const database = openConnection(path, { busyTimeoutMs: 1, synchronous: 'OFF' })
  const guard = <Value>(work: () => Value) => work()
  const statements = createLazyStatements(() => database)
  const group = createGroupCommit(statements, NO_MARK, {
    ...{ nowMs: NOW_MS, guard },
    ...{ isNew: false, reader: statements, log: SYNCED_BY_COMMIT },
  })
  const tables = { database: statements, synced: statements, guard }
  const spending = spendingTable({ ...tables, durably: group.durably })
  const { claim, release, sweep } = claimTable({ ...tables, group, spending, heldMax })
  let claims = 0

  /** One identity of an owner, held for a day or for minutes. */
  function claimFor(owner: string, own: Partial<Claim> = {}): Promise<boolean> {
    claims += 1
    const expiresAtMs = NOW_MS + DAY_MS
    const identity = `${path} ${owner} ${claims}`
    return claim({ identity, sinceMs: NOW_MS, expiresAtMs, owner, ...own }, NOW_MS)
  }

  /** As many as are taken. */
  async function fill(owner: string, own: Partial<Claim> = {}): Promise<number> {
    for (let held = 0; ; held += 1)
      if (!(await claimFor(owner, own).catch(() => false))) return held
  }
  return { claim, claimFor, fill, release, sweep, close: () => database.close() }
}

describe('identities that are held for a day', () => {
  test('are shared: however many accounts take all that they can, a later one gets some', async () => {
    const { claimFor, fill } = openClaims(4000)
    const shares: number[] = []
    for (let at = 0; at < 40; at += 1) shares.push(await fill(`account ${at}`))
    const [first = 0, second = 0] = shares
    expect(first).toBeLessThanOrEqual(2000 / LIMITS.claimShares)
    expect(second).toBeLessThan(first)
    expect(shares.every((share) => share > 0)).toBe(true)
    await expect(claimFor('account 0')).rejects.toMatchObject(FULL)
    expect(await claimFor('one more')).toBe(true)
  })

  test('count while they wait for the disk: calls at once get as many as calls one after the other', async () => {
    const share = await openClaims(200).fill('mine')
    const { claimFor } = openClaims(200)
    const made = await Promise.allSettled(Array.from({ length: 200 }, () => claimFor('mine')))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(share)
    expect(await claimFor('other')).toBe(true)
    await expect(claimFor('mine')).rejects.toMatchObject(FULL)
  })

  test('count with their write, and are free again when it is given back or has ended', async () => {
    const { claim, claimFor, fill, release, sweep } = openClaims(200)
    const held = await fill('mine')
    await expect(claimFor('mine')).rejects.toMatchObject(FULL)
    const expiresAtMs = NOW_MS + DAY_MS
    const id: Claim = { identity: 'id', sinceMs: NOW_MS, expiresAtMs, owner: 'other' }
    const reservation = { scope: 's', identity: 'write', atMs: NOW_MS, uses: [] }
    const use: ClaimedUse = { reservation, ids: [id], refusal: () => null, unseenSinceMs: 0 }
    const write = { ...id, identity: 'write', expiresAtMs: NOW_MS + 1000 }
    expect(await claim(write, NOW_MS, use)).toBe(true)
    const more = await fill('other')
    await release('write', [id])
    expect(await claimFor('other')).toBe(true)
    expect(await claimFor('other')).toBe(true)
    await expect(claimFor('other')).rejects.toMatchObject(FULL)
    expect(more).toBeGreaterThan(0)
    expect(sweep(NOW_MS + DAY_MS, 1000)).toBe(held + more + 4)
    expect(await fill('mine')).toBe(held)
  })

  test('count after a restart too', async () => {
    const path = join(FOLDER, 'prepd.sqlite')
    const before = openClaims(200, path)
    await before.fill('mine')
    before.close()
    const after = openClaims(200, path)
    await expect(after.claimFor('mine', { identity: 'new' })).rejects.toMatchObject(FULL)
    expect(await after.claimFor('other', { identity: 'newer' })).toBe(true)
    after.close()
  })
})

test('a write that only cancels or reduces is held beyond every bound, its own and that of all', async () => {
  const { claimFor, fill } = openClaims(20)
  const isReducing = () => true
  await fill('mine')
  for (let at = 0; at < 30; at += 1) {
    expect(await claimFor('mine', { isReducing })).toBe(true)
    expect(await claimFor('other', { isReducing, expiresAtMs: NOW_MS + 1000 })).toBe(true)
  }
  await expect(claimFor('other')).rejects.toMatchObject(FULL)
  await expect(claimFor('third', { isReducing: () => false })).rejects.toMatchObject(FULL)
})

test('what a write does is not read before a bound is reached', async () => {
  const { claimFor } = openClaims(4000)
  const isReducing = () => {
    throw new RangeError('read')
  }
  expect(await claimFor('mine', { isReducing })).toBe(true)
})

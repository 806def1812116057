import { expect } from 'bun:test'
import type { AheadClaim, DatabaseState } from '../../../src/core/engines/database.ts'
import { testsNeeding } from '../../programs.ts'
import { startValkey, VALKEY_PROGRAMS } from '../valkey.ts'
import { openInstance } from './fixture.ts'

const { test } = testsNeeding('the register of PostgreSQL in Valkey', ...VALKEY_PROGRAMS)

const STATE: DatabaseState = {
  ...{ deployment: 'one', cluster: 'c', timeline: 1, branch: 'b' },
  ...{ claims: 0, vouchers: 0, signedMs: 0, witness: '' },
  ...{
    isAdmitted: true,
    isJoining: true,
    isContinued: true,
    isSynchronous: false,
    isLeased: false,
  },
}
const CHUNK = 500

function aheadClaims(owner: string, from: number): AheadClaim[] {
  const sinceMs = Date.now() + 250_000
  return Array.from({ length: CHUNK }, (_, at) => ({
    ...{ identity: `${owner} ${from + at}`, sinceMs, expiresAtMs: sinceMs + 1, isSigned: true },
  }))
}

test('an owner publishes a tenth of what others leave free, what only reduces beyond that, and nobody under another history', async () => {
  const valkey = await startValkey()
  const { valkey: instance } = await openInstance(valkey.url)
  const { registry } = instance
  const verdict = await registry.exchange(STATE)
  if (verdict.refused !== null) throw new Error(verdict.refused)
  const state = { ...STATE, witness: verdict.witness }
  const publish = (owner: string, from: number, isReducing = false) =>
    registry.publish(state, aheadClaims(owner, from), { owner, isReducing: () => isReducing })
  async function held(owner: string): Promise<number> {
    let from = 0
    while (await publish(owner, from)) from += CHUNK
    return from
  }
  expect(await held('first')).toBe(2000)
  expect(await publish('first', 2000, true)).toBe(true)
  for (let at = 0; at < 12; at += 1) await held(`greedy ${at}`)
  // However many are greedy, one more has a share.
  expect(await publish('last', 0)).toBe(true)
  const published = await registry.published(verdict.witness, Date.now())
  expect(published.filter(({ identity }) => identity.startsWith('first '))).toHaveLength(2500)
  expect(await registry.published(verdict.witness, Date.now() + 260_000)).toEqual([])
  const share = { owner: 'other', isReducing: () => true }
  for (const other of [{ branch: 'other' }, { timeline: 2 }, { witness: 'another' }])
    expect(await registry.publish({ ...state, ...other }, aheadClaims('other', 0), share)).toBe(
      false,
    )
  instance.close()
  await valkey.stop()
})

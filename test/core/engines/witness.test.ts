import { expect, test } from 'bun:test'
import {
  type DatabaseState,
  LEASE_MS,
  SILENT_INSTANCE_WAIT_MS,
} from '../../../src/core/engines/database.ts'
import { registryExchange, type WitnessRecord } from '../../../src/core/engines/witness.ts'

const STATE: DatabaseState = {
  ...{ deployment: 'one', cluster: 'c', timeline: 1, branch: 'b', isAdmitted: true },
  ...{ claims: 1, vouchers: 0, signedMs: 0, isContinued: true, isSynchronous: false },
  ...{ witness: '', isLeased: false, isJoining: true },
}
const PROMOTED: DatabaseState = { ...STATE, timeline: 2, branch: 'd' }

function register(record: WitnessRecord | null, state: DatabaseState, nowMs: number) {
  const result = registryExchange(record, state, {
    nowMs,
    run: 'run',
    newId: 'id',
    instance: 'one',
  })
  if ('refused' in result) throw new Error(`refused: ${result.refused}`)
  return result
}

test('a lease ends no sooner when the clock of the registry steps back', () => {
  const first = register(null, STATE, 1_000_000).record
  const leased = register(first, STATE, 1_000_000 + LEASE_MS).record
  const steppedBack = register(leased, STATE, 999_000).record
  expect(steppedBack.leaseEndMs).toBe(1_000_000 + 2 * LEASE_MS)
  const { verdict } = register(steppedBack, PROMOTED, 999_500)
  expect(verdict).toMatchObject({ opensInMs: 500 + 2 * LEASE_MS, lostUntilMs: leased.leaseEndMs })
  expect(register(leased, STATE, 1_000_500 + LEASE_MS).record.leaseEndMs).toBe(
    1_000_500 + 2 * LEASE_MS,
  )
})

test('a history takes the place of another only where an instance is being admitted to it', () => {
  const twin: DatabaseState = { ...PROMOTED, branch: 'e' }
  const at = (nowMs: number) => ({ nowMs, run: 'run', newId: 'id', instance: 'one' })
  const { record } = register(register(null, STATE, 0).record, PROMOTED, LEASE_MS)
  const atMs = LEASE_MS + SILENT_INSTANCE_WAIT_MS
  for (const state of [twin, { ...STATE, timeline: 3 }]) {
    expect(registryExchange(record, { ...state, isJoining: false }, at(atMs))).toEqual({
      refused: 'branch',
    })
    expect(register(record, state, atMs).verdict).toMatchObject({ refused: null })
  }
  expect(registryExchange(record, { ...PROMOTED, isJoining: false }, at(atMs))).toMatchObject({
    verdict: { refused: null },
  })
})

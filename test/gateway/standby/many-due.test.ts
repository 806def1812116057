import { expect, test } from 'bun:test'
import { STANDBY } from '../../../src/contract/standby.ts'
import type { UpstreamRequest } from '../../../src/core/ports.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { newCaller } from '../../caller.ts'
import { until } from '../../cluster/processes.ts'
import { cancelAt, openInstance, TAKEN } from './instance.ts'

const START_MS = 1_800_000_000_000
const STANDBYS = 100
const HANGING = 10

test('standbys that are due together go oldest first, with a bounded number in flight, and a hanging one delays no other', async () => {
  let nowMs = START_MS
  const store = openSqlite(':memory:', 0)
  const held = Promise.withResolvers<void>()
  const allBegun = Promise.withResolvers<void>()
  const begun: string[] = []
  let [underWay, most, ended] = [0, 0, 0]
  async function send({ headers }: UpstreamRequest) {
    const account = headers['orderly-account-id'] ?? ''
    begun.push(account)
    underWay += 1
    most = Math.max(most, underWay)
    if (begun.length === STANDBY.sendingMax) allBegun.resolve()
    await (begun.indexOf(account) < HANGING ? held.promise : allBegun.promise)
    underWay -= 1
    ended += 1
    return TAKEN
  }
  const instance = await openInstance({ store, nowMs: () => nowMs, send, lastSeen: () => [] })
  const callers = Array.from({ length: STANDBYS }, () => newCaller())
  // The last of them is due first.
  for (const [at, caller] of callers.entries()) {
    await instance.prove(caller)
    const afterMs = STANDBY.afterMinMs + STANDBYS - at
    await instance.arm([cancelAt(caller, START_MS)], afterMs)
  }
  nowMs += STANDBY.afterMinMs + STANDBYS
  const looks = [instance.send()]
  await until(async () => ended === STANDBYS - HANGING)
  expect(most).toBe(STANDBY.sendingMax)
  const oldest = callers.slice(-STANDBY.sendingMax).map(({ accountId }) => accountId.toLowerCase())
  const first = begun.slice(0, STANDBY.sendingMax).map((account) => account.toLowerCase())
  expect(new Set(first)).toEqual(new Set(oldest))
  // A later look is not kept waiting by what hangs, and takes nothing twice.
  await instance.send()
  held.resolve()
  await Promise.all(looks)
  expect(new Set(begun).size).toBe(STANDBYS)
  expect(begun).toHaveLength(STANDBYS)
  store.close()
})

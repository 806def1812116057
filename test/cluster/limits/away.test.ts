import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createSharedWindows, type WindowEngine } from '../../../src/cluster/limits/shared.ts'
import { toEngineAway } from '../../../src/cluster/valkey/engine-errors.ts'
import { EngineAway } from '../../../src/core/engines/health.ts'
import { reportFaultsTo } from '../../../src/core/loop/guarded.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'

const reported: unknown[] = []
let giveBack = (): void => undefined

beforeEach(() => {
  reported.length = 0
  giveBack = reportFaultsTo((part, error) => void reported.push([part, error]))
})
afterEach(() => giveBack())

/** Windows of one instance whose engine fails every call by one error. */
function windowsWith(error: Error) {
  const fail = () => Promise.reject(error)
  return createSharedWindows({
    engine: { take: fail, push: fail, forget: fail } satisfies WindowEngine,
    clock: { nowMs: () => 1_700_000_000_000 },
    policies: { write: { requests: 10, seconds: 60, burst: 1 } },
    store: openSqlite(':memory:', 0).windows,
    keysMax: 10,
    pushKeysMax: 10,
    heldKeysMax: 10,
  })
}

describe('windows of an engine', () => {
  test.each([
    ['that is away', new EngineAway('timeout'), 0],
    ['with an error of code', new TypeError('is not a function'), 3],
  ])('%s are counted here, and %# unexpected errors are reported', async (_, error, faults) => {
    const windows = windowsWith(error)
    expect((await windows.take('write', 'caller')).allowed).toBe(true)
    expect((await windows.take('write', 'caller')).allowed).toBe(false)
    await windows.show('write', 'caller')
    expect(reported).toEqual(Array.from({ length: faults }, () => ['valkey', error]))
  })
})

test.each([
  [new Error('Connection is closed.'), 'unreachable', 0],
  [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), 'unreachable', 0],
  [new Error('Command timed out'), 'timeout', 0],
  [new TypeError('is not a function'), 'unreachable', 1],
])(
  'an error of the engine’s client has a meaning, and only one of code is reported: %#',
  (error, fault, times) => {
    expect(toEngineAway(error)).toMatchObject({ fault, word: '' })
    expect(reported).toHaveLength(times)
  },
)

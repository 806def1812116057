import { expect, test } from 'bun:test'
import type { EngineFigures } from '../../../src/contract/console/figures.ts'
import { EngineAway } from '../../../src/core/engines/health.ts'
import { feedFigures } from '../../../src/http/console/engines.ts'

const AWAY = { leader: null, isAway: true }

function engine(name: string, fault: string | null): EngineFigures {
  const latency = { calls: 0, p50MaxMs: null, p99MaxMs: null }
  return { name, fault, ...latency, faults: [], clockSkewMs: null, lagMs: null }
}

test('the console names who leads the live data, and nobody where nobody does', async () => {
  const engines = [engine('postgres', 'timeout'), engine('valkey', null)]
  expect(await feedFigures(async () => 'a:1', engines)).toEqual({ leader: 'a:1', isAway: false })
  expect(await feedFigures(async () => null, engines)).toEqual({ leader: null, isAway: false })
})

test('the console has no leader where each process has live data of its own', async () => {
  expect(await feedFigures(null, [engine('valkey', 'timeout')])).toBeNull()
})

test('the console asks no Valkey that is away, and shows one that goes away as it is asked', async () => {
  let asked = 0
  const ask = async () => {
    asked += 1
    throw new EngineAway('timeout')
  }
  expect(await feedFigures(ask, [engine('valkey', 'unreachable')])).toEqual(AWAY)
  expect(asked).toBe(0)
  expect(await feedFigures(ask, [engine('valkey', null)])).toEqual(AWAY)
  expect(asked).toBe(1)
})

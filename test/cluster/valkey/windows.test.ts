import { expect } from 'bun:test'
import fc from 'fast-check'
import { createSharedWindows } from '../../../src/cluster/limits/shared.ts'
import { createEngine, type ValkeyEngine } from '../../../src/cluster/valkey/engine.ts'
import { clientOptions } from '../../../src/cluster/valkey/options.ts'
import { ENGINE_CLOCK, type Script, script } from '../../../src/cluster/valkey/script.ts'
import { pushScript, takeScript } from '../../../src/cluster/valkey/window-scripts.ts'
import { valkeyWindows } from '../../../src/cluster/valkey/windows.ts'
import type { Policy } from '../../../src/contract/limits.ts'
import { createEngineHealth, EngineAway } from '../../../src/core/engines/health.ts'
import { createLimiter } from '../../../src/gateway/limits/limiter.ts'
import { testsNeeding } from '../../programs.ts'
import { runs } from '../../runs.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from '../valkey.ts'
import { connected, openInstance, placeOf, SILENT } from './fixture.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding(
  'windows in Valkey',
  ...VALKEY_PROGRAMS,
)

const START_MS = 1_700_000_000_000
const NOT_WRITTEN = { load: () => [], save: () => undefined }

let running: RunningValkey
let engine: ValkeyEngine

beforeAll(async () => {
  running = await startValkey()
  const { Redis } = await import('ioredis')
  const place = placeOf(running.url)
  const redis = new Redis(clientOptions(place))
  const monotonicMs = () => performance.now()
  engine = createEngine({
    ...place,
    redis,
    pulse: createEngineHealth('valkey'),
    monotonicMs,
    log: SILENT,
  })
  await new Promise<void>((resolve) => engine.onReturn(resolve))
})

afterAll(async () => {
  engine.close()
  await running.stop()
})

/** A script whose keys live by the wall's clock longer than the test: the one that it moves stands still between. */
function outliving({ lua }: Script): Script {
  const lived = lua.replace("'PX', math.ceil(at - now)", "'PX', 600000")
  if (lived === lua) throw new RangeError('the script has another life of keys')
  return script(lived)
}

/** The engine's windows by a clock that the test moves. */
function drivenWindows(nowMs: () => number) {
  const driven = `local now = tonumber(ARGV[#ARGV])`
  const ask: Pick<ValkeyEngine, 'ask' | 'run'> = {
    ask: engine.ask,
    run: (script, keys, args) => engine.run(script, keys, [...args, nowMs()]),
  }
  return valkeyWindows(ask, {
    take: outliving(takeScript(driven)),
    push: outliving(pushScript(driven)),
  })
}

const POLICY: fc.Arbitrary<Policy> = fc.record({
  requests: fc.integer({ min: 1, max: 1000 }),
  seconds: fc.integer({ min: 1, max: 120 }),
  burst: fc.integer({ min: 1, max: 8 }),
})

let keys = 0

describe('a window in the engine', () => {
  test('decides every request as one process alone does', async () => {
    const waits = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(POLICY, waits, async (policy, steps) => {
        let nowMs = START_MS
        const clock = { nowMs: () => nowMs }
        const policies = { write: policy }
        const alone = createLimiter({ clock, policies, store: NOT_WRITTEN, keysMax: 10 })
        const windows = createSharedWindows({
          ...{ clock, policies, store: NOT_WRITTEN, keysMax: 10, pushKeysMax: 100 },
          heldKeysMax: 10,
          engine: drivenWindows(clock.nowMs),
        })
        const key = `run-${keys++}`
        for (const step of steps) {
          nowMs += step
          expect(await windows.take('write', key)).toEqual(alone.charge('write', key))
        }
      }),
      { numRuns: runs(60) },
    )
  })

  test('is one window, whichever instance is asked', async () => {
    const [one, two] = await Promise.all([openInstance(running.url), openInstance(running.url)])
    await Promise.all([connected(one.valkey), connected(two.valkey)])
    const policy = { requests: 1, seconds: 3600, burst: 5 }
    const asked = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        (at % 2 ? one : two).valkey.windows.take('write both', policy),
      ),
    )
    expect(asked.filter(({ allowed }) => allowed)).toHaveLength(5)
    one.valkey.close()
    two.valkey.close()
  })

  test('goes on counting when the engine has forgotten its scripts', async () => {
    const windows = valkeyWindows(engine, {
      take: takeScript(ENGINE_CLOCK),
      push: pushScript(ENGINE_CLOCK),
    })
    const policy = { requests: 1, seconds: 3600, burst: 2 }
    expect((await windows.take('write scripts', policy)).allowed).toBe(true)
    await running.cli('script', 'flush')
    expect((await windows.take('write scripts', policy)).allowed).toBe(true)
    expect((await windows.take('write scripts', policy)).allowed).toBe(false)
  })
})

describe('reads of several instances', () => {
  /** Instances whose reads are published to each other whenever the test says so. */
  function instances(count: number, clock: { nowMs: () => number }, policy: Policy) {
    return Array.from({ length: count }, () =>
      createSharedWindows({
        ...{ clock, policies: { read: policy }, store: NOT_WRITTEN, keysMax: 10 },
        ...{ pushKeysMax: 100, heldKeysMax: 10, engine: drivenWindows(clock.nowMs) },
      }),
    )
  }

  // Slow: generated numbers of instances share windows for a long run.
  test('are at most a burst each more than of one, once, and the rate itself in the long run', async () => {
    const policy = { requests: 10, seconds: 1, burst: 20 }
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 30 }),
        async (count, each) => {
          let nowMs = START_MS
          const all = instances(count, { nowMs: () => nowMs }, policy)
          const key = `run-${keys++}`
          let admitted = 0
          const seconds = 30
          for (let step = 0; step < seconds * 20; step += 1) {
            for (const windows of all) {
              for (let sent = 0; sent < each; sent += 1) {
                admitted += Number(windows.charge('read', key).allowed)
              }
            }
            // They are published every fifth step, as they are every 250 ms.
            if (step % 5 === 4) await Promise.all(all.map(({ reconcile }) => reconcile()))
            nowMs += 50
          }
          expect(admitted).toBeLessThanOrEqual(count * policy.burst + seconds * 10)
          // Whoever asks for more than the rate gets no less than one process would admit, but for what came at once.
          if (each * count >= 10) expect(admitted).toBeGreaterThanOrEqual(seconds * 10)
        },
      ),
      { numRuns: runs(12) },
    )
  })

  test('below the rate are never refused', async () => {
    let nowMs = START_MS
    const all = instances(3, { nowMs: () => nowMs }, { requests: 12, seconds: 1, burst: 4 })
    const key = `run-${keys++}`
    for (let turn = 0; turn < 200; turn += 1) {
      for (const windows of all) expect(windows.charge('read', key).allowed).toBe(true)
      await Promise.all(all.map(({ reconcile }) => reconcile()))
      nowMs += 250
    }
  })

  test('that were admitted while the engine was away are owed when it is back', async () => {
    let nowMs = START_MS
    const clock = { nowMs: () => nowMs }
    const policy = { requests: 1, seconds: 60, burst: 5 }
    const inner = drivenWindows(clock.nowMs)
    let away = true
    const refused = () => Promise.reject(new EngineAway('unreachable'))
    const windows = createSharedWindows({
      ...{ clock, policies: { write: policy }, store: NOT_WRITTEN, keysMax: 10 },
      ...{ pushKeysMax: 100, heldKeysMax: 10 },
      engine: {
        ...inner,
        take: (...of) => (away ? refused() : inner.take(...of)),
        push: (...of) => (away ? refused() : inner.push(...of)),
      },
    })
    const key = `run-${keys++}`
    for (let sent = 0; sent < 3; sent += 1) {
      expect((await windows.take('write', key)).allowed).toBe(true)
    }
    await windows.reconcile()
    nowMs += 1000
    expect(windows.lagMs()).toBe(1000)
    away = false
    await windows.reconcile()
    expect(windows.lagMs()).toBe(0)
    expect(await windows.take('write', key)).toMatchObject({ allowed: true, remaining: 1 })
    expect(await windows.take('write', key)).toMatchObject({ allowed: true, remaining: 0 })
    expect((await windows.take('write', key)).allowed).toBe(false)
  })

  test('are forgotten everywhere when the operator says so', async () => {
    const nowMs = START_MS
    const [one, two] = instances(2, { nowMs: () => nowMs }, { requests: 1, seconds: 60, burst: 2 })
    if (!one || !two) throw new Error('no instances')
    const key = `run-${keys++}`
    for (const windows of [one, one, one]) windows.charge('read', key)
    await one.reconcile()
    expect(await two.show('read', key)).toMatchObject({ allowed: false, remaining: 0 })
    await one.forget('read', key)
    expect(await two.show('read', key)).toMatchObject({ allowed: true, remaining: 2 })
    expect(one.charge('read', key).allowed).toBe(true)
  })
})

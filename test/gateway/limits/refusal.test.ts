import { expect, test } from 'bun:test'
import { createLimiter } from '../../../src/gateway/limits/limiter.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'

const START_MS = 1_700_000_000_000

/** A limiter of five writes at once for two callers, and a clock to move. */
function harness() {
  let nowMs = START_MS
  const limiter = createLimiter({
    clock: { nowMs: () => nowMs },
    policies: { write: { requests: 10, seconds: 60, burst: 5 } },
    store: openSqlite(':memory:', 0).windows,
    keysMax: 2,
  })
  const at = (ms: number) => {
    nowMs = START_MS + ms
  }
  return { limiter, at }
}

test('a refusal is the verdict of a charge where that is refused, and nothing where it is not', () => {
  const asked = [0, 0, 0, 0, 0, 0, 100, 6000, 6000, -3_600_000, -3_594_000, 70_000]
  const [charging, refusing] = [harness(), harness()]
  for (const key of ['1.2.3.4', '1.2.3.5', 'one too many']) {
    for (const ms of asked) {
      for (const { at } of [charging, refusing]) at(ms)
      const verdict = charging.limiter.charge('write', key)
      expect(refusing.limiter.refusal('write', key)).toEqual(verdict.allowed ? null : verdict)
      expect(refusing.limiter.show('write', key)).toEqual(charging.limiter.show('write', key))
    }
  }
  expect(refusing.limiter.refusal('read', 'nobody counts')).toBeNull()
})

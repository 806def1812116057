import { expect } from 'bun:test'
import { VALKEY_LIMITS } from '../../../src/contract/engines/valkey.ts'
import { testsNeeding } from '../../programs.ts'
import { rejection } from '../../rejection.ts'
import { until } from '../processes.ts'
import { startValkey, VALKEY_PROGRAMS } from '../valkey.ts'
import { openInstance } from './fixture.ts'

const { test } = testsNeeding('the password of Valkey', ...VALKEY_PROGRAMS)

// Slow: a start waits a second for an engine that refuses it.
test('an engine that refuses the password is away, and the log says why without a word of it', async () => {
  const engine = await startValkey()
  const { valkey, lines } = await openInstance(
    engine.url.replace(engine.password, 'wrong-password'),
    undefined,
    VALKEY_LIMITS.connectMaxMs,
  )
  await until(async () => lines.length > 0)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    event: 'engine_away',
    engine: 'valkey',
    fault: 'refused',
    said: 'WRONGPASS',
  })
  expect(await rejection(valkey.responses.list('', 1))).toMatchObject({ code: 'store_unavailable' })
  expect(valkey.health.isUp()).toBe(false)
  expect(lines.join()).not.toContain('wrong-password')
  valkey.close()
  await engine.stop()
})

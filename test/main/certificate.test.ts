import { expect } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { DAY_MS } from '../../src/contract/durations.ts'
import { openDeployment } from '../../src/main/deployment.ts'
import { createReloader, readTls } from '../../src/main/reload.ts'
import { testsNeeding } from '../programs.ts'
import { running, settingsFolder } from '../settings-folder.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { writePair } from '../tls-pair.ts'

const { afterEach, beforeEach, test } = testsNeeding('renewed certificates', 'openssl')

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => {
  folder[Symbol.dispose]()
})

test('a certificate that ends is a line a day, another one after its end, and none once it is renewed', async () => {
  using files = settingsFolder()
  const used = writePair(folder.path, 'used')
  const first = running(files.invoke([], { PREPD_TLS_CERT: used.cert, PREPD_TLS_KEY: used.key }))
  const tls = await readTls(first.settings)
  const endMs = tls?.endMs ?? 0
  const clock = { ms: endMs - 14 * DAY_MS - 1, nowMs: () => clock.ms }
  const lines: string[] = []
  const note = (level: string) => (event: string, fields?: object) =>
    void lines.push(`${level} ${event} ${Object(fields).expires}`)
  const { lookAtTls } = createReloader({
    first,
    tls,
    read: () => first,
    setLevel: () => undefined,
    setOperatorKeys: () => undefined,
    renew: () => undefined,
    clock,
    log: { error: note('error'), warn: note('warn'), info: note('info'), debug: note('debug') },
  })
  const seenAt = async (ms: number) => {
    clock.ms = ms
    await lookAtTls()
    return lines.splice(0)
  }
  const expires = new Date(endMs).toISOString()
  const soon = `warn tls_expires_soon ${expires}`
  const over = `error tls_expired ${expires}`
  expect(await seenAt(endMs - 14 * DAY_MS - 1)).toEqual([])
  expect(await seenAt(endMs - 14 * DAY_MS)).toEqual([soon])
  expect(await seenAt(endMs - 13 * DAY_MS - 1)).toEqual([])
  expect(await seenAt(endMs - 13 * DAY_MS)).toEqual([soon])
  expect(await seenAt(endMs - DAY_MS / 2)).toEqual([soon])
  expect(await seenAt(endMs - 1)).toEqual([])
  expect(await seenAt(endMs)).toEqual([over])
  expect(await seenAt(endMs + DAY_MS - 1)).toEqual([])
  expect(await seenAt(endMs + DAY_MS)).toEqual([over])

  // The new one lasts two days as well, so time goes back to more than two weeks before its end.
  const next = writePair(folder.path, 'next')
  copyFileSync(next.cert, used.cert)
  copyFileSync(next.key, used.key)
  const [renewed, ...others] = await seenAt(endMs - 30 * DAY_MS)
  expect(renewed).toStartWith('info tls_renewed ')
  expect(others).toEqual([])
})

test('an expired certificate is served, and degraded on /readyz with its reason until it is renewed', async () => {
  const used = writePair(folder.path, 'used')
  using files = settingsFolder()
  const { settings } = running(
    files.invoke([], { PREPD_TLS_CERT: used.cert, PREPD_TLS_KEY: used.key }),
  )
  const tls = await readTls(settings)
  if (!tls) throw new Error('no certificate')
  const clock = { ms: tls.endMs - 1, nowMs: () => clock.ms }
  const quiet = () => undefined
  const deployment = await openDeployment(
    settings,
    {
      clock,
      monotonicMs: () => performance.now(),
      random: { bytes: (length) => new Uint8Array(length) },
      log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    },
    ':memory:',
  )
  const ask = async (path: string) =>
    (await deployment.ops(new Request(`http://localhost${path}`), '127.0.0.1')).text()
  const readiness = async () => JSON.parse(await ask('/readyz'))
  expect(await ask('/metrics')).not.toContain('certificate_end')
  deployment.showCertificate(tls.endMs)
  expect(await readiness()).not.toHaveProperty('degraded')
  clock.ms += 1
  const { ready, degraded, reasons } = await readiness()
  const certificate = `The certificate ended at ${new Date(tls.endMs).toISOString()}.`
  expect({ ready, degraded, reasons }).toEqual({
    ready: true,
    degraded: ['certificate'],
    reasons: { certificate },
  })
  expect(await ask('/metrics')).toContain(
    `prepd_tls_certificate_end_time_seconds ${tls.endMs / 1000}`,
  )
  deployment.showCertificate(tls.endMs + DAY_MS)
  expect(await readiness()).not.toHaveProperty('degraded')
  await deployment.close()
})

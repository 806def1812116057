// Slow: certificates are made, and connections with the old one end.
import { expect } from 'bun:test'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createReloader, readTls } from '../../src/main/reload.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { testsNeeding } from '../programs.ts'
import { ACCEPTED, type AnswerSpec } from '../recording-upstream.ts'
import { running, settingsFolder } from '../settings-folder.ts'
import { nameShown, writePair } from '../tls-pair.ts'
import { startRecordedVenue } from './recorded-venue.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'

const { afterEach, beforeEach, test } = testsNeeding('TLS listeners', 'openssl')

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => {
  folder[Symbol.dispose]()
})

const UNCHECKED = { tls: { rejectUnauthorized: false } }

async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(10)
}

test('the listener speaks TLS with files of its own, and SIGHUP reads new ones', async () => {
  const used = writePair(folder.path, 'used')
  const settings = {
    DATA_DIR: join(folder.path, 'data'),
    TLS_CERT: used.cert,
    TLS_KEY: used.key,
    LOG: 'info',
  }
  const prepd = spawnPrepd({ settings })
  const url = await prepd.url()
  expect(url).toStartWith('https://127.0.0.1:')
  const hot = () => fetch(`${url}/api/prep/markets`, UNCHECKED)
  for (const _ of [1, 2]) expect((await hot()).status).toBe(200)
  await expect(fetch(url.replace('https:', 'http:'))).rejects.toThrow()
  expect(await nameShown(url)).toBe('used')

  const next = writePair(folder.path, 'next')
  copyFileSync(next.cert, used.cert)
  prepd.kill('SIGHUP')
  await eventually(() => prepd.log().includes('"tls_refused"'))
  expect(await nameShown(url)).toBe('used')
  copyFileSync(next.key, used.key)
  prepd.kill('SIGHUP')
  await eventually(async () => (await nameShown(url)) === 'next')
  expect((await hot()).status).toBe(200)

  prepd.kill('SIGTERM')
  const { code, stderr } = await prepd.ended()
  expect(code).toBe(0)
  expect(stderr).toContain('"tls_renewed"')
  expect(stderr).not.toContain('PRIVATE')
})

test('a write that is under way when the certificate changes is sent once, and gets its answer', async () => {
  const venue = await startRecordedVenue((): AnswerSpec => ({ ...ACCEPTED, delayMs: 500 }))
  const used = writePair(folder.path, 'used')
  const settings = {
    VENUE: venue.url,
    DATA_DIR: join(folder.path, 'data'),
    TLS_CERT: used.cert,
    TLS_KEY: used.key,
  }
  const prepd = spawnPrepd({ settings })
  const url = await prepd.url()
  const order = { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_ETH_USDC"}' } as const
  const init = { ...jsonPost(envelope(newCaller(), order)), ...UNCHECKED }
  const answer = fetch(`${url}/api/prep/relay`, init)
  await eventually(() => venue.requests.length === 1)
  const next = writePair(folder.path, 'next')
  copyFileSync(next.cert, used.cert)
  copyFileSync(next.key, used.key)
  prepd.kill('SIGHUP')
  await eventually(async () => (await nameShown(url)) === 'next')
  expect((await answer).status).toBe(200)
  expect(venue.requests).toHaveLength(1)
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
  await venue.stop()
})

test('files that change are noticed without a signal, once they belong together', async () => {
  using files = settingsFolder()
  const used = writePair(folder.path, 'used')
  const first = running(files.invoke([], { PREPD_TLS_CERT: used.cert, PREPD_TLS_KEY: used.key }))
  const tls = await readTls(first.settings)
  const events: string[] = []
  const note = (event: string) => void events.push(event)
  const { lookAtTls } = createReloader({
    first,
    tls,
    read: () => first,
    setLevel: () => undefined,
    setOperatorKeys: () => undefined,
    renew: ({ cert }) => void events.push(cert === tls?.cert ? 'same' : 'renewed'),
    clock: { nowMs: Date.now },
    log: { error: note, warn: note, info: note, debug: note },
  })
  await lookAtTls()
  expect(events.splice(0)).toEqual(['tls_expires_soon'])
  const next = writePair(folder.path, 'next')
  copyFileSync(next.key, used.key)
  for (const _ of [1, 2]) await lookAtTls()
  expect(events).toEqual(['tls_refused'])
  copyFileSync(next.cert, used.cert)
  for (const _ of [1, 2]) await lookAtTls()
  expect(events).toEqual(['tls_refused', 'renewed', 'tls_renewed', 'tls_expires_soon'])
})

test('SIGHUP takes over the log’s level, names what waits for a restart, and refuses nonsense', async () => {
  const config = join(folder.path, 'prepd.toml')
  const dataDir = JSON.stringify(join(folder.path, 'data'))
  const write = (text: string) => writeFileSync(config, `data_dir = ${dataDir}\n${text}\n`)
  write('log = "error"')
  const prepd = spawnPrepd({ argv: ['--config', config], bare: true })
  const url = await prepd.url()
  expect(prepd.log()).toBe('')
  const key = join(folder.path, 'first-key')
  writeFileSync(key, 'a-key-where-there-was-none-'.repeat(2), { mode: 0o600 })
  write(`log = "info"\nbroker_id = "other"\noperator_key_file = ${JSON.stringify(key)}`)
  prepd.kill('SIGHUP')
  await eventually(() => prepd.log().includes('"restart_needed"'))
  expect(prepd.log()).toContain('"event":"reload","log":"info","settings":"LOG"')
  expect(prepd.log()).toContain('"settings":"BROKER_ID OPERATOR_KEY"')
  write('log = "loud"')
  prepd.kill('SIGHUP')
  await eventually(() => prepd.log().includes('"reload_refused"'))
  expect((await fetch(`${url}/api/prep/catalogue`)).status).toBe(200)
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
})

test('SIGHUP takes over the operator’s keys, and without any the old ones stay until a restart', async () => {
  const [old, next] = ['the-key-of-before-'.repeat(2), 'the-key-of-now-and-after-'.repeat(2)]
  const path = join(folder.path, 'operator-key')
  const write = (text: string) => writeFileSync(path, text, { mode: 0o600 })
  write(old)
  const settings = {
    DATA_DIR: join(folder.path, 'keys'),
    OPERATOR_KEY_FILE: path,
    OPS_LISTEN: '127.0.0.1:0',
    LOG: 'info',
  }
  const prepd = spawnPrepd({ settings })
  const url = await prepd.url()
  const statusFor = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${url}/api/admin/status`, { headers })).status
  }
  expect([await statusFor(old), await statusFor(next)]).toEqual([200, 401])

  write(`${next}\n${old}\n`)
  prepd.kill('SIGHUP')
  await eventually(async () => (await statusFor(next)) === 200)
  expect(await statusFor(old)).toBe(200)
  write(`${next}\n`)
  prepd.kill('SIGHUP')
  await eventually(async () => (await statusFor(old)) === 401)
  expect(await statusFor(next)).toBe(200)
  expect(prepd.log()).toContain('"event":"reload","log":"info","settings":"OPERATOR_KEY"')
  expect(prepd.log()).not.toContain('restart_needed')

  rmSync(path)
  prepd.kill('SIGHUP')
  await eventually(() => prepd.log().includes('"reload_refused"'))
  expect(await statusFor(next)).toBe(200)
  prepd.kill('SIGTERM')
  const { code, stderr } = await prepd.ended()
  expect(code).toBe(0)
  expect(stderr).not.toContain('the-key-of')
})

import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'

/** A machine that has the executable, the unit that is shipped and a README, and no other file or variable. */
const machine = temporaryFolder()
afterAll(() => machine[Symbol.dispose]())
const at = (path: string) => join(machine.path, path)
const shipped = (path: string) => join(import.meta.dir, '../..', path)
const README = readFileSync(shipped('README.md'), 'utf8')
const [, STEPS = ''] = /## Go live in five steps\n([\s\S]*?)\n## /.exec(README) ?? []

/** Runs the executable with nothing but these variables. Answers its exit code and both outputs. */
function prepd(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const ended = Bun.spawnSync([at('prepd'), ...words], { cwd: at(''), env })
  return { code: ended.exitCode, stdout: `${ended.stdout}`, stderr: `${ended.stderr}` }
}

// Slow: two servers start, and the tour trades end to end.
test('the five steps of the README lead an empty machine to an order, a stream and an operator’s command', async () => {
  for (const name of ['etc', 'credstore', 'data']) mkdirSync(at(name), { mode: 0o700 })
  copyFileSync(shipped('build/out/prepd'), at('prepd'))
  for (const setting of ['PREPD_VENUE_STREAM', 'PREPD_OPERATOR_KEY'])
    expect(STEPS).toContain(setting)

  // 1. The settings of a live wire, which another machine would serve.
  const wire = `127.0.0.1:${freePort()}`
  const venue = spawnPrepd({ settings: { DATA_DIR: at('venue'), VENUE_LISTEN: wire } })
  await venue.url()
  const [listen, ops] = [`127.0.0.1:${freePort()}`, `127.0.0.1:${freePort()}`]
  const lines = [
    ...[`venue = "http://${wire}"`, `venue_vaults = "http://${wire}"`],
    ...[`venue_stream = "ws://${wire}"`, 'broker_id = "prepd"'],
    // 2. No proxy and no TLS: the wire and the caller are on this machine.
    ...[`listen = "${listen}"`, `ops_listen = "${ops}"`],
  ]
  writeFileSync(at('etc/prepd.toml'), `${lines.join('\n')}\n`)

  // 4. The operator's key, and the check of all that the unit reads.
  const rotated = prepd([
    '--mode',
    'admin',
    'rotate',
    'operator',
    at('credstore/prepd.operator_key'),
  ])
  expect(rotated.code).toBe(0)
  const unit = readFileSync(shipped('config/prepd.service'), 'utf8')
    .replaceAll('/usr/local/bin', machine.path)
    .replaceAll('/etc/prepd', at('etc'))
    .replaceAll('%S/prepd', at('data'))
    .replace('LoadCredential=prepd.operator_key', `$&:${at('credstore/prepd.operator_key')}`)
  writeFileSync(at('prepd.service'), unit)
  const asUnit = ['--unit', at('prepd.service')]
  const checked = prepd(['--mode', 'admin', 'config', 'check', ...asUnit])
  expect(checked).toEqual({
    code: 0,
    stdout: `ok\nhttp on ${listen}, the live venue http://${wire}, data in ${at('data')}\nread: ${['prepd.service', 'credstore/prepd.operator_key', 'etc/prepd.toml'].map(at).join(', ')}\n`,
    stderr: '',
  })
  const env = { PREPD_DATA_DIR: at('data'), CREDENTIALS_DIRECTORY: at('credstore') }
  const server = Bun.spawn([at('prepd'), '--config', at('etc/prepd.toml')], {
    ...{ cwd: at(''), env, stdout: 'pipe', stderr: 'ignore' },
  })
  for await (const text of server.stdout.pipeThrough(new TextDecoderStream()))
    if (text.includes('listening on')) break

  // 5. The tour opens an account and trades.
  const tour = prepd(['--mode', 'admin', 'tour', '--url', `http://${listen}`])
  expect([tour.code, tour.stderr]).toEqual([0, ''])
  expect(tour.stdout).toMatch(/\border\b/)

  const stream = await fetch(`http://${listen}/api/prep/stream?topics=tickers`)
  const reader = stream.body?.getReader()
  let events = ''
  while (!events.includes('PERP_'))
    events += new TextDecoder().decode((await reader?.read())?.value)
  await reader?.cancel()

  const status = prepd(['--mode', 'admin', 'status', ...asUnit])
  expect([status.code, status.stderr]).toEqual([0, ''])
  expect(status.stdout).toMatch(/^venue +live$/m)

  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  venue.kill('SIGTERM')
  await venue.ended()
})

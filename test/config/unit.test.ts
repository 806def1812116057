import { expect, test } from 'bun:test'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTING_ROWS } from '../../src/contract/settings.ts'
import { needProgram } from '../programs.ts'
import { refusal, running, settingsFolder } from '../settings-folder.ts'
import { temporaryFolder } from '../surface/spawned.ts'

const credentialOf = (name: string): string => `prepd.${name.toLowerCase()}`
const UNIT = readFileSync(join(import.meta.dir, '../../config/prepd.service'), 'utf8')

test('the unit passes every secret that is there, and no other name', () => {
  const loaded = [...UNIT.matchAll(/^LoadCredential=(.+)$/gm)].map(([, name]) => name)
  const secrets = SETTING_ROWS.filter(({ secret }) => secret).map(({ name }) => credentialOf(name))
  expect(loaded).toEqual(secrets)
})

test('systemd finds nothing wrong with the unit', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'prepd.service')
  writeFileSync(path, UNIT.replaceAll('/usr/local/bin/prepd', '/bin/true'))
  const argv = [needProgram('systemd-analyze'), 'verify', '--man=no', path]
  const { exitCode, stderr } = Bun.spawnSync(argv)
  const lines = stderr
    .toString()
    .split('\n')
    .filter((line) => line.includes('prepd.service'))
  expect({ exitCode, lines }).toEqual({ exitCode: 0, lines: [] })
})

test('a secret is read from its credential, and what is given by name goes first', () => {
  using folder = settingsFolder()
  folder.write(credentialOf('OPERATOR_KEY'), `${'from-credential'.repeat(3)}\n`, 0o440)
  const env = { CREDENTIALS_DIRECTORY: folder.path('') }
  const keyOf = (more: Readonly<Record<string, string>>) =>
    running(folder.invoke([], { ...env, ...more })).settings.operatorKeys
  expect(keyOf({})).toEqual(['from-credential'.repeat(3)])
  const variable = 'from-variable'.repeat(3)
  expect(keyOf({ PREPD_OPERATOR_KEY: variable })).toEqual([variable])
  expect(running(folder.invoke([], {})).settings.operatorKeys).toEqual([])
})

test('a credential that is not of its kind is named, and not repeated', () => {
  using folder = settingsFolder()
  folder.write(credentialOf('VOUCHER_KEY'), 'not-a-key')
  const lines = refusal(folder.invoke([], { CREDENTIALS_DIRECTORY: folder.path('') }))
  expect(lines).toEqual([
    'prepd: the credential prepd.voucher_key must be one line, or two, each of 64 hex characters, not all zero',
  ])
})

// Slow: the executable starts under another user.
test('started as the unit starts it, by a user who is nobody, prepd opens its files for itself alone', async () => {
  using folder = temporaryFolder()
  const at = (name: string) => join(folder.path, name)
  const binary = new URL('../../build/out/prepd', import.meta.url).pathname
  for (const name of ['state', 'credentials']) mkdirSync(at(name), { mode: 0o700 })
  cpSync(new URL('../../config/prepd.example.toml', import.meta.url).pathname, at('prepd.toml'))
  cpSync(binary, at('prepd'))
  writeFileSync(at('credentials/prepd.operator_key'), 'o'.repeat(32))
  chmodSync(folder.path, 0o755)
  const isRoot = process.getuid?.() === 0
  const owner = isRoot ? ['--reuid=65534', '--regid=65534', '--clear-groups'] : []
  if (isRoot) Bun.spawnSync(['chown', '-R', '65534:65534', at('state'), at('credentials')])
  const flags = ['--listen', '127.0.0.1:0', '--ops-listen', 'off']
  const argv = [at('prepd'), '--config', at('prepd.toml'), ...flags]
  const asUnit = ['sh', '-c', 'umask 0077; exec "$@"', 'sh']
  const child = Bun.spawn(
    [...asUnit, ...(isRoot ? [needProgram('setpriv'), ...owner] : []), ...argv],
    {
      cwd: '/',
      env: { PREPD_DATA_DIR: at('state'), CREDENTIALS_DIRECTORY: at('credentials') },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  let output = ''
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += chunk
    const url = /listening on (\S+)/.exec(output)?.[1]
    if (!url) continue
    const refused = await fetch(`${url}/api/admin/venue/promote`, { method: 'POST' })
    expect(refused.status).not.toBe(404)
    child.kill('SIGTERM')
    break
  }
  expect(await child.exited).toBe(0)
  const modes = Bun.spawnSync(['find', at('state'), '-perm', '/077']).stdout.toString()
  expect(modes).toBe('')
})

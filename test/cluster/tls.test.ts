// Slow: PostgreSQL, Valkey and executables start with certificates of their own.
import { expect } from 'bun:test'
import { chownSync, copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { testsNeeding } from '../programs.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { writePair } from '../tls-pair.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { until } from './processes.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from './valkey.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding(
  'engines that speak TLS',
  ...VALKEY_PROGRAMS,
  'openssl',
)

const folder = temporaryFolder()
let own: ReturnType<typeof writePair>
let foreign: ReturnType<typeof writePair>
let postgres: PostgresServer
let valkey: RunningValkey
let urls: { readonly postgres: string; readonly valkey: string }

beforeAll(async () => {
  own = writePair(folder.path, 'engine')
  foreign = writePair(folder.path, 'stranger')
  const tlsPort = freePort()
  const files = ['--tls-cert-file', own.cert, '--tls-key-file', own.key]
  const trust = ['--tls-ca-cert-file', own.cert, '--tls-auth-clients', 'no']
  ;[postgres, valkey] = await Promise.all([
    startPostgres(),
    startValkey('--tls-port', `${tlsPort}`, ...files, ...trust),
  ])
  await serveTls(postgres)
  urls = {
    postgres: await postgres.newDatabase(),
    valkey: `rediss://:${valkey.password}@127.0.0.1:${tlsPort}`,
  }
})
afterAll(async () => {
  await Promise.all([postgres.stop(), valkey.stop()])
  folder[Symbol.dispose]()
})

/** Lets a server speak TLS from now on, with a certificate that only it may read. */
async function serveTls({ data, ask }: PostgresServer): Promise<void> {
  const { uid, gid } = statSync(data)
  for (const [name, path] of Object.entries({ 'server.crt': own.cert, 'server.key': own.key })) {
    copyFileSync(path, join(data, name))
    chownSync(join(data, name), uid, gid)
  }
  await ask('ALTER SYSTEM SET ssl = on')
  await ask('SELECT pg_reload_conf()')
  await until(async () => (await ask('SHOW ssl'))[0]?.['ssl'] === 'on')
}

/** What `config check` says of engines that are trusted by a file of certificates. */
async function checked(trusted: string): Promise<string> {
  const settings = {
    VENUE: 'https://venue.example',
    POSTGRES: `${urls.postgres}?sslmode=verify-full&sslrootcert=${trusted}`,
    VALKEY: `${urls.valkey}?cacert=${trusted}`,
  }
  const argv = ['--mode', 'admin', 'doctor']
  const { stdout, stderr } = await spawnPrepd({ argv, settings }).ended()
  expect(stdout + stderr).not.toContain(valkey.password)
  expect(stdout + stderr).not.toContain('hunter2')
  return stdout
}

describe('engines that speak TLS', () => {
  test('are spoken to where their certificates are trusted', async () => {
    const output = await checked(own.cert)
    expect(output).toMatch(/^ok +engines +PostgreSQL at 127.0.0.1:\d+\/prepd_1 takes writes/m)
    expect(output).toMatch(/^ok +engines +Valkey at 127.0.0.1:\d+ answers/m)
  })

  test('are told nothing where their certificates are a stranger’s', async () => {
    const output = await checked(foreign.cert)
    expect(output).toMatch(/^fail +engines +PostgreSQL at \S+ .*certificate/m)
    expect(output).toMatch(/^fail +engines +Valkey at \S+ it is unreachable/m)
    expect(output).not.toContain('takes writes,')
  })
})

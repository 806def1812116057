// Slow: each sample is a program that starts and trades.
import { expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../../src/agents/client/client.ts'
import { MANDATE_PATH } from '../../src/contract/act-paths.ts'
import { STANDBY_PATH } from '../../src/contract/standby.ts'
import { signDigest } from '../../src/core/crypto/wallet-signature.ts'
import { toHex } from '../../src/core/hex.ts'
import { type Opened, openTemporaryAccount } from '../../src/operator/account/open.ts'
import { needProgram, testsNeeding } from '../programs.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'

const { afterAll, beforeAll, test } = testsNeeding(
  'samples',
  'node',
  'python3',
  'bash',
  'curl',
  'openssl',
)

const SAMPLES = join(import.meta.dir, '../../config/samples')
const EVALS = join(import.meta.dir, '../../config/evals')

const RUNS = [
  { program: 'node', file: 'sign.mjs' },
  { program: 'python3', file: 'sign.py' },
  { program: 'bash', file: 'sign.sh' },
] as const

const STANDBYS = [
  { program: 'node', file: 'standby.mjs' },
  { program: 'python3', file: 'standby.py' },
] as const

const FREEZES = [
  { program: 'node', file: 'freeze.mjs' },
  { program: 'python3', file: 'freeze.py' },
] as const

const folder = temporaryFolder()
let prepd: ReturnType<typeof spawnPrepd>
let url = ''

beforeAll(async () => {
  prepd = spawnPrepd({ settings: { DATA_DIR: join(folder.path, 'data'), LIMIT_WRITE: 'off' } })
  url = await prepd.url()
})
afterAll(async () => {
  prepd.kill('SIGTERM')
  await prepd.ended()
  folder[Symbol.dispose]()
})

async function run(program: string, file: string, address: string) {
  const child = Bun.spawn([needProgram(program), join(SAMPLES, file), address], {
    cwd: folder.path,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, stdout, stderr }
}

test.each(RUNS)('$file goes from nothing to an order, and leaves none behind', async (row) => {
  const { code, stdout, stderr } = await run(row.program, row.file, url)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [, order = ''] = /^ordered (\d+)$/m.exec(stdout) ?? []
  expect(stdout).toMatch(/^registered 0x[0-9a-f]{64}\nbound ed25519:[1-9A-HJ-NP-Za-km-z]{43,44}\n/)
  expect(stdout).toEndWith(`ordered ${order}\ncancelled ${order}\nholds 10000 USDC\n`)
  expect(readdirSync(folder.path)).toEqual(['data'])
})

test.each(RUNS)('$file says what it was refused, and goes no further', async (row) => {
  const refuses = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.json({ code: 'rate_limited', error: 'Too many.' }, { status: 429 }),
  })
  const { code, stdout, stderr } = await run(row.program, row.file, refuses.url.origin)
  await refuses.stop(true)
  expect(code).not.toBe(0)
  expect(stdout).toBe('')
  expect(stderr).toContain('rate_limited')
})

test.each(RUNS)('$file comes again when it is told to', async (row) => {
  const asked: string[] = []
  const busy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      asked.push(pathname)
      if (asked.length % 2 === 1) {
        const meta = { retryAfterSeconds: 0 }
        return Response.json({ code: 'rate_limited', error: 'Too many.', meta }, { status: 429 })
      }
      const body = request.method === 'POST' ? await request.text() : null
      const headers = { 'content-type': 'application/json' }
      return fetch(url + pathname + search, { method: request.method, headers, body })
    },
  })
  const { code, stdout } = await run(row.program, row.file, busy.url.origin)
  await busy.stop(true)
  expect(code).toBe(0)
  expect(stdout).toEndWith('holds 10000 USDC\n')
  expect(asked.filter((_, at) => at % 2 === 0)).toEqual(asked.filter((_, at) => at % 2 === 1))
})

test('agent.mjs passes the evaluation of a position that is protected', async () => {
  const out = join(folder.path, 'evaluation')
  const tasks = await Bun.file(join(EVALS, 'buy-with-stop.toml')).text()
  const file = join(folder.path, 'task.toml')
  const agent = `[agent]\ncommand = ["node", "${join(EVALS, 'agent.mjs')}"]\n`
  await Bun.write(file, tasks.replace(/seeds = .*/, 'seeds = [1]') + agent)
  const argv = ['--mode', 'admin', 'eval', 'run', file, '--out', out]
  const evaluation = spawnPrepd({ argv, bare: true })
  expect(await evaluation.ended()).toMatchObject({ code: 0, stderr: '' })
  expect(await Bun.file(join(out, 'report.html')).text()).toContain('passed')
  expect(await Bun.file(join(out, 'seed-1.errors')).text()).toBe('')
})

test('every sample is run', () => {
  expect(readdirSync(SAMPLES).sort()).toEqual(
    [...RUNS, ...STANDBYS, ...FREEZES].map(({ file }): string => file).sort(),
  )
})

/** A new account of the running service. */
async function opened() {
  const client = createClient({
    baseUrl: url,
    transport: (request) => fetch(request),
    nowMs: Date.now,
  })
  const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }
  return {
    client,
    account: await openTemporaryAccount(client, { clock: { nowMs: Date.now }, random }),
  }
}

function startedFor({ accountId, secret }: Opened, program: string, file: string) {
  return Bun.spawn([needProgram(program), join(SAMPLES, file), url], {
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      ...process.env,
      NO_PROXY: '127.0.0.1',
      no_proxy: '127.0.0.1',
      SERVICE_ACCOUNT_ID: accountId,
      SERVICE_TRADING_KEY: toHex(secret),
    },
  })
}

test.each(FREEZES)(
  '$file freezes an account that has a mandate, and no other',
  async ({ program, file }) => {
    const { client, account } = await opened()
    const ended = async () => {
      const child = startedFor(account, program, file)
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
      return { code: await child.exited, stdout, stderr }
    }
    const refused = await ended()
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('no_mandate')
    const { address, secret } = account.wallet
    const asked = { kind: 'mandate', chainId: 42_161, address, limits: { maxOrderUsdc: 100 } }
    const { message, digest } = Object(await client.post('/api/prep/typed-data', asked))
    const signature = signDigest(Buffer.from(digest.slice(2), 'hex'), secret)
    await client.post(MANDATE_PATH, { message, signature, address })
    expect(await ended()).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: 'limits {"maxOrderUsdc":"100"}\nfrozen by key\n',
    })
    const shown = await client.relay(account, { method: 'GET', path: MANDATE_PATH })
    expect(shown).toMatchObject({ frozenBy: 'key' })
  },
)

test.each(STANDBYS)(
  '$file arms a standby, and withdraws it when it is interrupted',
  async ({ program, file }) => {
    const { client, account } = await opened()
    const child = startedFor(account, program, file)
    const state = async () =>
      Object(await client.relay(account, { method: 'GET', path: STANDBY_PATH })).state
    const decoder = new TextDecoder()
    let stdout = ''
    let isInterrupted = false
    for await (const bytes of child.stdout) {
      stdout += decoder.decode(bytes)
      if (isInterrupted || !stdout.endsWith('\n')) continue
      isInterrupted = true
      expect(await state()).toBe('armed')
      child.kill('SIGINT')
    }
    expect({ code: await child.exited, stderr: await child.stderr.text() }).toEqual({
      code: 0,
      stderr: '',
    })
    expect(stdout).toMatch(/^armed until \S+\nwithdrawn\n$/)
    expect(await state()).toBe('withdrawn')
  },
)

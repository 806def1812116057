import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { openSqlite } from '../../src/store/sqlite.ts'
import { envelope, newCaller } from '../caller.ts'
import { settingsFolder } from '../settings-folder.ts'
import { REAL_WORLD } from './real-world.ts'
import { runCommand } from './run-command.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

const WORLD = {
  ...REAL_WORLD,
  transport: () => Promise.reject(new Error('no network here')),
}
const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand(folder, argv, env, WORLD)
const json = async (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { lines, exitCode } = await run([...argv, '--json'], env)
  return { exitCode, ...Object(JSON.parse(lines.join(''))) }
}

describe('doctor', () => {
  const idsOf = async (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { findings, exitCode } = await json(['doctor', ...argv], env)
    const bad = findings.filter(({ state }: { state: string }) => state !== 'ok')
    return {
      exitCode,
      bad: bad.map(({ state, id }: Record<string, string>) => `${state} ${id}`),
      findings,
    }
  }
  const PORTS = [
    '--listen',
    '127.0.0.1:0',
    '--ops-listen',
    'off',
    '--data-dir',
    folder.path('none'),
  ]

  test('finds nothing wrong with the defaults, and opens nothing', async () => {
    const { exitCode, bad } = await idsOf(PORTS)
    expect({ exitCode, bad: bad.filter((line: string) => !line.includes('disk_space')) }).toEqual({
      exitCode: 0,
      bad: [],
    })
    expect(folder.files.stat(folder.path('none'))).toBeNull()
  })

  test('sends the collector of traces an export without a span, with its headers', async () => {
    let status = 200
    const asked: string[] = []
    const collector = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        asked.push(new URL(request.url).pathname, request.headers.get('x-key') ?? '')
        expect(await request.json()).toEqual({ resourceSpans: [] })
        return new Response(null, { status })
      },
    })
    const world = { ...WORLD, transport: (request: Request) => fetch(request) }
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.href,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=canary',
    }
    const statesOf = async () => {
      const { lines } = await runCommand(folder, ['doctor', ...PORTS, '--json'], env, world)
      const { findings } = JSON.parse(lines.join(''))
      return findings.filter(({ id }: { id: string }) => id === 'traces')
    }
    expect(await statesOf()).toMatchObject([{ state: 'ok' }])
    status = 401
    expect(await statesOf()).toMatchObject([
      { state: 'fail', seen: expect.stringContaining('401') },
    ])
    expect(asked).toEqual(['/v1/traces', 'canary', '/v1/traces', 'canary'])
    await collector.stop(true)
    expect(await statesOf()).toMatchObject([{ state: 'fail' }])
  })

  test.each([
    { argv: ['--trusted-proxies', '0.0.0.0/1,128.0.0.0/1,2000::/3'], finding: 'fail proxies' },
    { argv: ['--listen', '[::]:0', '--trusted-proxies', '127.0.0.1'], finding: 'warn proxies' },
    { argv: ['--listen', '0.0.0.0:0'], finding: 'warn plain_http' },
    { argv: ['--stream-clients', '90000000'], finding: 'warn descriptors' },
    { argv: ['--venue', 'https://v.test', '--venue-seed', '2'], finding: 'warn ignored_settings' },
    { argv: ['--venue', 'https://venue.example'], finding: 'fail venue' },
    { argv: ['--swap', 'https://swap.example'], finding: 'warn swap_routers' },
    { argv: ['--voucher', '/nowhere/at/all.toml'], finding: 'fail voucher_file' },
    { argv: ['--venue-markets', 'PERP_BTC_USDC,ETH'], finding: 'fail venue_markets' },
    { argv: ['--tls-cert', '/nowhere', '--tls-key', '/nowhere'], finding: 'fail tls' },
    { argv: [], env: { PREPD_OPERATOR_KEY: 'ab'.repeat(16) }, finding: 'warn operator_key' },
    { argv: [], env: { PREPD_WEBHOOKS: 'on' }, finding: 'warn operator_key' },
    {
      argv: [],
      env: { PREPD_OPERATOR_KEY: `${'abcdefghijkl'.repeat(3)}\n${'mnopqrstuvwx'.repeat(3)}` },
      finding: 'warn operator_key',
    },
  ])('finds $finding with $argv', async (row) => {
    const argv: readonly string[] = row.argv
    const { env, finding } = row
    const given = PORTS.filter((_, at) => !argv.includes(PORTS[at - (at % 2)] ?? ''))
    const { bad, exitCode, findings } = await idsOf([...given, ...argv], env)
    expect(bad).toContain(finding)
    expect(exitCode).toBe(bad.some((line: string) => line.startsWith('fail')) ? 1 : 0)
    for (const row of findings) expect('remedy' in row).toBe(row.state !== 'ok')
  })

  test('tells its own server from another program at a port', async () => {
    const stranger = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hi') })
    const { bad } = await idsOf(['--ops-listen', 'off', '--listen', `127.0.0.1:${stranger.port}`])
    await stranger.stop(true)
    expect(bad).toContain('fail ports')
  })

  test('names a damaged store, and files that others may read', async () => {
    const dataDir = folder.path('damaged')
    openSqlite(`${dataDir}/prepd.sqlite`, 0).close()
    const bytes = new Uint8Array(await Bun.file(`${dataDir}/prepd.sqlite`).arrayBuffer())
    bytes.fill(7, 4096, 40_000)
    await Bun.write(`${dataDir}/prepd.sqlite`, bytes)
    await Bun.$`chmod 644 ${dataDir}/prepd.sqlite`
    const { bad } = await idsOf([...PORTS.slice(0, 4), '--data-dir', dataDir])
    expect(bad).toContain('fail store')
    expect(bad).toContain('warn file_modes')
    expect((await run(['db', 'check', '--data-dir', dataDir])).exitCode).toBe(1)
    expect((await run(['config', 'check', '--data-dir', dataDir])).exitCode).toBe(64)
  })
})

test('a store with a trigger that is not its own is found by doctor, and is not sound', async () => {
  const dataDir = folder.path('changed')
  openSqlite(`${dataDir}/prepd.sqlite`, 0).close()
  using database = new Database(`${dataDir}/prepd.sqlite`)
  database.run('CREATE TRIGGER t AFTER INSERT ON claims BEGIN DELETE FROM claims; END')
  const checked = await json(['db', 'check', '--data-dir', dataDir])
  expect(checked).toMatchObject({ exitCode: 1, sound: false, damage: null })
  expect(checked.difference).toBe("trigger t is not prepd's")
  const { findings } = await json(['doctor', '--data-dir', dataDir])
  const store = findings.find(({ id }: { id: string }) => id === 'store')
  expect(store).toMatchObject({ state: 'warn', seen: "trigger t is not prepd's in the store" })
})

describe('explain', () => {
  const ORDER = { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_ETH_USDC"}' } as const
  const explain = (text: string) => json(['explain', folder.write('envelope.json', text)])

  test('lets a good envelope pass, and shows the text that was signed', async () => {
    const timestamp = String(Date.now())
    const report = await explain(JSON.stringify(envelope(newCaller(), { ...ORDER, timestamp })))
    expect(report).toMatchObject({
      exitCode: 0,
      passes: true,
      kind: 'write',
      signedText: `${timestamp}POST/v1/order${ORDER.body}`,
    })
    expect(report.identity).toMatch(/^[0-9a-f]{64}$/)
  })

  test.each([
    {
      gate: 'signature',
      change: { body: '{"symbol":"PERP_BTC_USDC"}' },
      why: 'invalid_signature',
    },
    { gate: 'path', change: { path: '/v1/nothing' }, why: /^forbidden/ },
    { gate: 'envelope', change: { method: 'PATCH' }, why: 'invalid_request (method)' },
  ])('names the gate $gate', async ({ gate, change, why }) => {
    const { gates, exitCode } = await explain(
      JSON.stringify({ ...envelope(newCaller(), ORDER), ...change }),
    )
    const failed = gates.find(({ passes }: { passes: boolean }) => !passes)
    expect(exitCode).toBe(1)
    expect(failed).toEqual({
      gate,
      passes: false,
      why: why instanceof RegExp ? expect.stringMatching(why) : why,
    })
  })

  test('names an old signature, and a file that is not there', async () => {
    const old = envelope(newCaller(), { ...ORDER, timestamp: '1600000000000' })
    const { gates } = await explain(JSON.stringify(old))
    const why = 'expired_signature (auth.timestamp)'
    expect(gates).toContainEqual({ gate: 'freshness', passes: false, why })
    expect((await run(['explain', '/nowhere'])).exitCode).toBe(64)
  })
})

describe('scrub test', () => {
  test('shows what callers get, with the names of these settings', async () => {
    const path = folder.write('answer.json', '{"name":"acmevenue","price":1.10}')
    expect(await json(['scrub', 'test', path])).toMatchObject({ exitCode: 0, changed: false })
    const { scrubbed } = await json(['scrub', 'test', path, '--scrub-names', 'acmevenue'])
    expect(JSON.stringify(scrubbed)).not.toContain('acmevenue')
    expect((await run(['scrub', 'test', folder.write('text', 'no json')])).exitCode).toBe(64)
  })
})

describe('rotate', () => {
  test('keeps the operator key before until it is finished, and prints neither', async () => {
    const path = folder.path('operator-key')
    const first = await run(['rotate', 'operator', path])
    const [one = ''] = (await Bun.file(path).text()).trim().split('\n')
    const second = await run(['rotate', 'operator', path])
    const [two = '', before] = (await Bun.file(path).text()).trim().split('\n')
    expect(before).toBe(one)
    expect(two).not.toBe(one)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const last = await run(['rotate', 'operator', path, '--finish'])
    expect(await Bun.file(path).text()).toBe(`${two}\n`)
    const report = [first, second, last].flatMap(({ lines }) => lines).join('\n')
    for (const key of [one, two]) expect(report).not.toContain(key)
    expect((await run(['rotate', 'operator', path, '--finish'])).exitCode).toBe(64)
  })

  test('writes over nothing that is no operator key', async () => {
    const path = folder.write('diary', 'dear diary')
    expect((await run(['rotate', 'operator', path])).exitCode).toBe(64)
    expect(await Bun.file(path).text()).toBe('dear diary')
  })

  test('makes a voucher key in a new file, before the one in use, and names both addresses', async () => {
    const path = folder.path('voucher-key')
    const { lines } = await run(['rotate', 'voucher', path], { PREPD_VOUCHER_KEY: '07'.repeat(32) })
    const report = lines.join('\n')
    expect(new Set(report.match(/0x[0-9a-f]{40}/g)).size).toBe(2)
    const keys = (await Bun.file(path).text()).trimEnd().split('\n')
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), '07'.repeat(32)])
    for (const key of keys) expect(report).not.toContain(key)
    expect((await run(['rotate', 'voucher', path])).exitCode).toBe(64)
  })

  test('of the affiliate needs one, and a live venue', async () => {
    expect((await run(['rotate', 'affiliate'])).exitCode).toBe(64)
  })
})

describe('an operand', () => {
  test('that is missing is asked for', async () => {
    await expect(run(['backup'])).rejects.toThrow('backup needs FILE')
  })
})

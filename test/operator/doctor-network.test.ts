import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite.ts'
import { settingsFolder } from '../settings-folder.ts'
import selfSigned from '../vectors/self-signed.json'
import { REAL_WORLD } from './real-world.ts'
import { runCommand } from './run-command.ts'

const folder = settingsFolder()
const PLACE = ['--listen', '127.0.0.1:0', '--ops-listen', 'off']

type Row = { readonly state: string; readonly seen: string; readonly remedy?: string }

/** What one check of `doctor` finds. */
async function findingsOf(
  id: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Row[]> {
  const { lines } = await runCommand(
    folder,
    ['doctor', ...PLACE, ...argv, '--json'],
    env,
    REAL_WORLD,
  )
  const { findings } = JSON.parse(lines.join(''))
  return findings.filter((finding: { id: string }) => finding.id === id)
}

let answer = (): Response => new Response()
const upstream = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ url, headers }) => {
    if (url.includes('/v1/chains') && headers.get('x-lifi-api-key') === 'right')
      return Response.json({ chains: [1, 2] })
    return answer()
  },
})
const untrusted = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  tls: { cert: selfSigned.certificate, key: selfSigned.key },
  fetch: () => new Response(),
})
afterAll(async () => {
  await Promise.all([upstream.stop(true), untrusted.stop(true)])
  folder[Symbol.dispose]()
})

const venueAt = (url: string) => [
  '--venue',
  url,
  '--venue-vaults',
  'https://vaults.example',
  '--venue-stream',
  'off',
  '--venue-stream-private',
  'off',
]

describe('an upstream that does not answer as it should', () => {
  const html = { headers: { 'content-type': 'text/html' } }
  test.each([
    {
      name: 'refused',
      at: () => 'http://127.0.0.1:1',
      seen: 'refuses the connection',
      says: 'port 1 ',
    },
    {
      name: 'no such name',
      at: () => 'https://no-such-host.invalid',
      seen: 'DNS',
      says: 'no-such-host.invalid',
    },
    {
      name: 'no TLS',
      at: () => `https://127.0.0.1:${upstream.port}`,
      seen: 'TLS handshake',
      says: 'scheme',
    },
    {
      name: 'a strange certificate',
      at: () => untrusted.url.origin,
      seen: 'not trusted',
      says: 'NODE_EXTRA_CA_CERTS',
    },
    {
      name: 'a page',
      answers: () => new Response('<html>', { ...html, status: 404 }),
      seen: '404 with no JSON',
      says: 'host',
    },
    {
      name: 'a page as 200',
      answers: () => new Response('<html>', html),
      seen: '200 with no JSON',
      says: 'host',
    },
    {
      name: 'forbidden',
      answers: () => new Response('<html>', { status: 403 }),
      seen: 'answers 403: it does not admit',
      says: 'country',
    },
    {
      name: 'a redirect',
      answers: () => Response.redirect('https://venue.example'),
      seen: 'a redirect',
      says: 'address',
    },
    {
      name: 'an error',
      answers: () => Response.json({}, { status: 502 }),
      seen: 'answers 502',
      says: 'status',
    },
  ])('is told by cause: $name', async ({ at, answers, seen, says }) => {
    if (answers) answer = answers
    const url = at?.() ?? upstream.url.origin
    const [venue, ...more] = await findingsOf('venue', venueAt(url))
    const [swap] = await findingsOf('swap', ['--swap', url])
    expect(more).toEqual([])
    for (const found of [venue, swap]) {
      expect(found).toMatchObject({ state: 'fail', seen: expect.stringContaining(seen) })
      expect(found?.remedy).toContain(says)
    }
  })

  test('but one that lists chains to the right key is well', async () => {
    const at = ['--swap', upstream.url.origin]
    answer = () => Response.json({}, { status: 401 })
    expect(await findingsOf('swap', at, { PREPD_SWAP_KEY: 'right' })).toMatchObject([
      { state: 'ok' },
    ])
    expect(await findingsOf('swap', at, { PREPD_SWAP_KEY: 'wrong' })).toMatchObject([
      { state: 'fail' },
    ])
    answer = () => Response.json({ rows: [] })
    expect(await findingsOf('swap', at)).toMatchObject([
      { state: 'fail', seen: expect.stringContaining('no list of chains') },
    ])
    expect(await findingsOf('swap', ['--swap', 'embedded'])).toEqual([])
  })
})

test.each([
  ['now', 0, 'ok'],
  ['ten seconds behind', -10_000, 'warn'],
])(
  'practice on a live market whose clock is %s says what its clock is for',
  async (_, skewMs, state) => {
    answer = () => Response.json({ success: true, timestamp: Date.now() + skewMs })
    const { origin } = upstream.url
    const found = await findingsOf('venue', [
      ...['--venue', 'paper', '--paper-of', origin, '--venue-stream', origin.replace('http', 'ws')],
    ])
    expect(found).toMatchObject([
      { seen: expect.stringMatching(/^the live venue answers in \d+ ms$/) },
      { state },
      { state: 'ok', seen: `practice: its markets are those of ${origin}, which no order reaches` },
    ])
    expect(found[1]?.remedy ?? '').not.toContain('signatures')
  },
)

test('free space is that of the disk on which the data directory will be made', async () => {
  const [found] = await findingsOf('disk_space', ['--data-dir', '/dev/shm/none/of/these'])
  expect(found?.seen).toEndWith('MiB free at /dev/shm')
})

test('a voucher store that signs nothing is told with the command that adopts it', async () => {
  const dataDir = folder.path('vouchers')
  const example = readFileSync(join(import.meta.dir, '../../config/voucher.example.toml'), 'utf8')
  const argv = ['--voucher', folder.write('voucher.toml', example), '--data-dir', dataDir]
  const env = { PREPD_VOUCHER_KEY: '07'.repeat(32) }
  const adopt = ['voucher', 'adopt', '--data-dir', dataDir]
  expect(await findingsOf('voucher_store', argv)).toEqual([])
  expect(await findingsOf('voucher_store', argv, env)).toMatchObject([
    { state: 'warn', remedy: expect.stringContaining('Start prepd once') },
  ])
  openSqlite(`${dataDir}/prepd.sqlite`, 0).close()
  const [found] = await findingsOf('voucher_store', argv, env)
  expect(found).toMatchObject({ state: 'warn' })
  expect(found?.remedy).toEndWith(`prepd --mode admin ${adopt.join(' ')}`)
  expect(found?.remedy).toContain('plus 24 hours')
  const change = (sql: string) => {
    using database = new Database(`${dataDir}/prepd.sqlite`)
    database.run(sql)
  }
  change("INSERT INTO voucher_audit (at_ms, event) VALUES (1, 'lost')")
  const [lost] = await findingsOf('voucher_store', argv, env)
  expect(lost?.remedy).toEndWith(`--complete. Otherwise: prepd --mode admin ${adopt.join(' ')}`)
  expect((await runCommand(folder, adopt, {}, REAL_WORLD)).exitCode).toBe(0)
  expect(await findingsOf('voucher_store', argv, env)).toMatchObject([{ state: 'ok' }])
})

import { afterAll, describe, expect, test } from 'bun:test'
import { SETTING_ROWS } from '../src/contract/settings.ts'
import { refusal, running, settingsFolder } from './settings-folder.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

const ACCOUNT = `0x${'Ab'.repeat(32)}`
const HEX_KEY = '01'.repeat(32)
const SHARED = {
  PREPD_POSTGRES: 'postgres://prepd@127.0.0.1/prepd',
  PREPD_VALKEY: 'redis://127.0.0.1',
}

/** What is refused, and the exact line that says so. */
// biome-ignore format: one refusal a row
const REFUSALS: readonly { argv?: readonly string[]; env?: Record<string, string>; toml?: string; line: string }[] = [
  { argv: ['--mode', 'htp'], line: 'unknown mode htp; did you mean http?' },
  { argv: ['--mode', 'HTTP'], line: 'unknown mode HTTP; did you mean http?' },
  { argv: ['--mode', 'serverless'], line: 'unknown mode serverless; http, mcp and admin exist' },
  { argv: ['--mode'], line: '--mode needs a value' },
  { argv: ['--mode', '--help'], line: '--mode needs a value' },
  { argv: ['--mode', 'http', '--mode=mcp'], line: '--mode is given twice' },
  { argv: ['mcp'], line: 'unexpected argument mcp; did you mean --mode mcp?' },
  { argv: ['config', 'check'], line: 'unexpected argument config; did you mean --mode admin config?' },
  { argv: ['serve'], line: 'unexpected argument serve' },
  { argv: ['--lisen', 'x'], line: 'unknown flag --lisen; did you mean --listen?' },
  { argv: ['--data_dir=x'], line: 'unknown flag --data_dir; did you mean --data-dir?' },
  { argv: ['--LISTEN=x'], line: 'unknown flag --LISTEN; did you mean --listen?' },
  { argv: ['-x'], line: 'unknown flag -x; prepd --help lists them' },
  { argv: ['help', 'venu'], line: 'unknown command venu; prepd --mode admin help lists them' },
  { argv: ['--mode', 'admin', 'tuor', '-h'], line: 'unknown command tuor; did you mean tour?' },
  { argv: ['--'], line: 'unknown flag --; prepd --help lists them' },
  { argv: ['--help=yes'], line: '--help takes no value' },
  { argv: ['--json'], line: '--json goes with --version, or with a command' },
  { argv: ['--origin'], line: '--origin belongs to the command config show' },
  { argv: ['--mode', 'admin', 'config', 'check', '--origin'], line: '--origin belongs to the command config show' },
  { argv: ['--mode', 'admin', 'tour', '--url', 'localhost'], line: '--url must be an http or https URL without credentials, query or fragment' },
  { argv: ['--mode', 'admin'], line: 'admin needs a command; prepd --mode admin help lists them' },
  { argv: ['--mode', 'admin', 'config', 'chekc'], line: 'unknown command config chekc; did you mean config check?' },
  { argv: ['--mode', 'admin', 'backups'], line: 'unknown command backups; prepd --mode admin help backups lists those that begin so' },
  { argv: ['--mode', 'admin', 'venue', 'faults'], line: 'unknown command venue faults; prepd --mode admin help venue faults lists those that begin so' },
  { argv: ['--mode', 'admin', 'backup '], line: 'unknown command backup ; did you mean backup?' },
  { argv: ['--mode', 'admin', 'destroy'], line: 'unknown command destroy; prepd --mode admin help lists them' },
  { argv: ['--operator-key', 'x'], line: '--operator-key is a secret and never a flag: set PREPD_OPERATOR_KEY, or --operator-key-file' },
  { env: { PREPD_LISEN: 'x' }, line: 'PREPD_LISEN is not a setting; did you mean PREPD_LISTEN?' },
  { env: { PREPD_MODE: 'mcp' }, line: 'PREPD_MODE is not a setting; did you mean --mode?' },
  { env: { PREPD_LISTEN_FILE: 'x' }, line: 'PREPD_LISTEN_FILE is not a setting; prepd --help lists them' },
  { toml: 'lisen = "x"', line: 'lisen in FILE is not a setting; did you mean listen?' },
  { toml: 'LISTEN = "127.0.0.1:1"', line: 'LISTEN in FILE is not a setting; did you mean listen?' },
  { toml: '[venue]\nseed = 1', line: 'venue in FILE must be text in quotes, a number or an array of texts' },
  { toml: 'points = true', line: 'points in FILE must be text in quotes, a number or an array of texts' },
  { toml: 'log = "info"\nlog = "warn"', line: 'FILE: line 2 is not TOML' },
  { toml: 'log = info', line: 'FILE: line 1 is not TOML' },
  { toml: 'operator_key = "x"', line: 'operator_key is a secret and must not stand in FILE: set PREPD_OPERATOR_KEY, or operator_key_file here' },
  { argv: ['--config', '/nowhere/prepd.toml'], line: '--config names a file that cannot be read, or is larger than 1 MiB: /nowhere/prepd.toml' },
  { argv: ['--config', '/'], line: '--config names a file that cannot be read, or is larger than 1 MiB: /' },
  { env: { PREPD_OPERATOR_KEY_FILE: '/nowhere/key' }, line: 'PREPD_OPERATOR_KEY_FILE names a file that cannot be read, or is larger than 1 MiB' },
  { env: { PREPD_OPERATOR_KEY: 'a', PREPD_OPERATOR_KEY_FILE: 'b' }, line: 'PREPD_OPERATOR_KEY and PREPD_OPERATOR_KEY_FILE are both given: keep one' },
  { env: { PREPD_VENUE_VAULTS: 'https://vaults.example' }, line: 'PREPD_VENUE and PREPD_VENUE_VAULTS must both be embedded, or both be URLs' },
  { env: { PREPD_VENUE: 'paper' }, line: 'PREPD_VENUE=paper and PREPD_PAPER_OF go together: give both or neither' },
  { env: { PREPD_AFFILIATE_ACCOUNT_ID: ACCOUNT }, line: 'PREPD_AFFILIATE_ACCOUNT_ID and PREPD_AFFILIATE_TRADING_KEY go together: give both or neither' },
  { env: { PREPD_AFFILIATE_TRADING_KEY: HEX_KEY }, line: 'PREPD_AFFILIATE_ACCOUNT_ID and PREPD_AFFILIATE_TRADING_KEY go together: give both or neither' },
  { env: { PREPD_POSTGRES: SHARED.PREPD_POSTGRES }, line: 'PREPD_VALKEY is missing: it and PREPD_POSTGRES go together' },
  { env: { PREPD_VALKEY: SHARED.PREPD_VALKEY }, line: 'PREPD_POSTGRES is missing: it and PREPD_VALKEY go together' },
  { env: SHARED, line: "PREPD_VENUE must be a URL with PREPD_POSTGRES: every instance would be a world of its own, where another prepd's PREPD_VENUE_LISTEN serves one to all" },
  { argv: ['--mode', 'mcp', '--venue', 'https://venue.example'], env: SHARED, line: 'PREPD_POSTGRES and PREPD_VALKEY are not for --mode mcp: SERVICE_API_URL names a service that uses them' },
  { env: { PREPD_POSTGRES: 'postgres://u:hunter2@db.example/prepd', PREPD_VALKEY: SHARED.PREPD_VALKEY }, line: 'PREPD_POSTGRES must be a postgres:// URL with user and database, and off this machine sslmode=verify-full' },
  { env: { PREPD_POSTGRES: SHARED.PREPD_POSTGRES, PREPD_VALKEY: 'redis://:hunter2@kv.example' }, line: 'PREPD_VALKEY must be a redis://, rediss://, valkey://, valkeys:// or valkey+sentinel:// URL, off this machine one with TLS' },
  { argv: ['--listen', '127.0.0.1:9', '--ops-listen', '127.0.0.1:9'], line: 'PREPD_LISTEN and PREPD_OPS_LISTEN must differ' },
  { argv: ['--venue-listen', '127.0.0.1:8081'], line: 'PREPD_VENUE_LISTEN must differ from the other listeners' },
  { argv: ['--points', 'yes'], line: '--points must be on or off' },
  { toml: 'venue_seed = 1.5', line: 'venue_seed in FILE must be a whole number from 0 to 9007199254740991' },
]

describe('a refusal', () => {
  test.each(REFUSALS)('says: $line', ({ argv = [], env = {}, toml, line }) => {
    const path = toml === undefined ? '' : folder.write('prepd.toml', toml)
    const config = path === '' ? [] : ['--config', path]
    expect(folder.invoke([...argv, ...config], env)).toEqual({
      kind: 'refusal',
      exitCode: 64,
      lines: [`prepd: ${line.replace(/\bFILE\b/, path)}`],
    })
  })

  test('names every malformed setting at once', () => {
    const env = { PREPD_POINTS: 'yes', PREPD_LOG: 'loud', PREPD_VENUE: 'embeded' }
    expect(refusal(folder.invoke([], env)).map((line) => line.split(' must ')[0])).toEqual([
      'prepd: PREPD_VENUE',
      'prepd: PREPD_POINTS',
      'prepd: PREPD_LOG',
    ])
  })

  test('names every unknown variable at once', () => {
    const env = { PREPD_ZEBRA: '1', PREPD_APPLE: '1', PATH: '/bin', PREPD: '1' }
    expect(refusal(folder.invoke([], env))).toEqual([
      'prepd: PREPD_APPLE is not a setting; prepd --help lists them',
      'prepd: PREPD_ZEBRA is not a setting; prepd --help lists them',
    ])
  })

  test('never carries control characters or endless names to the terminal', () => {
    const [line = ''] = refusal(folder.invoke([`--\u001b[31m${'x'.repeat(5000)}\n`]))
    expect(line).toMatch(/^[\x20-\x7e]{1,400}$/)
  })
})

describe('a mode', () => {
  test.each(['http', 'mcp'])('%s runs when it is named', (mode) => {
    expect(running(folder.invoke(['--mode', mode])).mode).toBe(mode as never)
  })

  test('is http when none is named', () => {
    expect(running(folder.invoke([])).mode).toBe('http')
  })

  test('mcp reads its own variables, and half a pair of credentials is no error', () => {
    const key = folder.write('trading-key', `${HEX_KEY}\n`)
    const full = {
      SERVICE_API_URL: 'http://10.0.0.5:8080/prepd',
      SERVICE_ACCOUNT_ID: ACCOUNT,
      SERVICE_TRADING_KEY_FILE: key,
    }
    const read = (env: Record<string, string>) => {
      const invocation = running(folder.invoke(['--mode=mcp'], env))
      return invocation.mode === 'mcp' ? invocation.agent : null
    }
    expect(read(full)).toMatchObject({
      apiUrl: new URL('http://10.0.0.5:8080/prepd'),
      accountId: ACCOUNT.toLowerCase(),
      secret: Uint8Array.fromHex(HEX_KEY),
    })
    expect(read({ SERVICE_ACCOUNT_ID: ACCOUNT })).toMatchObject({ apiUrl: null, secret: null })
    expect(read({})).toMatchObject({ apiUrl: null, accountId: null, secret: null })
  })

  test('mcp reads the limits that a model cannot change, and has none by default', () => {
    const read = (env: Record<string, string>) => {
      const invocation = running(folder.invoke(['--mode=mcp'], env))
      return invocation.mode === 'mcp' ? invocation.agent.limits : null
    }
    const set = {
      SERVICE_MAX_ORDER_USDC: '250.5',
      SERVICE_MAX_DAILY_USDC: '1000',
      SERVICE_ALLOWED_SYMBOLS: 'PERP_ETH_USDC, PERP_BTC_USDC',
      SERVICE_READ_ONLY: 'on',
    }
    expect(read(set)).toEqual({
      maxOrderUsdc: 250_500_000n,
      maxDailyUsdc: 1_000_000_000n,
      symbols: ['PERP_ETH_USDC', 'PERP_BTC_USDC'],
      readOnly: true,
    })
    expect(read({})).toEqual({})
  })

  test('other than mcp ignores the variables of mcp', () => {
    expect(folder.invoke([], { SERVICE_ACCOUNT_ID: 'nonsense' }).kind).toBe('run')
    expect(refusal(folder.invoke(['--mode', 'mcp'], { SERVICE_ACCOUNT_ID: 'nonsense' }))).toEqual([
      'prepd: SERVICE_ACCOUNT_ID must be 0x and 64 hex characters',
    ])
  })

  test('admin takes its command, the flags of that command and settings in any order', () => {
    const invocation = running(
      folder.invoke(['--mode', 'admin', 'config', '--log', 'debug', 'show', '--origin']),
    )
    expect(invocation).toMatchObject({ mode: 'admin', command: { path: 'config show' } })
    expect(invocation.mode === 'admin' && [...invocation.args]).toEqual([['--origin', '']])
    expect(invocation.settings.log.level).toBe('debug')
  })

  test('admin help runs on the defaults, however broken the settings are', () => {
    const invocation = running(
      folder.invoke(['--mode', 'admin', 'help'], { PREPD_POINTS: 'broken' }),
    )
    expect(invocation).toMatchObject({ command: { path: 'help' }, settings: { points: false } })
  })
})

describe('help, version and licenses', () => {
  test('need no valid settings', () => {
    const env = { PREPD_POINTS: 'broken', PREPD_ZEBRA: '1' }
    for (const argv of [['--help'], ['-h'], ['help']])
      expect(folder.invoke(argv, env)).toEqual({ kind: 'help', commands: [] })
    expect(folder.invoke(['--licenses'], env)).toEqual({ kind: 'licenses' })
    expect(folder.invoke(['--version'], env)).toEqual({
      kind: 'version',
      json: false,
      venue: 'unknown',
    })
  })

  test('say which venue the settings choose', () => {
    const venue = (argv: readonly string[]) => folder.invoke(['--version', '--json', ...argv])
    expect(venue([])).toEqual({ kind: 'version', json: true, venue: 'embedded' })
    expect(venue(['--venue', 'https://venue.example'])).toMatchObject({ venue: 'live' })
  })
})

test('each name of a setting gives one flag, one variable and one key, and no two collide', () => {
  const names = SETTING_ROWS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
})

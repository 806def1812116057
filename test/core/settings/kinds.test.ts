import { describe, expect, test } from 'bun:test'
import type { SettingKind } from '../../../src/contract/settings.ts'
import { parseCidrs } from '../../../src/core/client-address.ts'
import { SETTING_KINDS } from '../../../src/core/settings/kinds.ts'
import {
  type Cases,
  COLLECTOR,
  COLLECTOR_HEADERS,
  FEES,
  LISTEN,
  POSTGRES,
  VALKEY,
} from './cases.ts'

const URLS = [
  'https://venue.example',
  'https://venue.example/',
  'https://venue.example:8443',
  'http://127.0.0.1:9',
  'http://localhost:9',
  'http://[::1]:9',
]
const NO_URLS = [
  'http://venue.example',
  'http://127.0.0.1.evil.example',
  'http://localhost.evil.example',
  'https://venue.example/v1',
  'https://venue.example/?',
  'https://venue.example?x=1',
  'https://venue.example#',
  'https://user@venue.example',
  'https://user:pass@venue.example',
  'https:\\\\venue.example',
  ' https://venue.example',
  'https://venue.example\n',
  'ftp://venue.example',
  'venue.example',
  'https://',
  'EMBEDDED',
]
const KEY = 'ab'.repeat(32)
const SIGNATURE = `0x${'aB'.repeat(65)}`
const ROUTER = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'

/** What each kind reads, and what it refuses. */
const leg = (meanMs: number, jitterMs = 0) => ({ meanMs, jitterMs })

// biome-ignore format: one row a case
const KINDS: { readonly [K in SettingKind]: Cases } = {
  connections: { good: [['3', 3], ['10', 10], ['1000', 1000]], bad: ['', '0', '2', '1001', '03', '3.5', ' 3'] },
  idleSeconds: { good: [['0', 0], ['10', 10], ['86400', 86400]], bad: ['', '-1', '86401', '1.5', '10s'] },
  countOrOff: { good: [['off', null], ['1', 1], ['300', 300]], bad: ['', '0', '-1', '1.5', '1e2', ' 3', 'none'] },
  instantOrOff: { good: [['off', null], ['2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1)]], bad: ['', '2026', '2026-01-01', '1767225600000', '2026-01-01T00:00:00+01:00'] },
  accountId: { good: [[`0x${KEY.toUpperCase()}`, `0x${KEY}`]], bad: ['0x', KEY, `0x${KEY}0`, `0X${KEY}`, ` 0x${KEY}`] },
  accountOrTag: { good: [[`0x${KEY.toUpperCase()}`, `0x${KEY}`], ['0123456789abcdef', '0123456789abcdef']], bad: ['0x', KEY, `0x${KEY}0`, '0123456789abcde', '0123456789ABCDEF'] },
  address: { good: [[ROUTER, ROUTER.toLowerCase()]], bad: ['', ROUTER.replace('E', 'e'), `${ROUTER}0`] },
  allowedHosts: {
    good: [['none', []], ['API.example', ['api.example']], ['a.example, b.example', ['a.example', 'b.example']], ['[::1]', ['[::1]']], ['::1', ['[::1]']], ['127.0.0.1', ['127.0.0.1']]],
    bad: ['', 'a.example:8080', 'a.example,', '*', 'https://a.example', '-a.example', '127.0.0.256'],
  },
  allowedOrigins: {
    good: [
      ['*', '*'],
      ['none', []],
      ['https://a.example,http://localhost:3000', ['https://a.example', 'http://localhost:3000']],
    ],
    bad: [
      '',
      'null',
      ...['*,https://a.example', 'https://*.a.example', 'https://*'],
      'https://a.example/',
      'HTTPS://a.example',
      'https://a.example:443',
      'a.example',
    ],
  },
  apiUrl: {
    good: [
      ['https://a.example/prepd', new URL('https://a.example/prepd')],
      ['http://10.0.0.5:8080', new URL('http://10.0.0.5:8080')],
      ['https://a.example/prepd/mcp/', new URL('https://a.example/prepd')],
    ],
    bad: [
      ...['', 'a.example', 'https://u:p@a.example'],
      'https://a.example?x',
      'https://a.example#x',
      'file:///etc',
    ],
  },
  blocks: {
    good: [['none', []], ['10.0.0.0/8, ::1', parseCidrs(['10.0.0.0/8', '::1'])], ['0.0.0.0/1', parseCidrs(['0.0.0.0/1'])]],
    bad: ['', '10.0.0.0/33', '10.0.0.1/8', 'example.com', '10.0.0.0/8,', '0.0.0.0/0', '10.0.0.0/8,::/0', '::ffff:0:0/96', '::/1'],
  },
  boolean: {
    good: [['on', true], ['off', false]],
    bad: ['', 'ON', 'on ', ' on', 'true', '1', 'yes', 'constructor'],
  },
  brokerId: {
    good: [['demo', 'demo'], ['acme_pro-1', 'acme_pro-1']],
    bad: ['', '_x', 'a b', 'a.b', 'x'.repeat(65), 'd\u00e9mo'],
  },
  clock: { good: [['virtual', 'virtual']], bad: ['', 'Real', 'fake'] },
  collector: COLLECTOR,
  collectorHeaders: COLLECTOR_HEADERS,
  fees: FEES,
  fencing: { good: [['operator', 'operator']], bad: ['', 'Prepd', 'off'] },
  instant: { good: [['2000-01-01T00:00:00Z', 946_684_800_000]], bad: ['', '2026-01-01', '1Z'] },
  integrator: { good: [['acme.io', 'acme.io']], bad: ['', '.acme', 'a b', 'x'.repeat(65)] },
  listen: LISTEN,
  listenOrOff: {
    good: [
      ['off', null],
      ['[::]:1', { host: '::', port: 1 }],
    ],
    bad: ['', 'OFF', 'none', '8081'],
  },
  logLevel: { good: [['debug', 'debug']], bad: ['', 'trace', 'Info'] },
  names: {
    good: [
      ['none', []],
      ['Acme Swap, LI.FI', ['Acme Swap', 'LI.FI']],
    ],
    bad: ['', ',', 'a,,b', 'x'.repeat(65), 'a\u0000b'],
  },
  operatorKeys: {
    good: [['k'.repeat(32), ['k'.repeat(32)]], [`${KEY}
${'b'.repeat(256)}`, [KEY, 'b'.repeat(256)]]],
    bad: ['', 'k'.repeat(31), 'k'.repeat(257), `${KEY} `, `${KEY}
short`, `${KEY}
${KEY}
${KEY}`],
  },
  path: { good: [['./data', './data']], bad: ['', 'a\0b'] },
  pathOrOff: {
    good: [
      ['off', null],
      ['./off', './off'],
    ],
    bad: ['', '\0'],
  },
  postgres: POSTGRES,
  policy: {
    good: [
      ['600/60s burst 120', { requests: 600, seconds: 60, burst: 120 }],
      ['off', null],
    ],
    bad: [
      '',
      '600/60s',
      '600/60 burst 120',
      '0/60s burst 1',
      '6/0s burst 1',
      '6/60s burst 0',
      '6/60s  burst 1',
      '1.5/60s burst 1',
      '-6/60s burst 1',
      '06/60s burst 1',
      '6/60s burst 1 ',
    ],
  },
  rate: {
    good: [['0', 0], ['0.1', 0.1], ['1', 1], ['1.0', 1]],
    bad: ['', '1.1', '-0.1', '.1', '10%', '1e-1', '0.', 'NaN'],
  },
  routers: {
    good: [['none', null], [`0x${'AB'.repeat(20)}`, new Set([`0x${'ab'.repeat(20)}`])], [`${ROUTER}, ${ROUTER}`, new Set([ROUTER.toLowerCase()])]],
    bad: ['', 'any', ROUTER.replace('DEB', 'deb'), ROUTER.slice(0, -1), ROUTER.slice(2), `${ROUTER},`, `${ROUTER} ${ROUTER}`, `none,${ROUTER}`],
  },
  secret: { good: [['a!~', 'a!~']], bad: ['', 'a b', 'a\n', '\u00e9', 'x'.repeat(257)] },
  graceSeconds: {
    good: [
      ['0', 0],
      ['9', 9],
      ['60', 60],
    ],
    bad: ['', '-1', '1.0', '05', '61', '100', ' 1'],
  },
  wholeNumber: {
    good: [
      ['0', 0],
      ['9007199254740991', 9_007_199_254_740_991],
    ],
    bad: ['', '-1', '1.0', '01', '1e3', '9007199254740992', '0x1', ' 1'],
  },
  serviceName: {
    good: [['my-dex', 'my-dex']],
    bad: ['', '-x', 'x-', 'my dex', 'my_dex', 'x'.repeat(33)],
  },
  stream: { good: [['off', null], ['wss://live.example', new URL('https://live.example')], ['ws://[::1]:9', new URL('http://[::1]:9')]], bad: ['', 'on', 'https://live.example', 'ws://live.example', 'wss://live.example/path'] },
  signature: { good: [[SIGNATURE, SIGNATURE]], bad: ['', '0x', SIGNATURE.slice(2), `${SIGNATURE}0`] },
  swap: {
    good: [['embedded', 'embedded'], ['off', null], ['https://swap.example', new URL('https://swap.example')]],
    bad: ['', 'on', ...NO_URLS],
  },
  tracedName: { good: [['api_1.eu', 'api_1.eu']], bad: ['', 'two words', 'ä', 'x'.repeat(65)] },
  marketsOrAll: { good: [['PERP_A_USDC, PERP_B_USDC_c-d', ['PERP_A_USDC', 'PERP_B_USDC_c-d']], ['ETH', ['ETH']], ['all', null]], bad: ['', 'PERP_A_USDC,', ',', 'a b', '*', 'x'.repeat(65)] },
  symbolsOrOff: { good: [['PERP_A_USDC, PERP_1B_USDC', ['PERP_A_USDC', 'PERP_1B_USDC']], ['none', []], ['off', null]], bad: ['', 'ETH', 'perp_a_usdc', 'PERP_A_USDC,', '*'] },
  toolGroupsOrOff: { good: [['trading, markets', ['markets', 'trading']], ['off', null]], bad: ['', 'Markets', 'all', 'none', 'markets,', 'markets,markets'] },
  tradingKey: {
    good: [
      [KEY, Uint8Array.fromHex(KEY)],
      [`0x${KEY}`, Uint8Array.fromHex(KEY)],
      ['ed25519:4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi', new Uint8Array(32).fill(1)],
    ],
    bad: [
      '',
      KEY.slice(2),
      `${KEY}00`,
      '00'.repeat(32),
      'ed25519:',
      'ed25519:111',
      '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi',
      `${KEY}\n`,
    ],
  },
  tradingKeyOrKeychain: { good: [['keychain', 'keychain'], [KEY, Uint8Array.fromHex(KEY)]], bad: ['', 'Keychain', 'keychain ', KEY.slice(2)] },
  usdcOrOff: { good: [['250.5', 250_500_000n], ['0', 0n], ['off', null]], bad: ['', 'none', '1e3', '-1', ' off'] },
  usdc: {
    good: [['0', 0n], ['10000', 10_000_000_000n], ['0.000001', 1n]],
    bad: ['', '-1', '1e3', '0.0000001', '.5', '1,000', '99999999999999'],
  },
  venueOrPaper: { good: [['embedded', 'embedded'], ['paper', 'paper'], ...URLS.map((text) => [text, new URL(text)] as const)], bad: ['', 'off', 'PAPER', ...NO_URLS] }, baseUrl: { good: URLS.map((text) => [text, new URL(text)] as const), bad: ['', 'off', 'embedded', ...NO_URLS] },
  venue: {
    good: [['embedded', 'embedded'], ...URLS.map((text) => [text, new URL(text)] as const)],
    bad: ['', 'off', ...NO_URLS],
  },
  valkey: VALKEY,
  latency: { good: [['off', null], ['entry=10', { feed: leg(0), entry: leg(10), answer: leg(0) }], ['answer=3/1,feed=20/5,entry=60000', { feed: leg(20, 5), entry: leg(60_000), answer: leg(3, 1) }]], bad: ['', 'on', '10', 'entry=10,entry=20', 'entry=-1', 'entry=10/', 'entry=60001', 'entry=1/60001', 'way=1', 'entry=10, feed=1'] },
  clockMover: { good: [['operator', 'operator'], ['accounts', 'accounts']], bad: ['', 'anybody', 'account'] },
  activity: { good: [['sparse', 'sparse'], ['calm', 'calm'], ['busy', 'busy']], bad: ['', 'off', 'Normal'] }, venueLimits: { good: [['live', 'live'], ['off', null]], bad: ['', 'on', 'Live'] },
  walletKeys: {
    good: [
      [KEY, [Uint8Array.fromHex(KEY)]],
      [`${KEY}\n${'07'.repeat(32)}`, [Uint8Array.fromHex(KEY), new Uint8Array(32).fill(7)]],
    ],
    bad: ['', '00'.repeat(32), `ed25519:${KEY}`, `${KEY}\n`, `${KEY}\n${KEY}\n${KEY}`, `${KEY},${KEY}`],
  },
}

describe.each(Object.entries(KINDS))('the kind %s', (name, { good, bad }) => {
  const kind = Object.entries(SETTING_KINDS).find(([known]) => known === name)?.[1]

  test.each(good)('reads %p', (text, value) => {
    expect<unknown>(kind?.parse(text)).toEqual(value)
  })

  test.each(bad)('refuses %p', (text) => {
    expect(kind?.parse(text)).toBeUndefined()
  })
})

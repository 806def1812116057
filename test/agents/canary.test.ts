import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toBase58 } from '../../src/core/crypto/base58.ts'
import { newCaller } from '../caller.ts'
import {
  type AnswerSpec,
  type RecordingUpstream,
  startRecordingUpstream,
} from '../recording-upstream.ts'
import { openTarget, TARGET_KINDS } from '../target.ts'
import { runStdio } from './binary.ts'
import { modern, modernHeaders, request } from './rpc.ts'

const CANARY = newCaller()
const HEX = Buffer.from(CANARY.secret).toString('hex')

/** The secret in every spelling that a program might print. */
const SPELLINGS = [
  ...[HEX, HEX.toUpperCase(), HEX.slice(0, 32), HEX.slice(32)],
  ...[Buffer.from(CANARY.secret).toString('base64'), Buffer.from(HEX).toString('base64')],
  toBase58(CANARY.secret),
  Array.from(CANARY.secret).join(','),
]

function expectNoCanary(where: string, text: string): void {
  const found = SPELLINGS.filter((spelling) => text.includes(spelling))
  expect({ where, found }).toEqual({ where, found: [] })
}

const call = (name: string, args: unknown = {}) => request('tools/call', { name, arguments: args })
const ORDER = { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_quantity: 0.01 }

/** Messages that fail in every way, with the secret in every place of them. */
const MESSAGES: readonly (object | string)[] = [
  ...['{', HEX, `"${HEX}`, '[]', '{}', `{"jsonrpc":"2.0","id":1,"method":"${HEX}"}`],
  request(HEX),
  request('ping', {}, HEX.slice(0, 8)),
  call(HEX),
  call('list_markets', HEX),
  call('list_markets', { search: HEX }),
  call('list_markets', { [HEX]: 1 }),
  call('get_orderbook', { symbol: HEX.toUpperCase() }),
  call('get_orderbook', { symbol: 'PERP_NOTHING_USDC' }),
  call('list_positions'),
  call('place_order', { ...ORDER, client_order_id: HEX }),
  call('place_order', { ...ORDER, [HEX]: true }),
  call('place_order', { ...ORDER, trading_key: `ed25519:${HEX}` }),
  call('place_order', ORDER),
  modern('tools/call', { name: HEX }),
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: HEX } },
]

/** Headers that carry the secret rightly, wrongly, and by mistake. */
const HEADERS: readonly Record<string, string>[] = [
  { 'x-account-id': CANARY.accountId, 'x-trading-key': HEX },
  { 'x-account-id': CANARY.accountId, 'x-trading-key': `${HEX}0` },
  { 'x-account-id': HEX, 'x-trading-key': HEX },
  { 'x-trading-key': HEX },
  { authorization: `Bearer ${CANARY.accountId}:${HEX}` },
  { authorization: `Basic ${HEX}` },
  { 'x-account-id': CANARY.accountId, 'x-trading-key': HEX, 'x-forwarded-proto': 'http' },
  { 'x-account-id': CANARY.accountId, 'x-trading-key': HEX, 'x-max-order-usdc': HEX },
  { 'x-account-id': CANARY.accountId, 'x-trading-key': HEX, 'x-read-only': HEX },
  { 'x-account-id': CANARY.accountId, 'x-trading-key': HEX, origin: `https://${HEX}.example` },
  { 'x-account-id': CANARY.accountId, 'x-trading-key': HEX, host: `${HEX}.example` },
  { ...modernHeaders(HEX, HEX), 'x-trading-key': HEX },
]

/** Answers of a server that is no service. */
const NO_SERVICE: readonly AnswerSpec[] = [
  { status: 500, body: '<html>', contentType: 'text/html' },
  { status: 401, json: { code: 'unauthorized', error: 'No.' } },
  'close',
]

/** Answers of the venue. */
const VENUE: readonly AnswerSpec[] = [
  { json: { success: false, code: -1002, message: `bad key ${HEX}` } },
  { status: 500, body: HEX, contentType: 'text/html' },
  'close',
]

const folder = mkdtempSync(join(tmpdir(), 'prepd-canary-'))
let venue: RecordingUpstream
let answer: AnswerSpec = 'close'
beforeAll(async () => {
  venue = await startRecordingUpstream(() => answer)
})
afterAll(async () => {
  await venue.stop()
  rmSync(folder, { recursive: true })
})

function expectNoCanaryInFiles(path: string): void {
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    expectNoCanary(file, readFileSync(file, 'latin1'))
  }
}

describe.each(TARGET_KINDS)('a secret in the headers of the agent endpoint (%s)', (kind) => {
  test('is in no answer, log or file, however the call fails', async () => {
    const data = join(folder, kind.replace(' ', '-'))
    const target = await openTarget(kind, {
      DATA_DIR: data,
      VENUE: venue.url,
      SWAP: 'off',
      LIMIT_MCP: 'off',
    })
    for (const spec of VENUE) {
      answer = spec
      for (const headers of HEADERS) {
        for (const message of MESSAGES) {
          const body = typeof message === 'string' ? message : JSON.stringify(message)
          const response = await target.fetch('/mcp', { method: 'POST', headers, body })
          expectNoCanary(
            `answer to ${body}`,
            `${await response.text()}${JSON.stringify([...response.headers])}`,
          )
        }
      }
    }
    for (const path of [`/mcp?x-trading-key=${HEX}`, `/mcp/${HEX}`, `/${HEX}`]) {
      const response = await target.fetch(path, { method: 'POST', body: '{}' })
      expectNoCanary(`answer of ${path}`, await response.text())
    }
    expectNoCanary('log', target.log())
    expectNoCanaryInFiles(data)
    await target.stop()
    expectNoCanaryInFiles(data)
  })
})

describe('a secret in the environment of an agent server', () => {
  const env = { SERVICE_ACCOUNT_ID: CANARY.accountId, SERVICE_TRADING_KEY: HEX, PREPD_LOG: 'debug' }

  // Slow: an agent server starts for each way in which its service fails.
  test.each([
    ['a service that answers nonsense', () => ({ ...env, SERVICE_API_URL: venue.url })],
    ['nobody at the other end', () => ({ ...env, SERVICE_API_URL: 'http://127.0.0.1:1' })],
    ['the embedded venue', () => ({ ...env, PREPD_DATA_DIR: join(folder, 'stdio') })],
  ])('is in no answer, on no error output and in no file, with %s', async (_, environment) => {
    for (const spec of NO_SERVICE) {
      answer = spec
      const { out, err, exitCode } = await runStdio(MESSAGES, environment())
      expect(exitCode).toBe(0)
      expect(out).not.toBe('')
      expectNoCanary('stdout', out)
      expectNoCanary('stderr', err)
    }
    expectNoCanaryInFiles(folder)
  })

  test.each([
    ['malformed', { SERVICE_TRADING_KEY: `${HEX}0` }],
    ['in the wrong place', { SERVICE_ACCOUNT_ID: HEX }],
    ['in the address', { SERVICE_API_URL: `http://user:${HEX}@127.0.0.1` }],
    ['named as a file', { SERVICE_TRADING_KEY_FILE: HEX }],
    ['given twice', { SERVICE_TRADING_KEY: HEX, SERVICE_TRADING_KEY_FILE: HEX }],
  ])('that is %s is refused and not repeated', async (_, environment) => {
    const { out, err, exitCode } = await runStdio([request('ping')], environment)
    expect({ out, exitCode }).toEqual({ out: '', exitCode: 64 })
    expect(err).toMatch(/^prepd: SERVICE_/)
    expectNoCanary('stderr', err)
  })
})

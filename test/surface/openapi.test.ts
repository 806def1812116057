// Slow: an independent linter reads the whole document.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../src/core/json.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { OPERATION_ROWS } from './recorded-venue.ts'
import { temporaryFolder } from './spawned.ts'

const REDOCLY = new URL('../../node_modules/.bin/redocly', import.meta.url).pathname

/** The named routes of the specification and how each is asked. */
const ROUTES: Readonly<Record<string, 'get' | 'post'>> = {
  '/api/prep/catalogue': 'get',
  '/api/prep/registration-nonce': 'get',
  '/api/prep/typed-data': 'post',
  '/api/prep/register': 'post',
  '/api/prep/trading-key': 'post',
  '/api/prep/webhook': 'post',
  '/api/prep/relay': 'post',
  '/api/prep/mandate': 'post',
  '/api/prep/approval': 'get',
  '/api/prep/approval/decision': 'post',
  '/api/prep/relay/approved': 'post',
  '/api/prep/standby': 'post',
  '/api/prep/markets': 'get',
  '/api/prep/market-rules': 'get',
  '/api/prep/orderbook': 'get',
  '/api/prep/candles': 'get',
  '/api/prep/trades': 'get',
  '/api/prep/funding': 'get',
  '/api/prep/config': 'get',
  '/api/prep/tokens': 'get',
  '/api/prep/deposit-chains': 'get',
  '/api/prep/insurance-fund': 'get',
  '/api/prep/liquidations': 'get',
  '/api/prep/leaderboard': 'get',
  '/api/prep/whales': 'get',
  '/api/prep/market-sessions': 'get',
  '/api/prep/points': 'get',
  '/api/prep/ws': 'get',
  '/api/prep/stream': 'get',
  '/api/prep/referral/verify': 'get',
  '/api/prep/referral/code': 'post',
  '/api/prep/referral/rate': 'post',
  '/api/swap/quote': 'get',
  '/api/swap/tokens': 'get',
  '/api/swap/chains': 'get',
  '/api/swap/status': 'get',
  '/api/relayer/voucher': 'post',
  '/mcp': 'post',
}

function hasMember(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((element) => hasMember(element, name))
  if (!isObject(value)) return false
  return Object.hasOwn(value, name) || Object.values(value).some((inner) => hasMember(inner, name))
}

describe.each([...TARGET_KINDS])('the OpenAPI document, %s', (kind) => {
  let target: Target
  let text = ''
  let document: Record<string, unknown> = {}

  beforeAll(async () => {
    target = await openTarget(kind, { SERVICE_NAME: 'acme' })
    text = await (await target.fetch('/swagger/json')).text()
    document = JSON.parse(text)
  })
  afterAll(async () => {
    await target.stop()
  })

  const paths = () => Object(document['paths'])

  test('is JSON of version 3.1, in the service’s own name', async () => {
    const response = await target.fetch('/swagger/json')
    expect(response.headers.get('content-type')).toStartWith('application/json')
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'acme API' } })
  })

  test('has every named route and every catalogued read with its method, and nothing else', () => {
    const reads = OPERATION_ROWS.map(({ id }) => [`/api/prep/op/${id}`, 'get'])
    const methods = Object.entries<object>(paths()).map(([path, item]) => [
      path,
      ...Object.keys(item),
    ])
    expect(Object.fromEntries(methods)).toEqual({ ...ROUTES, ...Object.fromEntries(reads) })
    expect(methods.filter(([, ...names]) => names.length !== 1)).toEqual([])
  })

  test.each([...OPERATION_ROWS])('has $id with its parameters', ({ id, required, optional }) => {
    const { parameters = [], operationId } = paths()[`/api/prep/op/${id}`].get
    expect(operationId).toBe(id)
    const names = parameters.map(({ name }: { name: string }) => name)
    expect(names.toSorted()).toEqual([...required, ...optional].sort())
    const callers = required.filter((name) => !name.startsWith('broker_id'))
    for (const parameter of parameters) expect(parameter.in).toBe('query')
    const needed = parameters.filter((parameter: { required: boolean }) => parameter.required)
    expect(needed.map(({ name }: { name: string }) => name).sort()).toEqual(callers.toSorted())
  })

  test('has the codes of the catalogue, no more and no fewer', async () => {
    const { errors } = Object(await (await target.fetch('/api/prep/catalogue')).json())
    const { schemas, responses } = Object(document['components'])
    const codes = errors.map(({ code }: { code: string }) => code)
    expect(schemas.Failure.properties.code.enum.toSorted()).toEqual(codes.toSorted())
    for (const { code, status, message } of errors) {
      expect(responses[`Failure${status}`].description).toContain(`${code}: ${message}`)
    }
  })

  test('every answer has a schema, and every reference leads somewhere', () => {
    for (const item of Object.values<Record<string, unknown>>(paths())) {
      for (const operation of Object.values(item)) {
        // A socket answers no body; everything else says what its body is.
        const { 101: upgraded, 200: answered } = Object(operation).responses
        const [body] = Object.values<object>(answered?.content ?? {})
        expect(upgraded ?? body).toHaveProperty(upgraded ? 'description' : 'schema')
      }
    }
    for (const [, reference = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = reference
        .split('/')
        .reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), document)
      expect([reference, found === undefined]).toEqual([reference, false])
    }
  })

  test('names the venue nowhere, and the operator only where a wallet signs', () => {
    expect(text).not.toMatch(/orderly|woofi|li\.fi|lifi"/i)
    const takers = ['register', 'trading-key'].map((name) => `/api/prep/${name}`)
    for (const [path, item] of Object.entries<Record<string, object>>(paths())) {
      for (const operation of Object.values(item)) {
        const { requestBody = {}, ...rest } = Object(operation)
        expect([path, hasMember(requestBody, 'brokerId')]).toEqual([path, takers.includes(path)])
        expect([path, hasMember(rest, 'brokerId')]).toEqual([path, false])
      }
    }
  })

  test('refers to nothing elsewhere', () => {
    expect(text).not.toMatch(/"https?:\/\/(?!127\.0\.0\.1:8080)/)
  })

  test('passes the recommended rules of a linter that knows nothing of us', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'openapi.json')
    writeFileSync(file, text)
    const config = join(folder.path, 'redocly.yaml')
    writeFileSync(config, 'extends:\n  - recommended\n')
    const lint = Bun.spawn([REDOCLY, 'lint', file, '--config', config, '--format', 'json'], {
      cwd: folder.path,
      env: {
        ...process.env,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        NO_COLOR: '1',
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [report, words] = await Promise.all([
      new Response(lint.stdout).text(),
      new Response(lint.stderr).text(),
    ])
    expect({
      code: await lint.exited,
      words: words.slice(0, 2000),
      report: report.slice(0, 4000),
    }).toMatchObject({ code: 0 })
  })
})

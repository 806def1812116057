import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FAILURES } from '../../src/contract/failures.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { PLACEHOLDER_VALUES, parameterExample } from '../../src/contract/reference/examples.ts'
import { ROUTES, type Route } from '../../src/contract/routes.ts'
import { isObject } from '../../src/core/json.ts'
import { UNLIMITED } from '../faults/unlimited.ts'
import { mutated } from '../fuzz/mutation.ts'
import { runs } from '../runs.ts'
import { openTarget, type Target } from '../target.ts'

const REQUESTS = runs(1000)
const SEED = 19
const AT_ONCE = 16

type Parameters = readonly { readonly name: string }[]

/** Path and query of a route or operation, each parameter with its example. */
function targetOf(id: string, path: string, parameters: Parameters = []): string {
  const query = new URLSearchParams()
  for (const { name } of parameters)
    query.set(name, String(parameterExample(id, name, PLACEHOLDER_VALUES) ?? ''))
  return query.size > 0 ? `${path}?${query}` : path
}

const NAMED = Object.entries<Route>(ROUTES).filter(([id]) => id !== 'operation')

function namedBy(method: Route['method']): string[] {
  return NAMED.filter(([, route]) => route.method === method).map(([id, { path, parameters }]) =>
    targetOf(id, path, parameters),
  )
}

const PAGES = [
  ...['/', '/trade', '/trade/PERP_ETH_USDC', '/trade/index.html', '/trade/NOTICE', '/favicon.svg'],
  ...['/swagger', '/swagger/json', '/swagger/streams.json', '/swagger/samples/relay.py'],
]
const READS = [
  ...namedBy('GET'),
  ...Object.entries(OPERATIONS).map(([id, { parameters }]) =>
    targetOf(id, `/api/prep/op/${id}`, parameters),
  ),
  ...PAGES,
]
const WRITES = [...namedBy('POST'), '/swagger/practice/relay', '/api/admin/limits/set']

const BODIES = [
  '{"kind":"register","chainId":42161}',
  `{"message":{"chainId":42161,"timestamp":1,"registrationNonce":"1"},"signature":"0x00","address":"${PLACEHOLDER_VALUES.address}"}`,
  `{"method":"GET","path":"/v1/positions","auth":{"accountId":"${PLACEHOLDER_VALUES.accountId}","key":"${PLACEHOLDER_VALUES.key}","signature":"${'A'.repeat(86)}","timestamp":"1700000000000"}}`,
  `{"accountId":"${PLACEHOLDER_VALUES.accountId}","code":"PRACTICE"}`,
  `{"chainId":42161,"txHash":"${PLACEHOLDER_VALUES.vaultId}","logIndex":3}`,
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_markets","arguments":{}}}',
]

/** Escapes that are not UTF-8. */
const UNREADABLE = ['%', '%ff', '%zz', '%c3%28', '%ed%a0%80'] as const

/** Targets as they are, changed as texts, or with a last segment that cannot be read. */
function near(targets: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...targets), mutated(targets), fc.nat(5), fc.constantFrom(...UNREADABLE))
    .map(([valid, changed, way, segment]) => {
      if (way < 2) return valid
      if (way === 2) return valid.replace(/[^/?]*(?=\?|$)/, segment)
      return `/${changed.replace(/^\/+/, '')}`
    })
}

const HEADERS = [
  {},
  { 'accept-encoding': 'zstd, gzip;q=0', 'if-none-match': '*, "' },
  { 'x-forwarded-for': 'nobody, 203.0.113.9', origin: 'null' },
  { traceparent: '00-zz-zz-zz', 'x-request-id': '"', 'last-event-id': '\u00ff' },
  { authorization: 'Bearer ', 'x-account-id': 'x', 'x-trading-key': 'x' },
] as const satisfies readonly Readonly<Record<string, string>>[]

const read = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST'),
  path: near(READS),
  headers: fc.constantFrom(...HEADERS),
})
const write = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'PUT', 'DELETE', 'GET'),
  path: near(WRITES),
  headers: fc.constantFrom(...HEADERS),
  type: fc.constantFrom('application/json', 'application/json', 'text/plain', ''),
  body: mutated(BODIES),
})

type Generated = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly type?: string
  readonly body?: string
}

describe('anonymous requests', () => {
  let prepd: Target
  beforeAll(async () => {
    const settings = { SWAP: 'embedded', VENUE_CLOCK: 'virtual', LOG: 'error', ...UNLIMITED }
    prepd = await openTarget('compiled binary', settings)
  })
  afterAll(() => prepd.stop())

  const send = ({ method, path, headers, type, body }: Generated): Promise<Response> =>
    prepd.fetch(path, {
      method,
      headers: { ...headers, ...(type && { 'content-type': type }) },
      redirect: 'manual',
      ...(body !== undefined && method !== 'GET' && { body }),
    })

  // Slow: a thousand generated requests are sent one after the other.
  test(`${REQUESTS} generated ones are refused from the closed list alone, and none crashes`, async () => {
    const generated: readonly Generated[] = fc.sample(fc.oneof(read, write), {
      numRuns: REQUESTS,
      seed: SEED,
    })
    const statuses = new Set<number>()
    const wrong: string[] = []
    for (let from = 0; from < REQUESTS; from += AT_ONCE) {
      await Promise.all(
        generated.slice(from, from + AT_ONCE).map(async (one) => {
          const response = await send(one)
          statuses.add(response.status)
          const found = await wrongIn(response, one.method)
          if (found) wrong.push(`${found}: ${JSON.stringify(one)}`)
        }),
      )
    }
    expect(wrong).toEqual([])
    expect([...statuses]).toEqual(expect.arrayContaining([200, 302, 400, 404, 405, 415]))
    expect(prepd.log()).not.toMatch(/"crash"|panic/)
  })

  test.each(['op', 'nothing'])(
    '%s: a path whose escapes cannot be read leads nowhere',
    async (family) => {
      for (const segment of UNREADABLE) {
        const response = await prepd.fetch(`/api/prep/${family}/${segment}`)
        expect(response.status).toBe(404)
        expect(await response.json()).toMatchObject({
          code: 'not_found',
          meta: { reason: 'unknown_route' },
        })
      }
      const known = await prepd.fetch('/api/prep/op/markets%2Eleverage')
      expect(known.status).toBe(200)
    },
  )
})

/** Statuses of 500 and more that a deployment without keys has a reason for. */
const EXPECTED: ReadonlySet<string> = new Set(['not_configured'])
/** The route whose failures have no code. */
const CODELESS = 'Vouchers are not available on this deployment.'

/** What an answer has that it should not have; null for nothing. */
async function wrongIn(response: Response, method: string): Promise<string | null> {
  const { status } = response
  if (status < 400 || method === 'HEAD') {
    await response.body?.cancel()
    return status < 500 ? null : `${status}`
  }
  const body: unknown = await response.json().catch(() => null)
  if (!isObject(body)) return `${status} without a body`
  const { code, error } = body
  if (typeof code !== 'string')
    return status < 500 || error === CODELESS ? null : `${status} ${error}`
  if (Object.entries(FAILURES).find(([name]) => name === code)?.[1].status !== status)
    return `${status} ${code}`
  return status < 500 || EXPECTED.has(code) ? null : `${status} ${code}`
}

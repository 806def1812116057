import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isOperationId, OPERATIONS, type OperationId } from '../../../src/contract/operations.ts'
import { Failure } from '../../../src/core/failure.ts'
import { optionalValue, parseQuery } from '../../../src/core/query.ts'
import { operationCall } from '../../../src/upstream/wire/operation-path.ts'
import { runs } from '../../runs.ts'

const call = (id: OperationId, search: string) => operationCall(id, parseQuery(search), 'demo')

const IDS = Object.keys(OPERATIONS).filter(isOperationId)

describe('a path is built', () => {
  const cases: [OperationId, string, string][] = [
    ['markets.list', '', '/v1/public/futures'],
    ['markets.get', '?symbol=PERP_ETH_USDC', '/v1/public/futures/PERP_ETH_USDC'],
    ['markets.get', '?symbol=a%2Fb', '/v1/public/futures/a%2Fb'],
    ['markets.get', '?symbol=%252e%252e', '/v1/public/futures/%252e%252e'],
    ['markets.get', '?symbol=...', '/v1/public/futures/...'],
    ['markets.get', '?symbol=$%26', '/v1/public/futures/%24%26'],
    ['markets.get', '?symbol={symbol}', '/v1/public/futures/%7Bsymbol%7D'],
    ['markets.trades', '?limit=5&symbol=X', '/v1/public/market_trades?symbol=X&limit=5'],
    ['markets.trades', '?symbol=X&limit=', '/v1/public/market_trades?symbol=X'],
    ['markets.trades', '?symbol=a%26limit%3D9', '/v1/public/market_trades?symbol=a%26limit%3D9'],
    ['markets.trades', '?symbol=X&depth=9&limit=5', '/v1/public/market_trades?symbol=X&limit=5'],
    [
      'markets.trades',
      "?symbol=!'()*%23+%3F",
      '/v1/public/market_trades?symbol=%21%27%28%29%2A%23%20%3F',
    ],
    ['charts.config', '', '/v1/tv/config?locale=en'],
    ['charts.config', '?locale=de', '/v1/tv/config?locale=en'],
    [
      'charts.history',
      '?symbol=X&resolution=60&countback=10',
      '/v1/tv/history?symbol=X&resolution=60&countback=10&from=0&to=9999999999',
    ],
    [
      'charts.history',
      '?symbol=X&resolution=60&to=20',
      '/v1/tv/history?symbol=X&resolution=60&to=20&from=0',
    ],
    [
      'account.keyInfo',
      '?account_id=0x1&key=ed25519:A',
      '/v1/get_orderly_key?account_id=0x1&orderly_key=ed25519%3AA&broker_id=demo',
    ],
    [
      'account.keyInfo',
      '?account_id=0x1&key=k&orderly_key=other',
      '/v1/get_orderly_key?account_id=0x1&orderly_key=k&broker_id=demo',
    ],
    [
      'referral.check',
      '?account_id=0x1&referral_code=X',
      '/v1/public/referral/check_ref_code?account_id=0x1',
    ],
    ['platform.announcementsV2', '', '/v2/public/announcement'],
  ]
  test.each(cases)('%s %s', (id, search, path) => {
    expect(call(id, search).path).toBe(path)
  })
})

describe('the operator’s id', () => {
  const injecting = IDS.filter((id) => OPERATIONS[id].inject)

  test('is sent wherever an operation lists it, whatever the caller sent', () => {
    expect(injecting.length).toBe(14)
    for (const id of injecting) {
      const [name = ''] = OPERATIONS[id].inject ?? []
      for (const search of [
        '',
        `&${name}=`,
        `&${name}=other`,
        `&${name}=a&${name}=b`,
        `&${name}=%zz`,
      ]) {
        const { path, cacheKey } = call(id, `?${requiredOf(id)}${search}`)
        expect(new URL(path, 'https://x.invalid').searchParams.getAll(name)).toEqual(['demo'])
        expect(cacheKey).toBe(call(id, `?${requiredOf(id)}`).cacheKey)
      }
    }
  })

  test('is sent nowhere else', () => {
    for (const id of IDS.filter((known) => !OPERATIONS[known].inject)) {
      expect(call(id, `?${requiredOf(id)}&broker_id=other&broker_ids=other`).path).not.toContain(
        'broker_id',
      )
    }
  })

  test('is encoded like any other value', () => {
    const { path } = operationCall('platform.chains', parseQuery(''), 'a&b=c')
    expect(path).toBe('/v1/public/chain_info?broker_id=a%26b%3Dc')
  })
})

describe('a refusal names the parameter', () => {
  const cases: [string, OperationId, string, string][] = [
    ['missing', 'markets.get', '', 'symbol'],
    ['empty', 'markets.get', '?symbol=', 'symbol'],
    ['the first one missing', 'charts.klineHistory', '?symbol=X&to=1', 'resolution'],
    ['repeated', 'markets.trades', '?symbol=X&symbol=X', 'symbol'],
    ['repeated, optional', 'markets.trades', '?symbol=X&limit=1&limit=2', 'limit'],
    ['malformed', 'markets.trades', '?symbol=X&limit=%zz', 'limit'],
    ['a dot segment', 'markets.get', '?symbol=.', 'symbol'],
    ['two dots', 'funding.get', '?symbol=..', 'symbol'],
    ['encoded dots', 'markets.rulesFor', '?symbol=%2e%2E', 'symbol'],
    ['a control character', 'markets.get', '?symbol=a%00', 'symbol'],
    ['a newline', 'markets.get', '?symbol=a%0d%0ab', 'symbol'],
    ['a late control character', 'markets.get', '?symbol=a%C2%85', 'symbol'],
  ]
  test.each(cases)('%s', (_, id, search, parameter) => {
    let failure: unknown
    try {
      call(id, search)
    } catch (error) {
      failure = error
    }
    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({ code: 'invalid_request', meta: { parameter } })
  })
})

describe('a cache key', () => {
  test('is the id alone where nothing is asked', () => {
    expect(call('markets.list', '?x=1').cacheKey).toBe('op:markets.list')
  })

  test('is the same however the query is ordered, spelt or padded', () => {
    const key = 'op:markets.trades?symbol=A%20B&limit=5'
    for (const search of [
      '?symbol=A+B&limit=5',
      '?limit=5&symbol=A%20B',
      '?limit=%35&x=1&symbol=A+B&y',
    ]) {
      expect(call('markets.trades', search).cacheKey).toBe(key)
    }
  })

  test('differs whenever the path does, and holds no raw value', () => {
    expect(call('markets.get', '?symbol=a%26b').cacheKey).toBe('op:markets.get?symbol=a%26b')
    expect(call('campaigns.stats', '?campaign_id=1').cacheKey).not.toBe(
      call('campaigns.stats', '?campaign_id=2').cacheKey,
    )
  })
})

describe('whatever the values are', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom(
        '.',
        '/',
        '%',
        '2',
        'e',
        'f',
        '\\',
        '?',
        '#',
        '&',
        '=',
        '+',
        '{',
        '}',
        "'",
      ),
    }),
    fc.constantFrom('.', '..', '%2e', '%2e%2e', '../..', '//x', '\t', 'a/../b', '$&'),
  )

  test('the path keeps the segments of its template, and no URL parser rewrites it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...IDS), fc.infiniteStream(value), (id, values) => {
        const given = OPERATIONS[id].parameters.map(({ name }) => [name, values.next().value])
        const search = `?${new URLSearchParams(Object.fromEntries(given))}`
        const path = pathOrRefusal(id, search)
        if (path === undefined) return
        const url = new URL(path, 'https://x.invalid')
        expect(url.pathname + url.search).toBe(path)
        expect(url.host + url.hash).toBe('x.invalid')
        expectTemplate(url, id, search)
      }),
      { numRuns: runs(500) },
    )
  })
})

/** Every segment that is not a parameter stands where it stood; every one that is decodes to what was given. */
function expectTemplate(url: URL, id: OperationId, search: string): void {
  const query = parseQuery(search)
  const template = OPERATIONS[id].path.split('/')
  const segments = url.pathname.split('/')
  expect(segments.length).toBe(template.length)
  for (const [index, part] of template.entries()) {
    const name = /^\{(.+)\}$/.exec(part)?.[1]
    expect(decodeURIComponent(segments[index] ?? '')).toBe(
      name ? (optionalValue(query, name) ?? '') : part,
    )
  }
  const listed = OPERATIONS[id].parameters.map(({ name, upstreamName }) => upstreamName ?? name)
  const known = new Set([...listed, ...Object.keys(OPERATIONS[id].fallback ?? {})])
  for (const name of url.searchParams.keys()) expect(known).toContain(name)
}

function pathOrRefusal(id: OperationId, search: string): string | undefined {
  try {
    return call(id, search).path
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request' })
    return undefined
  }
}

function requiredOf(id: OperationId): string {
  const names = OPERATIONS[id].parameters.filter(({ required }) => required)
  return names.map(({ name }) => `${name}=1`).join('&')
}

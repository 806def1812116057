import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { payloadOf } from './payload.ts'
import {
  OPERATION_ROWS,
  OPERATOR_PARAMETERS,
  type OperationRow,
  operationAnswer,
  operationUrl,
  sampleOf,
  startRecordedVenue,
} from './recorded-venue.ts'

const OPERATOR = 'operator-7'
const FORWARDED = OPERATION_ROWS.filter(({ forwarded }) => forwarded !== false)
const isOperators = (name: string) => OPERATOR_PARAMETERS.includes(name)

/** The query a row must arrive with, in any order. */
function expectedQuery(row: OperationRow, given: readonly string[]): Record<string, string> {
  const operators = [...row.required, ...row.optional].filter(isOperators)
  const callers = given.filter((name) => !isOperators(name) && !row.path.includes(`{${name}}`))
  return {
    ...row.fallback,
    ...Object.fromEntries(operators.map((name) => [name, OPERATOR])),
    ...Object.fromEntries(
      callers.map((name) => [row.upstreamNames?.[name] ?? name, sampleOf(name)]),
    ),
  }
}

test('the table holds every catalogued read once', () => {
  expect(OPERATION_ROWS).toHaveLength(88)
  expect(new Set(OPERATION_ROWS.map(({ id }) => id)).size).toBe(88)
})

describe.each([...TARGET_KINDS])('catalogued reads, %s', (kind) => {
  let main: Awaited<ReturnType<typeof startRecordedVenue>>
  let vaults: Awaited<ReturnType<typeof startRecordedVenue>>
  let target: Target

  beforeAll(async () => {
    main = await startRecordedVenue(operationAnswer)
    vaults = await startRecordedVenue(operationAnswer)
    target = await openTarget(kind, {
      VENUE: main.url,
      VENUE_VAULTS: vaults.url,
      BROKER_ID: OPERATOR,
    })
  })
  afterAll(async () => {
    await target.stop()
    await main.stop()
    await vaults.stop()
  })

  const counts = () => ({ main: main.received.length, vaults: vaults.received.length })

  async function askedFor(path: string, of = target) {
    const before = counts()
    const response = await of.fetch(path)
    const sent = [
      ...main.received.slice(before.main).map((request) => ({ host: 'main', ...request })),
      ...vaults.received.slice(before.vaults).map((request) => ({ host: 'vaults', ...request })),
    ]
    return { response, sent }
  }

  function expectSent(
    sent: readonly { host: string; target: string }[],
    row: OperationRow,
    given: readonly string[],
  ) {
    expect(sent).toHaveLength(1)
    const url = new URL(sent[0]?.target ?? '', 'http://venue')
    expect(sent[0]?.host).toBe(row.host)
    expect(url.pathname).toBe(row.path.replace('{symbol}', sampleOf('symbol')))
    expect(Object.fromEntries(url.searchParams)).toEqual(expectedQuery(row, given))
    expect(url.searchParams.size).toBe(Object.keys(expectedQuery(row, given)).length)
  }

  test.each([...FORWARDED])(
    '$id reaches its path with what is listed and nothing else',
    async (row) => {
      const all = [...row.required, ...row.optional].filter((name) => !isOperators(name))
      const foreign = { broker_id: 'somebody-else', broker_ids: 'somebody-else', colour: 'red' }
      const { response, sent } = await askedFor(operationUrl(row, all, foreign))
      expect(response.status).toBe(200)
      expectSent(sent, row, all)
      expect(sent[0]).toMatchObject({ method: 'GET', text: '' })
      expect(await response.json()).toEqual(payloadOf(row))
    },
  )

  test.each([...FORWARDED])('$id says how long it may be kept', async (row) => {
    const { response } = await askedFor(operationUrl(row, row.required))
    const { cacheSeconds } = row
    const control = response.headers.get('cache-control')
    if (cacheSeconds === 0) expect(control).toBe('no-store')
    else expect(control).toStartWith(`public, max-age=${cacheSeconds}, `)
    const isTagged = cacheSeconds > 0 && (await response.text()).length >= 1024
    expect(response.headers.has('etag')).toBe(isTagged)
  })

  test('what is optional may be left out', async () => {
    const free = FORWARDED.filter(({ optional }) => optional.some((name) => !isOperators(name)))
    expect(free.length).toBeGreaterThan(15)
    const other = await openTarget(kind, {
      VENUE: main.url,
      VENUE_VAULTS: vaults.url,
      BROKER_ID: OPERATOR,
    })
    for (const row of free) {
      const { response, sent } = await askedFor(operationUrl(row, row.required), other)
      expect(response.status).toBe(200)
      expectSent(sent, row, row.required)
    }
    await other.stop()
  })

  const needs = OPERATION_ROWS.flatMap((row) =>
    row.required.filter((name) => !isOperators(name)).map((name) => ({ row, id: row.id, name })),
  )
  test.each(needs)(
    '$id without $name is refused by name, and nothing is sent',
    async ({ row, name }) => {
      const others = row.required.filter((other) => other !== name)
      for (const url of [operationUrl(row, others), operationUrl(row, others, { [name]: '' })]) {
        const { response, sent } = await askedFor(url)
        expect(response.status).toBe(400)
        expect(await response.json()).toMatchObject({
          code: 'invalid_request',
          meta: { parameter: name },
        })
        expect(sent).toEqual([])
      }
    },
  )

  const ofOneMarket = FORWARDED.filter(({ required, optional }) =>
    [...required, ...optional].includes('symbol'),
  )
  test.each(ofOneMarket)(
    '$id knows no market that carries a builder’s suffix, and nothing is sent',
    async (row) => {
      for (const symbol of ['PERP_MOON_USDC_demo-x', 'PERP_BTC_USDC_woofi_pro', 'PERP_btc_USDC']) {
        const { response, sent } = await askedFor(operationUrl(row, row.required, { symbol }))
        expect(response.status).toBe(404)
        expect(await response.json()).toMatchObject({ code: 'not_found' })
        expect(sent).toEqual([])
      }
    },
  )

  test('the table has reads of one market', () => {
    expect(ofOneMarket.length).toBeGreaterThan(10)
  })

  test('an operator parameter is never missing', async () => {
    for (const id of ['builder.listOrderTags', 'builder.getOrderTag']) {
      const row = OPERATION_ROWS.find((known) => known.id === id)
      expect(row?.required).toContain('broker_id')
      const { response } = await askedFor(`/api/prep/op/${id}?enum_id=9`)
      expect(response.status).toBe(200)
    }
  })

  test('the caller’s address is told by prepd itself', async () => {
    const before = counts()
    const response = await target.fetch('/api/prep/op/platform.ipInfo', {
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    expect(await response.json()).toEqual({
      ip: '203.0.113.9',
      city: '',
      region: '',
      checked: false,
    })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(counts()).toEqual(before)
  })

  test('what needs an operator key is not configured, and nothing is sent', async () => {
    const { response, sent } = await askedFor(
      '/api/prep/op/builder.dailyRevenue?start_date=2026-01-01&end_date=2026-01-02',
    )
    expect(await response.json()).toMatchObject({ code: 'not_configured' })
    expect(sent).toEqual([])
  })
})

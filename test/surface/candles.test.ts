import { describe, expect, test } from 'bun:test'
import type { AnswerSpec } from '../recording-upstream.ts'
import { openTarget, USUAL_KINDS } from '../target.ts'
import { marketFixture } from './market-fixture.ts'
import { recordedAnswer } from './recorded-venue.ts'

const BTC = 'symbol=PERP_BTC_USDC'

/** The last of so many bars of twelve hours, as the venue's charts have them. */
function chart(bars: number, end = bars): AnswerSpec {
  const column = (value: (at: number) => number) =>
    Array.from({ length: bars }, (_, at) => value(end - bars + at))
  const t = column((at) => 1_700_006_400 + at * 43_200)
  const [o, h, l] = [column((at) => at + 0.5), column((at) => at + 2), column((at) => at)]
  return { json: { s: 'ok', t, o, h, l, c: column((at) => at + 1), v: column(() => 1e-7), a: o } }
}

describe.each([...USUAL_KINDS])('candles, %s', (kind) => {
  const { answers, get } = marketFixture(kind)

  test('an interval that is empty is no interval', async () => {
    for (const query of [`${BTC}&interval=`, `interval=&${BTC}`]) {
      const { status, body } = await get(`candles?${query}`)
      expect([status, body.code, body.meta]).toMatchObject([
        400,
        'invalid_request',
        { parameter: 'interval', reason: 'malformed' },
      ])
    }
  })

  test('oldest first, a hundred of an hour unless asked otherwise', async () => {
    const { body, sent } = await get(`candles?${BTC}`)
    const times = body.rows.map(({ timestamp }: { timestamp: number }) => timestamp)
    expect(times).toEqual(times.toSorted((a: number, b: number) => a - b))
    expect(JSON.parse(sent[0]?.text ?? '')).toEqual({
      type: 'candles',
      symbol: 'PERP_BTC_USDC',
      interval: '1h',
      limit: 100,
    })
  })

  test('five hundred of twelve hours on request, each as the venue made it', async () => {
    answers(({ target: asked }) =>
      chart(Math.min(1000, Number(new URL(asked, 'http://venue').searchParams.get('limit'))), 1000),
    )
    const { body, sent } = await get(`candles?${BTC}&interval=12h&limit=500`)
    expect(sent).toHaveLength(1)
    const { pathname, searchParams } = new URL(sent[0]?.asked ?? '', 'http://venue')
    expect(pathname).toBe('/v1/tv/kline_history')
    const { to, ...rest } = Object.fromEntries(searchParams)
    expect(rest).toEqual({
      symbol: 'PERP_BTC_USDC',
      resolution: '12h',
      from: '0',
      limit: '500',
    })
    expect(Number(to)).toBeWithin(Date.now() / 1000 - 60, Date.now() / 1000 + 2)
    expect(body.rows).toHaveLength(500)
    expect(body.rows[0]).toEqual({
      open: '500.5',
      high: '502',
      low: '500',
      close: '501',
      volume: '0.0000001',
      timestamp: 1000 * (1_700_006_400 + 500 * 43_200),
    })
  })

  test('never more than were asked for, and no bar of which a part is missing', async () => {
    answers(() => {
      const { json } = Object(chart(9))
      return { json: { ...json, c: [null, ...json.c.slice(1, -1)] } }
    })
    const { rows } = (await get(`candles?${BTC}&interval=12h&limit=6`)).body
    expect(rows.map(({ open }: Record<string, unknown>) => open)).toEqual(
      [2, 3, 4, 5, 6, 7].map((at) => String(at + 0.5)),
    )
  })

  test('of twelve hours end where those of four do, by the venue’s own time', async () => {
    // Its third bar of four hours, in its first of twelve: made with the world, which then lives for a minute.
    const VENUE_START = '2026-01-01T11:06:40Z'
    const virtual = { VENUE_CLOCK: 'virtual', VENUE_START, OPS_LISTEN: '127.0.0.1:0' }
    const own = await openTarget(kind, virtual)
    expect((await own.fetch('/api/prep/markets')).status).toBe(200)
    await own.ops('/venue/advance?ms=60000', { method: 'POST' })
    const lastOf = async (interval: string) => {
      const response = await own.fetch(`/api/prep/candles?${BTC}&interval=${interval}&limit=2`)
      return Object(await response.json()).rows.at(-1)
    }
    const [four, twelve] = [await lastOf('4h'), await lastOf('12h')]
    await own.stop()
    expect(Number(twelve.close)).toBe(Number(four.close))
    expect(four.timestamp - twelve.timestamp).toBe(2 * 14_400_000)
  })

  test('a market without a chart is one without candles, and an unknown one is not found', async () => {
    answers((request) =>
      request.target.includes('kline') ? { json: { s: 'no_data' } } : recordedAnswer(request),
    )
    expect((await get(`candles?${BTC}&interval=12h&limit=9`)).body).toEqual({ rows: [] })
    expect((await get('candles?symbol=PERP_NOPE_USDC&interval=12h')).status).toBe(404)
  })

  test.each(['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w'])(
    '%s is asked for as it is',
    async (interval) => {
      const { status, sent } = await get(`candles?${BTC}&interval=${interval}&limit=3`)
      expect(status).toBe(200)
      expect(JSON.parse(sent[0]?.text ?? '')).toMatchObject({ interval, limit: 3 })
    },
  )
})

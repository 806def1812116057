import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type AnswerSpec, type Recorded, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import routes from '../vectors/upstream/routes.json'
import { recordedAnswer } from './recorded-venue.ts'

const BTC = 'symbol=PERP_BTC_USDC'

describe.each([...TARGET_KINDS])('market data, %s', (kind) => {
  let answer: ((request: Recorded) => AnswerSpec) | null = null
  let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target

  beforeAll(async () => {
    venue = await startRecordingUpstream((request) => (answer ?? recordedAnswer)(request))
    target = await openTarget(kind, { VENUE: venue.url, BROKER_ID: 'operator-7' })
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })
  beforeEach(() => {
    answer = null
  })

  async function get(path: string) {
    const before = venue.requests.length
    const response = await target.fetch(`/api/prep/${path}`)
    const body = Object(await response.json())
    const sent = venue.requests.slice(before).map(({ target: asked, text }) => ({ asked, text }))
    return { status: response.status, body, sent }
  }

  test('markets: the active ones of everybody, by turnover, with base and change', async () => {
    const { body } = await get('markets')
    const rows = body.markets.map(({ symbol, base, change24hPct }: Record<string, unknown>) => [
      symbol,
      base,
      change24hPct,
    ])
    expect(rows).toEqual([
      ['PERP_SOL_USDC', 'SOL', 0],
      ['PERP_BTC_USDC', 'BTC', 1.1931],
      ['PERP_ETH_USDC', 'ETH', 2.3859],
      ['PERP_1INCH_USDC', '1INCH', -50],
    ])
    expect(body.markets[3].display_symbol_name).toBe('1INCH')
  })

  test('markets: a venue that says nothing of status lists active markets', async () => {
    const rows = routes.futures.data.rows.map(({ status: _, ...row }) => row)
    answer = () => ({ json: { success: true, data: { rows } } })
    const other = await openTarget(kind, { VENUE: venue.url })
    const { markets } = Object(await (await other.fetch('/api/prep/markets')).json())
    await other.stop()
    expect(markets).toHaveLength(5)
    expect(new Set(markets.map(({ status }: { status: string }) => status))).toEqual(
      new Set(['ACTIVE']),
    )
  })

  test('rules: the highest leverage is one over the initial margin rate, rounded; no row of a builder', async () => {
    const { body } = await get('market-rules')
    expect(
      body.rules.map(({ symbol, maxLeverage }: Record<string, unknown>) => [symbol, maxLeverage]),
    ).toEqual([
      ['PERP_BTC_USDC', 100],
      ['PERP_ETH_USDC', 100],
      ['PERP_SOL_USDC', 7],
    ])
    expect(body.rules[0].info).not.toHaveProperty('status')
  })

  test('order book: asked for by name, its strings as the venue wrote them', async () => {
    const { body, sent } = await get(`orderbook?${BTC}`)
    expect(body).toEqual(routes.orderbook.data)
    expect(sent.map(({ asked }) => asked)).toEqual(['/v1/public/query'])
    expect(JSON.parse(sent[0]?.text ?? '')).toMatchObject({
      type: 'orderbook',
      symbol: 'PERP_BTC_USDC',
    })
  })

  test('order book: an empty side leaves no middle and no spread', async () => {
    answer = () => ({ json: routes.oneSidedBook })
    const { body } = await get(`orderbook?${BTC}`)
    expect(body).toEqual({ ...routes.oneSidedBook.data, mid_price: '', spread: '' })
  })

  test('candles: oldest first, a hundred of an hour unless asked otherwise', async () => {
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

  test('candles: twelve hours are made of three times four', async () => {
    const { body, sent } = await get(`candles?${BTC}&interval=12h&limit=2`)
    expect(JSON.parse(sent[0]?.text ?? '')).toMatchObject({ interval: '4h', limit: 8 })
    const [first] = routes.candles.data.rows.slice(-1)
    const start = (first?.timestamp ?? 0) + 43_200_000
    expect(body.rows).toEqual([
      { open: '99.0', high: '111.0', low: '96.10', close: '110.0', volume: '60', timestamp: start },
      {
        open: '110.0',
        high: '112.0',
        low: '109.0',
        close: '111.5',
        volume: '0.1',
        timestamp: start + 43_200_000,
      },
    ])
  })

  test.each(['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w'])(
    'candles: %s is asked for as it is',
    async (interval) => {
      const { status, sent } = await get(`candles?${BTC}&interval=${interval}&limit=3`)
      expect(status).toBe(200)
      expect(JSON.parse(sent[0]?.text ?? '')).toMatchObject({ interval, limit: 3 })
    },
  )

  const CLAMPED = [
    { route: 'candles', name: 'limit', max: 500, usual: 100, kept: true },
    { route: 'trades', name: 'limit', max: 200, usual: 50, kept: false },
    { route: 'liquidations', name: 'size', max: 100, usual: 20, kept: true },
    { route: 'leaderboard', name: 'limit', max: 200, usual: 50, kept: true },
    { route: 'whales', name: 'limit', max: 200, usual: 25, kept: true },
  ]
  const GIVEN = ['', '0', '-5', '7.9', '99999', 'many', '1e2', '0x10']
  test.each(CLAMPED)(
    '$route: $name is $usual, at least 1 and at most $max',
    async ({ route, name, usual, max, kept }) => {
      const other = await openTarget(kind, { VENUE: venue.url })
      const before = venue.requests.length
      for (const given of GIVEN) {
        const query = `${route === 'candles' || route === 'trades' ? `${BTC}&` : ''}${name}=${given}`
        expect((await other.fetch(`/api/prep/${route}?${query}`)).status).toBe(200)
      }
      await other.stop()
      const asked = venue.requests.slice(before).map(({ target: path, text }) => {
        const query = new URL(path, 'http://venue').searchParams
        return text ? JSON.parse(text)[name] : Number(query.get(name))
      })
      const expected = [usual, 1, 1, 7, max, usual, usual, usual]
      expect(asked).toEqual(kept ? [...new Set(expected)] : expected)
    },
  )

  test.each([
    { query: '', sortBy: 'volume_24h', row: { volume: 1000, pnl: -10.5 } },
    { query: '?window=7d&sort=pnl', sortBy: 'pnl_7d', row: { volume: 2000, pnl: 20.3 } },
    { query: '?window=30d', sortBy: 'volume_30d', row: { volume: 5000, pnl: 50.2 } },
    { query: '?window=1y&sort=luck&limit=x', sortBy: 'volume_24h', row: { volume: 1000 } },
    { query: '?sort=notional&window=7d', sortBy: 'notional', row: { notional: 123.45 } },
  ])('leaderboard$query is ranked by $sortBy', async ({ query, sortBy, row }) => {
    const other = await openTarget(kind, { VENUE: venue.url })
    const before = venue.requests.length
    const body = Object(await (await other.fetch(`/api/prep/leaderboard${query}`)).json())
    await other.stop()
    expect(JSON.parse(venue.requests[before]?.text ?? '')).toMatchObject({
      type: 'topAddresses',
      sort_by: sortBy,
    })
    expect(body).toMatchObject({
      total: 3,
      updatedAt: 1_779_269_143_700,
      rows: [{ rank: 1, ...row }, { rank: 2 }, { rank: 3 }],
    })
    expect(body.rows[0].address).toStartWith('0xa8ec')
    expect(body.rows[0].address).toEndWith('ab40')
    expect(body.rows[0].address.length).toBeLessThan(20)
  })

  test('leaderboard: never more rows than were asked for, whatever the venue sends', async () => {
    const { body } = await get('leaderboard?limit=2&window=30d')
    expect(body.rows.map(({ rank }: Record<string, unknown>) => rank)).toEqual([1, 2])
    expect(body.total).toBe(2)
  })

  test('leaderboard: what makes no sense, even twice, is the default', async () => {
    expect((await get('leaderboard?window=7d&window=30d&sort=&limit=1&limit=2')).status).toBe(200)
    expect((await get('whales?limit=1&limit=2')).status).toBe(200)
  })

  test('tokens: the chain is a string, whichever way the venue wrote it', async () => {
    const { body } = await get('tokens')
    const chains = body.rows.flatMap((row: Record<string, unknown[]>) => row['chain_details'])
    expect(chains.map((chain: Record<string, unknown>) => chain['chain_id'])).toEqual([
      '4200',
      '42161',
      '8453',
      '10',
    ])
  })

  test('deposit chains: those with a USDC address, in the operator’s name', async () => {
    const { body, sent } = await get('deposit-chains')
    expect(sent.map(({ asked }) => asked).sort()).toEqual([
      '/v1/public/chain_info?broker_id=operator-7',
      '/v1/public/token',
    ])
    expect(body.rows).toMatchObject([
      { chainId: 42_161, name: 'Arbitrum', withdrawalFee: 1, decimals: 6, nativeSymbol: 'ETH' },
      {
        chainId: 8453,
        name: 'Base',
        withdrawalFee: 0.5,
        usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      },
    ])
    expect(body.rows).toHaveLength(2)
  })

  test('config: the steps are numbers', async () => {
    expect((await get('config')).body).toEqual({ leverageSteps: [1, 2, 3, 5, 10, 20, 50, 100] })
  })

  test('insurance fund: the venue’s own object', async () => {
    expect((await get('insurance-fund')).body).toEqual(routes.insurance.data)
  })
})

import { describe, expect, test } from 'bun:test'
import { USUAL_KINDS } from '../target.ts'
import routes from '../vectors/upstream/routes.json'
import { marketFixture } from './market-fixture.ts'

const BTC = 'symbol=PERP_BTC_USDC'

describe.each([...USUAL_KINDS])('market data, %s', (kind) => {
  const { answers, another, get, requests } = marketFixture(kind)

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
    answers(() => ({ json: { success: true, data: { rows } } }))
    const other = await another()
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

  const CLAMPED = [
    { route: 'candles', name: 'limit', max: 500, usual: 100, kept: true },
    { route: 'trades', name: 'limit', max: 200, usual: 50, kept: false },
    { route: 'liquidations', name: 'size', max: 100, usual: 20, kept: true },
    { route: 'leaderboard', name: 'limit', max: 200, usual: 50, kept: true },
    { route: 'whales', name: 'limit', max: 200, usual: 25, kept: true },
  ]
  const GIVEN = ['', '0', '-5', '7.9', '99999', 'many', '1e3', '0x10', '9'.repeat(600)]
  test.each(CLAMPED)(
    '$route: $name is $usual, at least 1 and at most $max',
    async ({ route, name, usual, max, kept }) => {
      const other = await another()
      const before = requests().length
      for (const given of GIVEN) {
        const query = `${route === 'candles' || route === 'trades' ? `${BTC}&` : ''}${name}=${given}`
        expect((await other.fetch(`/api/prep/${route}?${query}`)).status).toBe(200)
      }
      await other.stop()
      const asked = requests()
        .slice(before)
        .map(({ target: path, text }) => {
          const query = new URL(path, 'http://venue').searchParams
          return text ? JSON.parse(text)[name] : Number(query.get(name))
        })
      const expected = [usual, 1, 1, 7, max, usual, max, usual, max]
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
    const other = await another()
    const before = requests().length
    const body = Object(await (await other.fetch(`/api/prep/leaderboard${query}`)).json())
    await other.stop()
    expect(JSON.parse(requests()[before]?.text ?? '')).toMatchObject({
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

  const VAULT = `0x${'ab'.repeat(20)}`
  const NO_ADDRESSES = [
    '',
    null,
    undefined,
    7,
    'x',
    '0x12',
    `${VAULT}0`,
    VAULT.slice(2),
    `${VAULT}\n`,
  ]
  test.each([...NO_ADDRESSES])(
    'deposit chains: %p is no address, of a vault or of USDC',
    async (bad) => {
      const [chain] = routes.chains.data.rows
      const rows = (vault: unknown) => [{ ...chain, chain_id: 1, vault_address: vault }]
      const tokens = (usdc: unknown) => [
        { token: 'USDC', chain_details: [{ chain_id: 1, contract_address: usdc, decimals: 6 }] },
      ]
      for (const [vault, usdc, kept] of [
        [bad, VAULT, 0],
        [VAULT, bad, 0],
        [VAULT, VAULT, 1],
      ] as const) {
        answers(({ target: asked }) => ({
          json: {
            success: true,
            data: { rows: asked.includes('chain') ? rows(vault) : tokens(usdc) },
          },
        }))
        const other = await another()
        const body = Object(await (await other.fetch('/api/prep/deposit-chains')).json())
        await other.stop()
        expect(body.rows).toHaveLength(kept)
      }
    },
  )

  test('config: the steps are numbers', async () => {
    expect((await get('config')).body).toEqual({ leverageSteps: [1, 2, 3, 5, 10, 20, 50, 100] })
  })

  test('insurance fund: the venue’s own object', async () => {
    expect((await get('insurance-fund')).body).toEqual(routes.insurance.data)
  })
})

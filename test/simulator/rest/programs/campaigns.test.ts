import { expect, test } from 'bun:test'
import { openVenueFixture, type Trader, type VenueFixture } from '../../fixture.ts'
import { publicGet } from '../../trading-wallet.ts'

const DAY_MS = 86_400_000

const read = async (fixture: VenueFixture, path: string) =>
  (await fixture.send(publicGet(`/v1/public/${path}`))).data
const campaign = (fixture: VenueFixture, path: string, id = 1, query = '') =>
  read(fixture, `campaign/${path}?campaign_id=${id}${query}`)
const userOf = (fixture: VenueFixture, { address }: Trader, id = 1) =>
  campaign(fixture, 'user', id, `&address=${address}`)
const buy = (trader: Trader, symbol = 'PERP_BTC_USDC') =>
  trader.order({ symbol, order_type: 'MARKET', order_price: null })

test('campaigns have dates from the beginning of the world, and a wallet is in those it has traded in', async () => {
  using fixture = openVenueFixture()
  const trader = await fixture.trader('one')
  const { rows } = await read(fixture, 'campaigns')
  expect(rows.length).toBeGreaterThan(3)
  for (const row of rows) expect(row.end_time).toBeGreaterThan(row.start_time)
  expect(rows[0].start_time).toBe(fixture.nowMs() - (fixture.nowMs() % DAY_MS))
  const own = async () => (await read(fixture, `campaigns?address=${trader.address}`)).rows
  expect(await own()).toEqual([])
  await buy(trader)
  const entered = await own()
  expect(entered).toHaveLength(3)
  expect(entered[0].register_time).toBe(fixture.nowMs())
  expect((await read(fixture, 'campaigns')).rows).toEqual(rows)
  fixture.warp(7 * DAY_MS)
  const alive = (await read(fixture, 'campaigns?only_show_alive=true')).rows
  expect(alive.map(({ id }: { id: number }) => id)).not.toContain(1)
})

test('trades count in the time of a campaign, in its markets, and no more after it', async () => {
  using fixture = openVenueFixture()
  const [one, two] = [
    await fixture.trader('one'),
    await fixture.trader('two', { brokerId: 'other' }),
  ]
  const before = await campaign(fixture, 'stats')
  await buy(one)
  const after = await campaign(fixture, 'stats')
  const [fill] = (await one.get('/v1/trades')).data.rows
  const volume = fill.executed_price * fill.executed_quantity
  expect(after).toEqual({
    volume: expect.closeTo(before.volume + 2 * volume, 6),
    user_count: before.user_count + 2,
    sign_up_count: before.sign_up_count + 2,
    updated_time: fixture.nowMs(),
  })
  expect(await campaign(fixture, 'stats')).toEqual(after)
  await buy(two)
  await buy(two)
  const { meta, rows } = await campaign(fixture, 'ranking', 1, '&size=500')
  expect(meta.total).toBe(before.user_count + 3)
  const volumes = rows.map((row: { volume: number }) => row.volume)
  expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => b - a))
  const ids = [two.accountId, one.accountId]
  const [first, second] = ids.map((id) =>
    rows.find((row: { account_id: string }) => row.account_id === id),
  )
  const house = rows.find(
    (row: { volume: number }) => Math.abs(row.volume - first.volume - second.volume) < 1e-6,
  )
  expect([first.account_id, first.address]).toEqual([two.accountId, two.address.toLowerCase()])
  expect(first).toMatchObject({
    broker_id: 'other',
    total_deposit_amount: 10_000,
    start_account_value: 0,
  })
  expect(second.volume).toBe(volume)
  expect(house.broker_id).toBe('demo-x')
  fixture.warp(7 * DAY_MS)
  await fixture.send(publicGet('/v1/public/campaigns'))
  const ended = (await campaign(fixture, 'ranking')).rows
  await buy(one)
  expect((await campaign(fixture, 'ranking')).rows).toEqual(ended)
  expect((await userOf(fixture, one, 3)).volume).toBeGreaterThan(volume)
  fixture.restart()
  expect((await campaign(fixture, 'ranking')).rows).toEqual(ended)
})

test('trades are counted by market and day as the account counts them, also after a restart', async () => {
  using fixture = openVenueFixture()
  const one = await fixture.trader('one')
  for (const symbol of ['PERP_BTC_USDC', 'PERP_ETH_USDC', 'PERP_BTC_USDC']) {
    await buy(one, symbol)
    fixture.warp(0.4 * DAY_MS)
  }
  const counted = () => {
    const { engine, marketDays } = fixture.exchange().simulation()
    const account = engine.world.exchange.byKey.get(one.accountId)
    if (!account) throw new Error('no account')
    return { account, rows: marketDays.of(account) }
  }
  const { account, rows } = counted()
  expect(
    rows.map(({ day, market, orders }) => [day - (rows[0]?.day ?? 0), market, orders]),
  ).toEqual([
    [0, 0, 1],
    [0, 1, 1],
    [1, 0, 1],
  ])
  expect(rows.reduce((sum, { volume }) => sum + volume, 0)).toBe(account.volume)
  fixture.restart()
  expect(counted().rows).toEqual(rows)
})

test('what a wallet won is what it has, less what came in', async () => {
  using fixture = openVenueFixture()
  const [one, idle] = [await fixture.trader('one'), await fixture.trader('idle')]
  await buy(one)
  const before = await userOf(fixture, one)
  expect(before).toMatchObject({
    filled_order_count: 1,
    total_deposit_amount: 10_000,
    start_account_value: 0,
  })
  expect(before.pnl).toBeCloseTo(before.end_account_value - 10_000, 6)
  fixture.move('PERP_BTC_USDC', 60_600)
  const moved = await userOf(fixture, one)
  expect(moved.pnl).toBeGreaterThan(before.pnl)
  expect(moved.volume).toBe(before.volume)
  expect(await userOf(fixture, idle)).toMatchObject({ volume: 0, pnl: 0, updated_time: 0 })
  const { rows } = await campaign(
    fixture,
    'ranking',
    1,
    '&sort_by=pnl&min_volume=6000&broker_id=demo',
  )
  expect(rows[0].account_id).toBe(one.accountId)
})

test('a campaign that begins later starts from the values of its first day', async () => {
  using fixture = openVenueFixture()
  const one = await fixture.trader('one')
  await buy(one)
  fixture.warp(7 * DAY_MS + 60_000)
  await buy(one)
  const then = await userOf(fixture, one, 4)
  expect(then).toMatchObject({ filled_order_count: 1, total_deposit_amount: 0 })
  expect(then.start_account_value).toBeWithin(9_000, 10_000)
  expect(then.pnl).toBeCloseTo(then.end_account_value - then.start_account_value, 6)
  expect(await userOf(fixture, one, 5)).toMatchObject({ volume: 0, pnl: 0, start_account_value: 0 })
})

test('volumes are grouped by builder, by market, or by both', async () => {
  using fixture = openVenueFixture()
  const [one, two] = [
    await fixture.trader('one'),
    await fixture.trader('two', { brokerId: 'other' }),
  ]
  for (const trader of [one, two]) await buy(trader)
  await two.order({ symbol: 'PERP_ETH_USDC', order_type: 'MARKET', order_price: null })
  const details = (query = '') => campaign(fixture, 'stats/details', 1, query)
  const both = (await details()).rows
  const total = (await campaign(fixture, 'stats')).volume
  const sum = (rows: readonly { volume: number }[]) =>
    rows.reduce((all, { volume }) => all + volume, 0)
  expect(both).toHaveLength(5)
  expect(both.filter((row: { broker_id: string }) => row.broker_id === 'other')).toHaveLength(2)
  expect(sum(both)).toBeCloseTo(total, 6)
  const brokers = (await details('&group_by=BROKER')).rows
  expect(brokers.map((row: { broker_id: string }) => row.broker_id).sort()).toEqual([
    'demo',
    'demo-x',
    'other',
  ])
  const symbols = (await details('&group_by=SYMBOL')).rows
  expect(symbols).toMatchObject([
    { symbol: 'PERP_BTC_USDC', user_count: 33 },
    { symbol: 'PERP_ETH_USDC', user_count: 32 },
  ])
  const own = (await details('&broker_id=other&symbols=PERP_ETH_USDC')).rows
  expect(own).toMatchObject([{ broker_id: 'other', symbol: 'PERP_ETH_USDC', user_count: 1 }])
})

test('a ranking and a wallet’s figures can be narrowed down', async () => {
  using fixture = openVenueFixture()
  const one = await fixture.trader('one')
  await buy(one)
  await one.order({ symbol: 'PERP_ETH_USDC', order_type: 'MARKET', order_price: null })
  const ids = async (query: string) =>
    (await campaign(fixture, 'ranking', 1, query)).rows.map(
      (row: { account_id: string }) => row.account_id,
    )
  expect(await ids('&broker_id=demo')).toEqual([one.accountId])
  expect(await ids('&min_volume=100000000')).toEqual([])
  expect(await ids('&min_pnl=-1000&broker_id=demo')).toEqual([one.accountId])
  expect(await ids('&min_pnl=1000&broker_id=demo')).toEqual([])
  const all = await userOf(fixture, one)
  const eth = await campaign(fixture, 'user', 1, `&address=${one.address}&symbol=PERP_ETH_USDC`)
  expect(eth.volume).toBeWithin(1, all.volume)
  expect({ ...eth, volume: all.volume }).toEqual(all)
  expect(await campaign(fixture, 'user', 1, `&account_id=${one.accountId}`)).toEqual(all)
  const ofEth = '&symbol=PERP_ETH_USDC&broker_id=demo'
  expect((await campaign(fixture, 'stats', 1, ofEth)).volume).toBe(eth.volume)
})

test('a wallet is checked against a goal', async () => {
  using fixture = openVenueFixture()
  const one = await fixture.trader('one')
  const check = async (query: string) =>
    (await campaign(fixture, 'check', 1, `&address=${one.address}&${query}`)).status
  expect(await check('type=order_count&lower_boundary=0')).toBe('failed')
  await buy(one)
  expect(await check('type=order_count&lower_boundary=0')).toBe('success')
  expect(await check('type=order_count&lower_boundary=1')).toBe('failed')
  expect(await check('type=order_count&lower_boundary=1&cmp=ge')).toBe('success')
  expect(await check('type=volume&lower_boundary=5999.5')).toBe('success')
  expect(await check('type=volume&lower_boundary=6001&cmp=lt')).toBe('success')
  expect(await check('type=deposit&lower_boundary=10000&cmp=le')).toBe('success')
  expect(await check('type=withdraw&lower_boundary=0')).toBe('failed')
})

test.each([
  ['stats', '', -1005],
  ['stats', 'campaign_id=99', -1006],
  ['stats', 'campaign_id=1&symbol=PERP_NO_USDC', -1005],
  ['ranking', 'campaign_id=1&sort_by=luck', -1005],
  ['user', 'campaign_id=1', -1005],
  ['user', 'campaign_id=1&account_id=0x12', -1607],
  ['user', `campaign_id=1&address=0x${'1f'.repeat(20)}&order_tag=x`, -1005],
  ['ranking', 'campaign_id=1&min_pnl=some', -1005],
  ['user', `campaign_id=1&address=0x${'1f'.repeat(20)}`, -1607],
  ['stats/details', 'campaign_id=1&group_by=WALLET', -1005],
  ['check', `campaign_id=1&address=0x${'1f'.repeat(20)}&type=luck&lower_boundary=1`, -1005],
  ['check', `campaign_id=1&address=0x${'1f'.repeat(20)}&type=volume&lower_boundary=x`, -1005],
  [
    'check',
    `campaign_id=1&address=0x${'1f'.repeat(20)}&type=volume&lower_boundary=1&cmp=eq`,
    -1005,
  ],
])('%s?%s is refused with %p', async (path, query, code) => {
  using fixture = openVenueFixture()
  expect((await fixture.send(publicGet(`/v1/public/campaign/${path}?${query}`))).code).toBe(code)
})

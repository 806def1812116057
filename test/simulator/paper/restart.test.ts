import { expect, test } from 'bun:test'
import {
  AAVE,
  BTC,
  ETH,
  marketsOf,
  openLive,
  openPaper,
  passBoth,
  taken,
  userOf,
} from './fixture.ts'

const MILLION = 1e12

test('practice on a live market performs again what it was asked in the markets and under the rules of then, whatever the live venue names since', async () => {
  const live = openLive(1, 'normal', [BTC, ETH, AAVE])
  const { paper, entities } = await openPaper(live)
  for (let turn = 0; turn < 50; turn += 1) await passBoth(live, paper, 100)
  const user = userOf(paper)
  user.fund(MILLION)
  const { markets } = paper.exchange.simulation().engine.world.exchange
  const eth = markets.findIndex(({ spec }) => spec.symbol === ETH)
  const ask = markets[eth]?.book.asks.best?.price ?? 0
  taken(user.place({ side: 'BUY', price: ask, quantity: 100, type: 'IOC', market: eth }))
  paper.exchange.commit()
  paper.mirror?.stop()
  const rows = await marketsOf(live)
  const dearer = rows.map(({ rules, prices }) => ({
    rules: { ...rules, min_notional: 1_000_000 },
    prices,
  }))
  for (const now of [[...rows].reverse(), dearer, null]) {
    const again = (await openPaper(live, { entities, markets: now })).paper
    again.mirror?.stop()
    const held = [...userOf(again).account.marketAccounts.values()]
    const positions = held.map(({ market, quantity }) => [market.spec.symbol, quantity])
    expect(positions).toEqual([[ETH, 100]])
    again.exchange.commit()
  }
  const last = (await openPaper(live, { entities, markets: null })).paper
  const order = { side: 'BUY', price: ask, quantity: 100, type: 'IOC', market: eth } as const
  expect(userOf(last).place(order)).toMatchObject({ refusal: 'notional' })
})

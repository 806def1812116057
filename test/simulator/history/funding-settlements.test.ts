import { expect, test } from 'bun:test'
import type { FundingRow } from '../../../src/simulator/history/account-rows.ts'
import { createFundingSettlements } from '../../../src/simulator/history/funding-settlements.ts'
import { createPastRows } from '../../../src/simulator/history/past-rows.ts'
import { FUNDING_ROWS } from '../../../src/simulator/history/row-kinds.ts'
import { createRowLists } from '../../../src/simulator/history/row-list.ts'
import { openAccount } from '../../../src/simulator/state/accounts.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { smallWorld } from '../engine/worlds.ts'

test('a funding payment that left memory before its settlement is settled by it, and none of another market, mode or later hour', () => {
  const account = openAccount(smallWorld(1, ['BTC']).exchange, {
    key: 'user',
    leverage: 10,
    fees: { taker: 0, maker: 0 },
  })
  const past = createPastRows()
  const lists = createRowLists(past, openVenueFile(':memory:'))
  const settlements = createFundingSettlements(past)
  const latest: FundingRow[] = []
  const pay = (from: number, to: number) => {
    for (let atMs = from; atMs < to; atMs += 1) {
      const row = { rate: 1, mark: 1, fee: 1, market: atMs % 3, isolated: atMs % 2 === 0, atMs }
      past.keep(FUNDING_ROWS, { account, rows: latest }, row)
    }
  }
  pay(0, 400)
  settlements.settle(account, latest, { markets: [0, 1], isolated: false, atMs: 400 })
  pay(400, 900)
  settlements.settle(account, latest, { markets: [2], isolated: true, atMs: 900 })
  settlements.settle(account, latest, { markets: [0, 1, 2], isolated: false, atMs: 1000 })
  const list = lists.list(FUNDING_ROWS, { account, rows: latest }, settlements.settled(account))
  const rows = list.select({}).rows(0, 900)
  expect(rows).toHaveLength(900)
  expect(latest.length).toBeLessThan(256)
  const settledAtMs = ({ market, isolated, atMs }: FundingRow) => {
    if (isolated) return market === 2 ? 900 : undefined
    return market !== 2 && atMs < 400 ? 400 : 1000
  }
  for (const row of rows) expect([row.atMs, row.settledAtMs]).toEqual([row.atMs, settledAtMs(row)])
})

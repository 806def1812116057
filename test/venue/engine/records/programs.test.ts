import { expect, test } from 'bun:test'
import { openSqlite } from '../../../../src/store/sqlite.ts'
import { createCampaigns } from '../../../../src/venue/engine/records/campaigns.ts'
import { createEpochs } from '../../../../src/venue/engine/records/epochs.ts'
import { createHours } from '../../../../src/venue/engine/records/hours.ts'
import { MARKETS } from '../../../../src/venue/market/instruments.ts'
import { CAMPAIGNS } from '../../../../src/venue/programs/calendar.ts'
import { openEngine } from '../../at-once.ts'
import { GENESIS_MS } from '../worlds.ts'

const HOUR_MS = 3_600_000
const listed = [...MARKETS.values()].filter(({ base }) => base === 'BTC' || base === 'TRUMP')
const genesis = { seed: 1, genesisMs: GENESIS_MS, prices: { kind: 'seeded' }, listed } as const

function journals() {
  return { epochs: createEpochs(), campaigns: createCampaigns(GENESIS_MS), hours: createHours() }
}

/** A small world with its books, and everything they say. */
function openBooks(entities = openSqlite(':memory:', 0).entities) {
  const kept = journals()
  const engine = openEngine({ genesis, entities, journals: Object.values(kept) })
  const said = () => ({
    epochs: engine.world.exchange.accounts.map(kept.epochs.of),
    campaigns: CAMPAIGNS.map(kept.campaigns.of),
    hours: kept.hours.rows,
  })
  return { engine, entities, kept, said }
}

test('what everybody traded is counted once for each side, and is what accounts say of themselves', () => {
  const { engine, kept } = openBooks()
  engine.advance(GENESIS_MS + 6 * HOUR_MS)
  const { accounts, totals } = engine.world.exchange
  let fees = 0
  for (const account of accounts) {
    const rows = kept.epochs.of(account)
    expect(rows.reduce((sum, { volume }) => sum + volume, 0)).toBe(account.volume)
    fees += rows.reduce((sum, row) => sum + row.fees, 0)
  }
  expect(fees).toBeGreaterThan(0)
  expect(fees).toBeLessThanOrEqual(totals.fees)
  const [opening, majors] = CAMPAIGNS.map(kept.campaigns.of)
  const volumesOf = (record: typeof opening) =>
    [...(record?.entries.values() ?? [])].flatMap(({ volumes }) => [...volumes])
  const sumOf = (pairs: readonly (readonly [number, number])[]) =>
    pairs.reduce((sum, [, volume]) => sum + volume, 0)
  expect(sumOf(volumesOf(opening))).toBe(accounts.reduce((sum, { volume }) => sum + volume, 0))
  const btc = volumesOf(opening).filter(([market]) => market === 0)
  expect(sumOf(volumesOf(majors))).toBe(sumOf(btc))
  expect(kept.hours.rows).toEqual([])
})

test('the books are the same however far time steps, and restarted from the log or a snapshot', () => {
  const [still, busy] = [openBooks(), openBooks()]
  still.engine.advance(GENESIS_MS + 4 * HOUR_MS)
  for (let step = 1; step <= 60; step += 1) busy.engine.advance(GENESIS_MS + step * 60_000)
  busy.engine.save()
  const again = openBooks(busy.entities)
  again.engine.advance(GENESIS_MS + 4 * HOUR_MS)
  expect(again.said()).toEqual(still.said())
})

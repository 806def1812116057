import { expect, test } from 'bun:test'
import { compareWithVenue } from './oracle.ts'

const ORDERS = Number(process.env['ORDERS'] ?? 2000)
const SEED = Number(process.env['SEED'] ?? 3)

// Slow: each order is judged, sent to the simulated exchange, and followed by reads of its account.
test(`the simulated exchange does with ${ORDERS} random orders what the calculator says`, async () => {
  const { outcomes, differences } = await compareWithVenue(ORDERS, SEED)
  expect(differences).toEqual([])
  // Each way an order can go is compared often enough, and few marks move before the account is read.
  const least = ORDERS / 200
  for (const outcome of COMPARED)
    expect([outcome, (outcomes[outcome] ?? 0) >= least]).toEqual([outcome, true])
  expect(outcomes['moved'] ?? 0).toBeLessThan(ORDERS / 5)
  expect(outcomes['queued'] ?? 0).toBeLessThan(ORDERS / 20)
}, 300_000)

const COMPARED = [
  ...['filled', 'resting', 'not_whole', 'would_trade', 'takes_nothing'],
  ...['-1101', '-1102', '-1103', '-1104', '-1105', '-1012'].map((code) => `refused ${code}`),
]

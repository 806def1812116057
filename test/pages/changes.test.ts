import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ONE, PER_MICRO } from '../../src/core/decimals.ts'
import {
  changesByDay,
  dayNet,
  equityChanges,
  equityCurve,
  funded,
  partSince,
} from '../../src/pages/trade/portfolio/changes.ts'

const DAY_MS = 86_400_000

const fills = fc.array(
  fc.record({
    atMs: fc.integer({ min: 0, max: 5 * DAY_MS }),
    pnl: fc.integer({ min: -900, max: 900 }),
    fee: fc.integer({ min: 0, max: 90 }),
    token: fc.constantFrom('USDC', 'ORDER'),
  }),
)
const charges = fc.array(
  fc.record({
    atMs: fc.integer({ min: 0, max: 5 * DAY_MS }),
    fee: fc.integer({ min: 0, max: 90 }),
    type: fc.constantFrom('Pay', 'Receive'),
  }),
)
const moves = fc.array(
  fc.record({
    atMs: fc.integer({ min: 0, max: 5 * DAY_MS }),
    amount: fc.integer({ min: 1, max: 900 }),
    side: fc.constantFrom('DEPOSIT', 'WITHDRAW'),
    status: fc.constantFrom('COMPLETED', 'FAILED', 'NEW'),
    token: fc.constantFrom('USDC', 'ETH'),
  }),
)

/** Millionths as the venue writes them. */
function usdc(micros: number): string {
  return (micros / 1e6).toFixed(6)
}

type World = {
  fills: { atMs: number; pnl: number; fee: number; token: string }[]
  charges: { atMs: number; fee: number; type: string }[]
  moves: { atMs: number; amount: number; side: string; status: string; token: string }[]
}

function answersOf({ fills, charges, moves }: World) {
  return {
    fills: {
      rows: fills.map(({ atMs, pnl, fee, token }) => ({
        executed_timestamp: String(atMs),
        realized_pnl: usdc(pnl),
        fee: usdc(fee),
        fee_asset: token,
      })),
    },
    funding: {
      rows: charges.map(({ atMs, fee, type }) => ({
        created_time: String(atMs),
        funding_fee: usdc(fee),
        payment_type: type,
      })),
    },
    transfers: {
      rows: moves.map(({ atMs, amount, side, status, token }) => ({
        created_time: String(atMs),
        amount: usdc(amount),
        side,
        trans_status: status,
        token,
      })),
    },
  }
}

/** The same sums in millionths, by plain addition over what happened up to a time. */
function balanceAt({ fills, charges, moves }: World, atMs: number): bigint {
  const until = <T extends { atMs: number }>(rows: readonly T[]) =>
    rows.filter((row) => row.atMs <= atMs)
  let sum = 0
  for (const { pnl, fee, token } of until(fills)) sum += pnl - (token === 'USDC' ? fee : 0)
  for (const { fee, type } of until(charges)) sum += type === 'Pay' ? -fee : fee
  for (const { amount, side, status, token } of until(moves))
    if (token === 'USDC' && status !== 'FAILED') sum += side === 'DEPOSIT' ? amount : -amount
  return BigInt(sum) * PER_MICRO
}

const NOW = 6 * DAY_MS

test('the curve is what an account that adds up every row had after each of them, and begins with nothing', () => {
  fc.assert(
    fc.property(fc.record({ fills, charges, moves }), (world) => {
      const changes = equityChanges(answersOf(world))
      const points = equityCurve(changes, { atMs: NOW, value: balanceAt(world, NOW) }, 0)
      expect(points.at(-1)).toEqual({ atMs: NOW, value: balanceAt(world, NOW) })
      if (changes.length > 0) expect(points[0]?.value).toBe(0n)
      for (const { atMs, value } of points.slice(1)) expect(value).toBe(balanceAt(world, atMs))
    }),
  )
})

test('the days hold every change once, and what a day won leaves out what was moved', () => {
  fc.assert(
    fc.property(fc.record({ fills, charges, moves }), (world) => {
      const days = changesByDay(equityChanges(answersOf(world)), 0)
      const total = days.reduce((sum, day) => sum + dayNet(day) + day.transfer, 0n)
      expect(total).toBe(balanceAt(world, NOW))
      for (const { startMs } of days) expect(startMs % DAY_MS).toBe(0)
      const moved = days.reduce((sum, { transfer }) => sum + transfer, 0n)
      expect(moved).toBe(balanceAt({ ...world, fills: [], charges: [] }, NOW))
    }),
  )
})

test('what lies before the time from which everything is known is in no day and no curve', () => {
  const world = {
    fills: [
      { atMs: 10, pnl: 5, fee: 0, token: 'USDC' },
      { atMs: 2 * DAY_MS, pnl: 7, fee: 0, token: 'USDC' },
    ],
    charges: [],
    moves: [],
  }
  const changes = equityChanges(answersOf(world))
  expect(changesByDay(changes, DAY_MS).map(({ pnl }) => pnl)).toEqual([7n * PER_MICRO])
  const points = equityCurve(changes, { atMs: NOW, value: 12n * PER_MICRO }, DAY_MS)
  expect(points.map(({ value }) => value)).toEqual(
    [5n, 12n, 12n].map((micros) => micros * PER_MICRO),
  )
})

test('a part of a curve begins at its time with what there was then', () => {
  const points = [
    { atMs: 0, value: 1n },
    { atMs: 10, value: 2n },
    { atMs: 20, value: 3n },
  ]
  expect(partSince(points, 15)).toEqual([
    { atMs: 15, value: 2n },
    { atMs: 20, value: 3n },
  ])
  expect(partSince(points, 10)).toEqual([
    { atMs: 10, value: 1n },
    { atMs: 10, value: 2n },
    { atMs: 20, value: 3n },
  ])
  expect(partSince(points, -1)).toEqual(points)
})

test('a curve begins with the first money, and one that lost all of it still ends with nothing', () => {
  const point = (atMs: number, units: bigint) => ({ atMs, value: units * ONE })
  const nothing = { atMs: 1, value: ONE / 100n - 1n }
  const [paid, lost] = [point(1, 100n), point(2, 0n)]
  expect(funded([nothing, paid, lost])).toEqual([paid, lost])
  expect(funded([paid, lost])).toEqual([paid, lost])
  expect(funded([nothing])).toEqual([nothing])
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ReservedUse } from '../../src/core/spending.ts'
import {
  addedExposure,
  type Exposure,
  enlargedSides,
  leveragedMicros,
  marketExposure,
  marketSides,
  parseFigures,
  reservedMarket,
  totalMicros,
  unseenExposures,
  withDayResult,
} from '../../src/perp/account-exposure.ts'
import { runs } from '../runs.ts'

const ETH = 'PERP_ETH_USDC'
const BTC = 'PERP_BTC_USDC'
const USDC = 10n ** 18n
const MICROS = 10n ** 6n

const part = (own: Partial<Exposure>): Exposure => ({
  ...{ symbol: ETH, mode: 'CROSS', held: 0n, buys: 0n, sells: 0n },
  ...own,
})

const VALUE = fc.bigInt(0n, 1000n)
const SIDE = fc.constantFrom('BUY', 'SELL')
const MODE = fc.constantFrom('CROSS', 'ISOLATED', null)
const ORDER = fc.record({ side: SIDE, mode: MODE, value: VALUE, isFilled: fc.boolean() })

describe('the sides of a market', () => {
  test('are reached by some fills of the orders and passed by none', () => {
    fc.assert(
      fc.property(
        fc.record({ CROSS: fc.bigInt(-1000n, 1000n), ISOLATED: fc.bigInt(-1000n, 1000n) }),
        fc.array(ORDER, { maxLength: 8 }),
        (positions, orders) => {
          const parts = [
            ...(['CROSS', 'ISOLATED'] as const).map((mode) =>
              part({ mode, held: positions[mode] * USDC }),
            ),
            ...orders.map(({ side, mode, value }) =>
              addedExposure({ symbol: ETH, side, mode, micros: value * MICROS }),
            ),
          ]
          const sides = marketSides(parts).get(ETH) ?? { long: 0n, short: 0n }
          /** What is long and short after these fills; an order without a mode opens a position of its own. */
          const sidesAfter = (filled: readonly (typeof orders)[number][]) => {
            const held = new Map<string, bigint>(Object.entries(positions))
            for (const [at, { side, mode, value }] of filled.entries()) {
              const key = mode ?? `${side} ${at}`
              held.set(key, (held.get(key) ?? 0n) + (side === 'BUY' ? value : -value))
            }
            const of = (sign: bigint) =>
              held.values().reduce((sum, one) => sum + (one * sign > 0n ? one * sign : 0n), 0n)
            return { long: of(1n) * MICROS, short: of(-1n) * MICROS }
          }
          const some = sidesAfter(orders.filter(({ isFilled }) => isFilled))
          expect(some.long).toBeLessThanOrEqual(sides.long)
          expect(some.short).toBeLessThanOrEqual(sides.short)
          expect(sidesAfter(orders.filter(({ side }) => side === 'BUY')).long).toBe(sides.long)
          expect(sidesAfter(orders.filter(({ side }) => side === 'SELL')).short).toBe(sides.short)
        },
      ),
      { numRuns: runs(200) },
    )
  })

  test('of an order whose side is not known are both', () => {
    const unknown = addedExposure({ symbol: ETH, side: null, mode: null, micros: 5n })
    expect(marketSides([unknown]).get(ETH)).toEqual({ long: 5n, short: 5n })
  })
})

describe('what an order enlarges', () => {
  const held = [part({ held: 800n * USDC }), part({ symbol: BTC, held: 100n * USDC })]
  const before = marketSides(held)
  const afterOf = (side: 'BUY' | 'SELL', usdc: bigint) => {
    const added = addedExposure({ symbol: ETH, side, mode: 'CROSS', micros: usdc * MICROS })
    const after = marketSides([...held, added])
    const grown = enlargedSides(before, after)
    return { grown: [...grown], levered: leveragedMicros(before, after, grown) }
  }

  test('is the side that grows, with all other markets', () => {
    expect(afterOf('BUY', 1n)).toEqual({ grown: [[ETH, 801n * MICROS]], levered: 901n * MICROS })
    expect(afterOf('SELL', 801n)).toEqual({ grown: [[ETH, MICROS]], levered: 101n * MICROS })
  })

  test('is nothing for an order that only reduces', () => {
    expect(afterOf('SELL', 800n)).toEqual({ grown: [], levered: 0n })
  })

  test('is all markets together where their sum grows', () => {
    const added = [
      addedExposure({ symbol: ETH, side: 'SELL', mode: 'CROSS', micros: 900n * MICROS }),
      addedExposure({ symbol: BTC, side: 'BUY', mode: 'CROSS', micros: 50n * MICROS }),
    ]
    const after = marketSides([...held, ...added])
    expect(leveragedMicros(before, after, enlargedSides(before, after))).toBe(950n * MICROS)
  })
})

test('a reservation names its market and side, and an older one without a side counts on both', () => {
  const unseen: ReservedUse['unseen'] = new Map([
    [reservedMarket(ETH, 'BUY'), 3n],
    [reservedMarket(ETH, 'SELL'), 4n],
    [reservedMarket(BTC, null), 5n],
  ])
  const sides = marketSides(unseenExposures({ unseen }))
  expect(sides.get(ETH)).toEqual({ long: 3n, short: 4n })
  expect(sides.get(BTC)).toEqual({ long: 5n, short: 5n })
  expect(totalMicros(sides)).toBe(9n)
})

describe('figures of an account', () => {
  const row = { symbol: ETH, mark_price: 1000, pending_long_qty: 0, pending_short_qty: 0 }
  const answer = (rows: readonly object[]) => ({ account_value: 10, total_pnl_24_h: '-1', rows })

  test('add up the rows of a market by margin mode, in any order', () => {
    const rows = [
      { ...row, position_qty: 0.3, margin_mode: 'CROSS', pnl_24_h: 1, fee_24_h: 0.1 },
      {
        ...row,
        position_qty: -0.01,
        margin_mode: 'ISOLATED',
        pending_short_qty: -0.4,
        pnl_24_h: -2,
        fee_24_h: 0.2,
      },
    ]
    for (const given of [rows, rows.toReversed()]) {
      const figures = parseFigures(answer(given), 7)
      expect(figures).toMatchObject({ askedAtMs: 7, valueMicros: 10n * MICROS })
      const day = { fills: null, funding: -USDC / 20n, liquidations: null }
      expect(figures && withDayResult(figures, day)?.dayResultMicros).toBe(-1_350_000n)
      const unfunded = figures && withDayResult(figures, { ...day, funding: null })
      expect(unfunded?.dayResultMicros).toBe(-1_300_000n)
      const sides = marketSides(figures?.exposures ?? []).get(ETH)
      expect(sides).toEqual({ long: 300n * MICROS, short: 410n * MICROS })
      expect(sides && marketExposure(sides)).toBe(410n * MICROS)
    }
  })

  test('are none where one is missing', () => {
    expect(parseFigures(answer([{ ...row, position_qty: null }]), 0)).toBeNull()
    expect(parseFigures(answer([{}]), 0)).toBeNull()
    expect(parseFigures({ account_value: 10, rows: [] }, 0)).toBeNull()
    expect(parseFigures({ account_value: 10, total_pnl_24_h: 0 }, 0)).toBeNull()
  })
})

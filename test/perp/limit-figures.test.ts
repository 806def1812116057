import { describe, expect, test } from 'bun:test'
import type { Limits } from '../../src/core/mandate.ts'
import { parseFigures } from '../../src/perp/account-exposure.ts'
import {
  limitFigures,
  NO_READS,
  neededRows,
  needsFigures,
  requiredReads,
} from '../../src/perp/limit-figures.ts'
import { parseWaiting } from '../../src/perp/waiting.ts'

const ETH = 'PERP_ETH_USDC'
const USDC = 1_000_000n
const WAITING = '/v1/algo/orders?status=INCOMPLETE&size=500'
const POSITIONS = '/v1/positions'

const answer = { account_value: 1000, total_pnl_24_h: -10, rows: [] }
const shown = parseFigures(answer, 7)
const stop = {
  ...{ algo_order_id: 1, symbol: ETH, algo_type: 'STOP', type: 'MARKET', side: 'BUY' },
  ...{ quantity: 1, trigger_price: 2000 },
}
const orders = (rows: readonly object[], total = rows.length) =>
  parseWaiting({ rows, meta: { total, current_page: 1 } })
const bounds = new Map([[ETH, { mark: 2000n * 10n ** 18n, priceRange: 0n }]])
const LOSS: Limits = { maxLossUsdc: 5n * USDC }
const POSITION: Limits = { maxPositionUsdc: 5n * USDC }

describe('the reads that limits need', () => {
  test.each<[string, Limits, readonly string[]]>([
    ['no limit', {}, []],
    ['a limit of value', { maxOrderUsdc: USDC, maxDailyUsdc: USDC, maxOrdersPerMinute: 1 }, []],
    ['a limit of losses', LOSS, [POSITIONS]],
    ['a limit of positions', POSITION, [WAITING, POSITIONS]],
    ['a limit of leverage', { maxLeverage: 2 }, [WAITING, POSITIONS]],
  ])('of %s', (_, limits, reads) => {
    expect(requiredReads(limits)).toEqual(reads)
    expect(needsFigures(limits)).toBe(reads.length > 0)
  })

  test('of rows are those of the day for a limit of losses alone, with liquidations where fees are not shown', () => {
    expect(neededRows(POSITION, null)).toEqual([])
    expect(neededRows(LOSS, { fees: 0n })).toEqual(['fills', 'funding'])
    expect(neededRows(LOSS, { fees: null })).toEqual(['fills', 'funding', 'liquidations'])
    expect(neededRows(LOSS, null)).toEqual(['fills', 'funding', 'liquidations'])
  })
})

describe('the figures of limits', () => {
  const found = (limits: Limits, reads: Partial<typeof NO_READS>, known = bounds) =>
    limitFigures(limits, { ...NO_READS, shown, ...reads }, known)

  test('count waiting orders for a limit of positions, and none for one of losses', () => {
    const waiting = orders([stop])
    expect(found(POSITION, { waiting }).figures?.exposures).toHaveLength(1)
    expect(found(LOSS, { waiting }).figures?.exposures).toEqual([])
  })

  test('have the funding of the day for a limit of losses, and none for one of positions', () => {
    const day = { ...NO_READS.day, funding: -5n * 10n ** 18n }
    expect(found(LOSS, { day }).figures?.dayResultMicros).toBe(-15n * USDC)
    expect(found(LOSS, {}).figures?.dayResultMicros).toBe(-10n * USDC)
    expect(found(POSITION, { day, waiting: [] }).figures?.dayResultMicros).toBe(-10n * USDC)
  })

  test('are unknown for the first reason that makes them so', () => {
    expect(found(POSITION, { shown: null }).unknown).toBe('positions')
    expect(found(LOSS, { shown: null }).unknown).toBe('positions')
    expect(found(POSITION, { waiting: null }).unknown).toBe('waiting')
    expect(found(POSITION, { waiting: orders([stop], 2) }).unknown).toBe('waiting')
    expect(found(POSITION, { waiting: orders([stop]) }, new Map()).unknown).toBe('bound')
    expect(found(POSITION, { waiting: orders([stop]) }).unknown).toBeNull()
    expect(found(LOSS, { waiting: null }).unknown).toBeNull()
  })
})

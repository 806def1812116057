import { describe, expect, test } from 'bun:test'
import { NOW_MS, openWorld } from '../../feed/calls.ts'

const { feed, get, past } = openWorld()
const MINUTE_MS = 60_000

type Row = {
  timestamp: number
  liquidation_id: number
  positions_by_perp: {
    symbol: string
    position_qty: number
    transfer_price: number
    cost_position_transfer: number
    abs_liquidator_fee: number
    liquidator_fee: number
  }[]
}
const history = (query: Record<string, string> = {}, nowMs = NOW_MS) =>
  get<{ rows: Row[]; meta: { total: number } }>('/v1/public/liquidated_positions', query, nowMs)

describe('the liquidations', () => {
  const { rows, meta } = history({ size: '100' })

  test('go back a month, newest first, one in ten minutes', () => {
    expect(meta.total).toBeWithin(4300, 4330)
    expect(rows.map(({ timestamp }) => timestamp)).toEqual(
      rows.map(({ timestamp }) => timestamp).sort((a, b) => b - a),
    )
    expect(new Set(rows.map(({ liquidation_id }) => liquidation_id)).size).toBe(100)
    expect(rows[0]?.timestamp).toBeLessThan(NOW_MS)
  })

  test('transfer on-step positions at the mark, and charge the market’s rate', () => {
    for (const { timestamp, positions_by_perp } of rows) {
      const [position] = positions_by_perp
      const market = feed.instruments.get(position?.symbol ?? '')
      if (!position || !market) throw new Error('no position')
      expect(position.transfer_price).toBe(Number(past.mark(market.symbol, timestamp)) / 1e8)
      const steps = (position.position_qty * 1e8) / Number(market.baseTick)
      expect(Math.abs(steps - Math.round(steps))).toBeLessThan(1e-6)
      expect(position.cost_position_transfer).toBeCloseTo(
        position.position_qty * position.transfer_price,
        4,
      )
      expect(position.abs_liquidator_fee).toBeCloseTo(
        Math.abs(position.cost_position_transfer) * position.liquidator_fee,
        4,
      )
    }
    const quantities = rows.map(({ positions_by_perp }) => positions_by_perp[0]?.position_qty ?? 0)
    expect(
      quantities.some((quantity) => quantity > 0) && quantities.some((quantity) => quantity < 0),
    ).toBe(true)
  })

  test('can be asked by market, by time and by page', () => {
    const symbol = rows[0]?.positions_by_perp[0]?.symbol ?? ''
    const ofMarket = history({ symbol, size: '500' })
    expect(
      ofMarket.rows.filter(({ positions_by_perp }) => positions_by_perp[0]?.symbol !== symbol),
    ).toEqual([])
    expect(ofMarket.meta.total).toBeWithin(20, 300)
    const [to, from] = [rows[2]?.timestamp, rows[6]?.timestamp]
    expect(history({ start_t: String(from), end_t: String(to) }).rows).toEqual(rows.slice(2, 7))
    expect(history({ size: '10', page: '3' }).rows).toEqual(rows.slice(20, 30))
    expect(history({ symbol: 'PERP_NOPE_USDC' }).rows).toEqual([])
  })

  test('are under way for a minute and a half and history after that, never both', () => {
    const atMs = rows[0]?.timestamp ?? 0
    const ids = (nowMs: number) => ({
      underway: get<{ rows: Row[] }>('/v1/public/liquidation', {}, nowMs).rows.map(
        ({ liquidation_id }) => liquidation_id,
      ),
      finished: history({ size: '1' }, nowMs).rows.map(({ liquidation_id }) => liquidation_id),
    })
    const id = rows[0]?.liquidation_id ?? 0
    expect(ids(atMs - 1).underway).not.toContain(id)
    expect(ids(atMs).underway).toContain(id)
    expect(ids(atMs + 1.5 * MINUTE_MS).finished).not.toContain(id)
    expect(ids(atMs + 1.5 * MINUTE_MS + 1)).toEqual({ underway: [], finished: [id] })
  })

  test('never say whose they were', () => {
    expect(JSON.stringify(history())).not.toMatch(/address|account|broker/)
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import wire from '../../vectors/tools-wire.json'
import { newRecords } from '../tool-world.ts'
import { openWireWorld, type WireWorld } from '../wire-world.ts'

const BTC = 'PERP_BTC_USDC'
const ORDER = {
  ...{ symbol: BTC, side: 'BUY', order_type: 'LIMIT' },
  ...{ order_price: 60_000, order_quantity: 0.001 },
}
const STOP = {
  ...{ algo_order_id: 1, symbol: BTC, algo_type: 'STOP', type: 'MARKET', side: 'BUY' },
  ...{ algo_status: 'NEW', is_triggered: false, quantity: 0.001, trigger_price: 61_000 },
}
const limits = { maxPositionUsdc: 10n ** 12n }

let wired: WireWorld
// Market rules are kept, so that each test has a service of its own.
beforeEach(async () => {
  wired = await openWireWorld()
})
afterEach(() => wired.stop())

const ok = (data: object) => ({ json: { success: true, data } })
const waiting = (rows: readonly object[], total = rows.length) =>
  ok({ rows, meta: { total, current_page: 1 } })
const positions = (own: object) => ok({ ...wire['GET /v1/positions'].data, ...own })

/** What preview and placing say of an order within limits whose figures come from these answers. */
async function judged(answers: Readonly<Record<string, ReturnType<typeof ok>>>) {
  wired.instead.set('GET /v1/algo/orders', waiting([]))
  for (const [read, spec] of Object.entries(answers)) wired.instead.set(read, spec)
  const changes = () => ({ ...newRecords(), limits })
  const { problems } = await wired.world.call('preview_order', ORDER, changes())
  const rows = problems.filter(({ code }: { code: string }) => code === 'mandate_exceeded')
  const placed = await wired.world.call('place_order', ORDER, changes()).then(
    () => null,
    ({ code, meta }) => ({ code, reason: meta.reason, next: meta.next }),
  )
  return { rows, placed }
}

test.each<[string, Parameters<typeof judged>[0], RegExp]>([
  [
    'the account value cannot be read',
    { 'GET /v1/positions': positions({ account_value: null }) },
    /^The account value or a position cannot be read\. /,
  ],
  [
    'more conditional orders wait than the venue lists',
    { 'GET /v1/algo/orders': waiting([STOP], 501) },
    /^More than 500 conditional orders wait/,
  ],
  [
    'a conditional order that waits has no quantity',
    { 'GET /v1/algo/orders': waiting([{ ...STOP, quantity: null }]) },
    /or one cannot be read: cancel some\. /,
  ],
  [
    'a conditional order has no worst case',
    {
      'GET /v1/algo/orders': waiting([STOP]),
      'GET /v1/public/info': ok({
        rows: wire['GET /v1/public/info'].data.rows.map((row) => ({ ...row, price_range: 0 })),
      }),
    },
    /^The worst case of a waiting conditional order is unknown/,
  ],
])('the preview says the cause as placing does where %s', async (_, answers, cause) => {
  const { rows, placed } = await judged(answers)
  expect(rows.map(({ reason }: { reason: string }) => reason)).toEqual(['unknown'])
  expect(rows[0].next).toMatch(cause)
  expect(rows[0].next).toEndWith('Only reduce-only orders go.')
  expect(placed).toEqual({ code: 'mandate_exceeded', reason: 'unknown', next: rows[0].next })
})

describe('while the margin of the account is unknown', () => {
  const [held] = wire['GET /v1/positions'].data.rows
  const reduce = { ...ORDER, side: 'SELL', reduce_only: true }

  test.each([
    ['a position has no cost', positions({ rows: [{ ...held, cost_position: null }] })],
    ['the collateral is missing', positions({ free_collateral: null })],
  ])('a reduce-only order is previewed without margin, because %s', async (_, answer) => {
    const known = await wired.world.call('preview_order', reduce)
    expect(known).toMatchObject({ ok: true, account: { position_qty_now: 0.05 } })
    wired.instead.set('GET /v1/positions', answer)
    const { ok: isOk, account, suggested } = await wired.world.call('preview_order', reduce)
    expect({ isOk, account }).toEqual({ isOk: true, account: null })
    expect(suggested).toEqual(known.suggested)
  })

  test.each([
    [
      "The venue's answer lacks a margin figure of the position in PERP_BTC_USDC, so",
      { 'GET /v1/positions': positions({ rows: [{ ...held, cost_position: null }] }) },
    ],
    [
      "The venue's answer lacks the collateral of the account, so",
      { 'GET /v1/positions': positions({ free_collateral: null }) },
    ],
    [
      "The venue's answer lacks the quantity of open order 17, so",
      { 'GET /v1/orders': waiting([{ symbol: BTC, order_id: 17, quantity: null }]) },
    ],
  ])('an order that opens is refused: %s', async (sentence, answers) => {
    for (const [read, spec] of Object.entries(answers)) wired.instead.set(read, spec)
    const { code, meta } = await wired.world.refused('preview_order', ORDER)
    expect(code).toBe('upstream_unavailable')
    expect(meta.next).toBe(
      `${sentence} the margin is unknown. Call again; if it goes on, tell the user.`,
    )
  })
})

test('neither says anything where all figures are known', async () => {
  expect((await judged({ 'GET /v1/algo/orders': waiting([STOP]) })).rows).toEqual([])
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
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

test('neither says anything where all figures are known', async () => {
  expect((await judged({ 'GET /v1/algo/orders': waiting([STOP]) })).rows).toEqual([])
})

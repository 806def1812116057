import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { OrderArguments } from '../../../src/agents/orders/arguments.ts'
import { prepareOrder } from '../../../src/agents/orders/prepare.ts'
import { buildPreview } from '../../../src/agents/orders/preview.ts'
import { sizedByRisk } from '../../../src/agents/orders/risk-size.ts'
import { ToolFailure } from '../../../src/agents/tool.ts'
import { toAmount } from '../../../src/perp/amounts.ts'
import { parseBook } from '../../../src/perp/book.ts'
import { toMarketRules } from '../../../src/perp/market-rules.ts'
import { lossAtStop } from '../../../src/perp/stop-risk.ts'
import { CONTEXT } from '../fixture.ts'
import type { Loose } from '../tool-world.ts'

const exact = (value: number) => toAmount(value) ?? 0n
const SYMBOL = 'PERP_ETH_USDC'
const RATES = { leverage: 10, baseImr: exact(0.01), baseMmr: exact(0.006), imrFactor: 0 }

type Rules = {
  readonly quote_tick?: number
  readonly quote_min?: number
  readonly price_scope?: number
  readonly min_notional?: number
  readonly base_tick?: number
}
type Setting = { readonly rules: Rules; readonly mark: number; readonly spread: number }

/** A market at a mark price, with a level of 3 on either side of it. */
function marketAt({ rules, mark, spread }: Setting) {
  const steps = { quote_tick: 1, base_tick: 0.001, base_min: 0.001, price_range: 0.03 }
  const info = { ...steps, ...rules }
  const market = {
    ...toMarketRules({ symbol: SYMBOL, info }),
    ...{ base: 'ETH', row: null, info, mark: exact(mark) },
  }
  const book = parseBook({
    asks: [{ price: mark + spread, quantity: 3 }],
    bids: [{ price: mark - spread, quantity: 3 }],
  })
  const account = {
    ...{ positions: [], orders: [], collateral: exact(1e9), free: exact(1e9), rates: RATES },
    ...{ takerFee: exact(0.0006), makerFee: 0n, mark: exact(mark) },
    ...{ mode: 'CROSS' as const, leverage: 10, leverageSet: 10 },
  }
  return { market, book, account }
}

type Asked = {
  readonly side: 'BUY' | 'SELL'
  readonly order_price?: number
  readonly stop_loss: number
  readonly risk_usdc: number
}

/** The preview of an order sized by its risk, or the meta of its refusal. */
async function preview(setting: Setting, given: Asked): Promise<Loose> {
  const { market, book, account } = marketAt(setting)
  const { risk_usdc, ...rest } = given
  const order: OrderArguments = {
    ...{ symbol: SYMBOL, reduce_only: false, ...rest },
    order_type: given.order_price === undefined ? 'MARKET' : 'LIMIT',
  }
  const risk = { usdc: exact(risk_usdc), dailyMove: null }
  try {
    const sized = sizedByRisk(market, order, risk, { book, account })
    const asked = { ...order, risk_usdc }
    const prepared = await prepareOrder(CONTEXT, market, sized, { book, asked })
    return await buildPreview(CONTEXT, prepared, account, risk)
  } catch (error) {
    if (error instanceof ToolFailure) return error.meta
    throw error
  }
}

/** What a suggested order loses at the stop that is suggested with it. */
function lossOf(setting: Setting, suggested: Loose): bigint {
  const { market, book, account } = marketAt(setting)
  const { side, order_type, order_price, order_quantity, stop_loss } = suggested
  const order = {
    ...{ side, type: order_type, price: toAmount(order_price), mode: 'CROSS' as const },
    ...{ quantity: exact(order_quantity), reduceOnly: false, slippage: null },
  }
  return lossAtStop({ ...market, book }, order, exact(stop_loss), account)
}

const ROUND: Setting = { rules: {}, mark: 100, spread: 1 }
const BUY = { side: 'BUY' as const, risk_usdc: 100 }

test('a price that the market raises for a buyer is not suggested, and neither is a size', async () => {
  const setting = { ...ROUND, rules: { price_scope: 0.4 } }
  const low = await preview(setting, { ...BUY, order_price: 50, stop_loss: 45 })
  expect(low.problems).toMatchObject([{ rule: 'price_scope', limit: 60 }])
  expect(JSON.stringify(low)).not.toContain('"suggest')
  expect(low.next).toContain('worse for the user')
  const kept = await preview(setting, { ...BUY, order_price: 60, stop_loss: 45 })
  expect(kept).toMatchObject({ ok: true, suggested: { order_price: 60, stop_loss: 45 } })
  expect(kept.suggested.order_quantity).toBeWithin(6, 6.7)
})

test('a price that the market raises for a seller is raised before the size is found', async () => {
  const order = { side: 'SELL' as const, risk_usdc: 100, stop_loss: 110 }
  const { suggested } = await preview(ROUND, { ...order, order_price: 50 })
  expect(suggested.order_price).toBeWithin(90, 100)
  const { order_price } = suggested
  expect(await preview(ROUND, { ...order, order_price })).toMatchObject({ ok: true, suggested })
})

test('a price that the market lowers is lowered before the size is found', async () => {
  const { suggested } = await preview(ROUND, { ...BUY, order_price: 300, stop_loss: 90 })
  expect(suggested.order_price).toBe(103)
  const kept = await preview(ROUND, { ...BUY, order_price: 103, stop_loss: 90 })
  expect(kept).toMatchObject({ ok: true, suggested })
})

test('a stop off the tick suggests the risk with the stop on the tick, and no size', async () => {
  const setting = { ...ROUND, rules: { quote_tick: 5 } }
  const refused = await preview(setting, { ...BUY, stop_loss: 92 })
  expect(refused).toMatchObject({ parameter: 'stop_loss', rule: 'quote_tick' })
  expect(refused.suggested).toMatchObject({ stop_loss: 95, risk_usdc: 100 })
  expect(refused.suggested).not.toHaveProperty('order_quantity')
  // The next step that is nearer is the price of the order, and the one below loses more.
  const near = await preview(setting, { ...BUY, stop_loss: 99 })
  expect(near).toMatchObject({ parameter: 'stop_loss', rule: 'quote_tick' })
  expect(near).not.toHaveProperty('suggested')
})

test('the minimum value of an order is taken at the price that the book has for it', async () => {
  const setting = { rules: { min_notional: 100, base_tick: 1 }, mark: 100, spread: 2 }
  const order = { side: 'SELL' as const, stop_loss: 110 }
  const { smallest_quantity, suggested } = await preview(setting, { ...order, risk_usdc: 13 })
  expect({ smallest_quantity, suggested }).toEqual({ smallest_quantity: 2, suggested: undefined })
  const enough = await preview(setting, { ...order, risk_usdc: 26 })
  expect(enough.suggested.order_quantity).toBe(2)
})

const fraction = (min: number, max: number) =>
  fc.integer({ min: min * 1000, max: max * 1000 }).map((each) => each / 1000)

const CASE = fc.record({
  rules: fc.record({
    quote_tick: fc.constantFrom(0.01, 0.5, 1, 7),
    quote_min: fc.constantFrom(0, 40, 900),
    base_tick: fc.constantFrom(0.001, 0.1, 1),
    price_scope: fc.constantFrom(0, 0.05, 0.4, 0.9),
    price_range: fc.constantFrom(0, 0.03, 0.2),
    min_notional: fc.constantFrom(0, 10, 1000),
  }),
  mark: fc.constantFrom(100, 1000.5, 3000),
  spread: fc.constantFrom(0.5, 1, 5),
  side: fc.constantFrom('BUY' as const, 'SELL' as const),
  at: fc.option(fraction(0.2, 1.8)),
  away: fraction(0.001, 0.4),
  risk_usdc: fc.integer({ min: 1, max: 20_000 }),
})

test('no suggestion loses more at its stop than was risked, whatever the rules of the market', async () => {
  const seen = { kept: 0, moved: 0, asked: 0 }
  const property = fc.asyncProperty(CASE, async ({ at, away, side, risk_usdc, ...setting }) => {
    const { mark } = setting
    const order_price = at === null ? undefined : Number((at * mark).toFixed(3))
    const from = order_price ?? mark
    const stop = Number((side === 'BUY' ? from * (1 - away) : from * (1 + away)).toFixed(3))
    const given = { side, stop_loss: stop, risk_usdc, ...(order_price && { order_price }) }
    let { suggested } = await preview(setting, given)
    if (suggested && !('order_quantity' in suggested)) {
      seen.asked += 1
      expect(suggested.risk_usdc).toBe(risk_usdc)
      const { stop_loss } = suggested
      suggested = (await preview(setting, { ...given, stop_loss })).suggested
    }
    if (!suggested) return
    seen[suggested.order_price === order_price ? 'kept' : 'moved'] += 1
    expect(lossOf(setting, suggested)).toBeLessThanOrEqual(exact(risk_usdc))
  })
  await fc.assert(property, { numRuns: 1000, seed: 7 })
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50)
})

test.each([
  ['takes something', 1010, 'The venue does not say the fee rate'],
  ['only rests', 990, 'Not enough free collateral for any size'],
])(
  'at an unknown fee, no size is called too large for an order that %s unless that is certain',
  async (_, order_price, next) => {
    const { market, book, account } = marketAt({ rules: {}, mark: 1000, spread: 1 })
    const given: OrderArguments = {
      ...{ symbol: SYMBOL, side: 'BUY', order_type: 'LIMIT', reduce_only: false },
      ...{ order_price, order_quantity: 2 },
    }
    const prepared = await prepareOrder(CONTEXT, market, given, { book, asked: given })
    // Free collateral that carries half of an order that takes, and nothing of one that rests.
    const free = order_price > 1000 ? exact(100) : 0n
    const poor = { ...account, takerFee: null, collateral: exact(100), free }
    const found: Loose = await buildPreview(CONTEXT, prepared, poor, null)
    expect(found.problems).toMatchObject([{ code: 'insufficient_margin' }])
    expect(found.next).toStartWith(next)
  },
)

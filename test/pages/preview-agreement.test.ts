import { afterAll, beforeAll, expect, test } from 'bun:test'
import { memberText, readExact } from '../../src/pages/common/exact-json.ts'
import { imrFactorIn } from '../../src/pages/trade/account/rows.ts'
import { toAccountAtMarks } from '../../src/pages/trade/account/totals.ts'
import { rulesBySymbol } from '../../src/pages/trade/market/rows.ts'
import type { Draft } from '../../src/pages/trade/orders/check.ts'
import { estimated } from '../../src/pages/trade/orders/estimate.ts'
import {
  arrivingOrderVerdict,
  inMode,
  largestTicketSize,
  marketNow,
} from '../../src/pages/trade/orders/judge.ts'
import { accountIn } from '../../src/pages/trade/orders/ticket-account.ts'
import {
  amountNumber,
  quotient,
  roundedToStep,
  toAmount,
  toUsdcNumber,
} from '../../src/perp/amounts.ts'
import { parseBook } from '../../src/perp/book.ts'
import type { MarginMode, Side } from '../../src/perp/positions.ts'
import { openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'

const SYMBOL = 'PERP_ETH_USDC'

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld({ LIMIT_RELAY: 'off', LIMIT_ACCOUNT: 'off', LIMIT_READ: 'off' })
})
afterAll(() => world.stop())

const exactly = (answer: unknown) => readExact(JSON.stringify(answer))

/** What the page knows of the account and the market, at a venue whose time stands still. */
async function known(mode: MarginMode) {
  const { client, credentials } = world
  const read = async (path: string) =>
    exactly(await client.relay(credentials, { method: 'GET', path }))
  const isolated = mode === 'ISOLATED' ? '&margin_mode=ISOLATED' : ''
  const [positions, orders, info, leverage, live] = await Promise.all([
    read('/v1/positions'),
    read('/v1/orders?status=INCOMPLETE&page=1&size=500'),
    read('/v1/client/info'),
    read(`/v1/client/leverage?symbol=${SYMBOL}${isolated}`),
    // The mark of this moment, which the page follows live: the list of markets is some seconds old.
    read(`/v1/position/${SYMBOL}`),
  ])
  const [rules, book] = await Promise.all([
    client.get('/api/prep/market-rules'),
    client.get('/api/prep/orderbook', { symbol: SYMBOL }),
  ])
  const rule = rulesBySymbol(exactly(rules)).get(SYMBOL)
  const mark = toAmount(memberText(live, 'mark_price'))
  const account = toAccountAtMarks({ positions, orders, info }, new Map())
  if (!rule || !mark || !account) throw new Error('nothing is known')
  const settings = { leverage: Number(memberText(leverage, 'leverage')), mode }
  return {
    market: marketNow(rule, mark, parseBook(exactly(book))),
    account: accountIn(
      account,
      rule,
      { ...settings, imrFactor: imrFactorIn(info, SYMBOL) },
      new Set(),
    ),
  }
}

/** The figures of the ticket for an order. */
async function ticketFigures(draft: Draft, mode: MarginMode) {
  const { market, account } = await known(mode)
  const { match, excess } = arrivingOrderVerdict(market, draft, account)
  const shown = match && estimated(market, inMode(draft, account), match, account)
  if (!match || !shown?.figures) throw new Error('no figures')
  const { fee, margin, liquidation } = shown.figures
  if (fee === null) throw new Error('no fee')
  return {
    excess,
    value: toUsdcNumber(shown.value),
    fills: amountNumber(match.fill.quantity),
    worst: match.fill.worst && amountNumber(match.fill.worst),
    fee: toUsdcNumber(fee),
    margin: toUsdcNumber(margin),
    liquidation: liquidation && amountNumber(liquidation),
    largest: amountNumber(largestTicketSize(market, draft, account) ?? -1n),
  }
}

function asked({ side, type, price, quantity, reduceOnly, slippage }: Draft, mode: MarginMode) {
  return {
    ...{ symbol: SYMBOL, side, order_type: type, order_quantity: amountNumber(quantity) },
    ...(price !== null && { order_price: amountNumber(price) }),
    ...(slippage !== null && { slippage: amountNumber(slippage) }),
    ...{ reduce_only: reduceOnly, margin_mode: mode },
  }
}

/** The figures of the preview of the same order; the largest size is suggested for one that is too large. */
async function previewFigures(draft: Draft, mode: MarginMode) {
  const { estimate, account } = await world.call('preview_order', asked(draft, mode))
  const tooMuch = { ...draft, quantity: toAmount(700) ?? 0n }
  const large = await world.call('preview_order', asked(tooMuch, mode))
  return {
    excess: null,
    value: estimate.value_usdc,
    fills: estimate.fills_now,
    worst: estimate.worst_price,
    fee: estimate.fee_usdc,
    margin: account.initial_margin_needed,
    liquidation: account.est_liq_price_after,
    largest: large.suggested.order_quantity,
  }
}

/** An order that executes whole when it arrives. */
function taking(side: Side, size: string, change: Partial<Draft> = {}): Draft {
  const amount = toAmount(size) ?? 0n
  return {
    ...{ side, type: 'MARKET', price: null, quantity: amount, reduceOnly: false, slippage: null },
    ...change,
  }
}

const MODES = ['CROSS', 'ISOLATED'] as const

test.each(MODES)(
  'the ticket and preview_order have the same figures of an order, %s',
  async (mode) => {
    const slippage = toAmount('0.01')
    const orders = [
      taking('BUY', '0.5'),
      taking('BUY', '3.25', { slippage }),
      taking('SELL', '0.75'),
      taking('SELL', '2', { type: 'IOC', price: toAmount('1') }),
    ]
    for (const held of ['0', '1.5']) {
      if (held !== '0') await world.call('place_order', asked(taking('BUY', held), mode))
      const { market } = await known(mode)
      for (const order of orders) {
        const low =
          market.mark && market.mark - (market.mark % market.quoteTick) - market.quoteTick * 100n
        const draft = order.price === null ? order : { ...order, price: low }
        const preview = await previewFigures(draft, mode)
        expect(await ticketFigures(draft, mode)).toEqual(preview)
        expect([preview.fee, preview.largest].every((figure) => figure > 0)).toBe(true)
      }
    }
  },
)

test.each(MODES)(
  'of an order that the book fills in part, both say the same fill, %s',
  async (mode) => {
    const { market } = await known(mode)
    const price = market.book.asks[0]?.price ?? 0n
    const draft = taking('BUY', '200', { type: 'IOC', price })
    const { estimate, problems } = await world.call('preview_order', asked(draft, mode))
    const { account } = await known(mode)
    const { match, excess } = arrivingOrderVerdict(market, draft, account)
    expect(amountNumber(match?.fill.quantity ?? 0n)).toBe(estimate.fills_now)
    expect(amountNumber(match?.fill.worst ?? 0n)).toBe(estimate.worst_price)
    expect(estimate.unfilled).toBeGreaterThan(0)
    expect(excess).toBe('margin')
    expect(problems).toMatchObject([{ code: 'insufficient_margin' }])
  },
)

test('ticket and preview name the same broken rules of an order without an account, where any size may close a position', async () => {
  const { market } = await known('CROSS')
  const cases: readonly (readonly [size: string, reduceOnly: boolean])[] = [
    ['0.0001', false],
    ['0.0001', true],
    ['0.00015', true],
    ['1', true],
  ]
  for (const [size, reduceOnly] of cases) {
    const order = taking('SELL', size, { type: 'LIMIT', price: toAmount('100000'), reduceOnly })
    const { margin_mode: _, ...args } = asked(order, 'CROSS')
    const { problems } = await world.call('preview_order', args, { credentials: null })
    const shown = arrivingOrderVerdict(market, order, null).problems.map(({ rule }) => rule)
    expect(problems.map(({ rule }: { readonly rule: string }) => rule).toSorted()).toEqual(
      shown.toSorted(),
    )
  }
})

test('both refuse a reduce-only order below the minimum value that leaves a part of the position', async () => {
  await world.call('place_order', asked(taking('BUY', '0.5'), 'CROSS'))
  const { market, account } = await known('CROSS')
  const part = roundedToStep(
    quotient(market.minNotional / 2n, market.mark ?? 1n),
    market.baseTick,
    'ceil',
  )
  const order = { ...taking('SELL', '0', { reduceOnly: true }), quantity: part }
  const { problems } = await world.call('preview_order', asked(order, 'CROSS'))
  expect(problems).toMatchObject([{ rule: 'min_notional' }])
  expect(arrivingOrderVerdict(market, order, account).problems).toMatchObject([
    { rule: 'min_notional' },
  ])
  expect(arrivingOrderVerdict(market, order, null).problems).toEqual([])
})

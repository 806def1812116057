import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { filledTemplate } from '../../src/pages/common/format.ts'
import { TICKET_TEXTS } from '../../src/pages/trade/messages/ticket.ts'
import type { Draft } from '../../src/pages/trade/orders/check.ts'
import {
  legProblem,
  type WaitingDraft,
  waitingOrderVerdict,
} from '../../src/pages/trade/orders/conditional.ts'
import { estimated } from '../../src/pages/trade/orders/estimate.ts'
import {
  arrivingOrderVerdict,
  type Fate,
  inMode,
  largestTicketSize,
  marketNow,
  NO_BOOK,
  sizeForUsdc,
} from '../../src/pages/trade/orders/judge.ts'
import type { TicketAccount } from '../../src/pages/trade/orders/ticket-account.ts'
import { amountText, toAmount } from '../../src/perp/amounts.ts'
import { toMarketRules } from '../../src/perp/market-rules.ts'
import type { MarginPosition } from '../../src/perp/positions.ts'
import { bodyText } from '../../src/perp/write-body.ts'

function value(text: string): bigint {
  const found = toAmount(text)
  if (found === null) throw new Error(text)
  return found
}

const RULE = toMarketRules({
  ...{ symbol: 'PERP_ETH_USDC', maxLeverage: '100' },
  info: {
    ...{ quote_tick: '0.01', quote_min: '0', quote_max: '100000', price_range: '0.03' },
    ...{ base_tick: '0.0001', base_min: '0.0001', base_max: '150', price_scope: '0.4' },
    ...{ min_notional: '10', base_imr: '0.01', base_mmr: '0.006' },
  },
})

const DRAFT: Draft = {
  ...{ side: 'BUY', type: 'LIMIT', price: value('2000'), quantity: value('1') },
  ...{ reduceOnly: false, slippage: null },
}

const BOOK = {
  bids: [],
  asks: [
    { price: value('2000'), quantity: value('1') },
    { price: value('2010'), quantity: value('2') },
  ],
}

const MARKET = marketNow(RULE, value('2000'), BOOK)
const EMPTY = marketNow(RULE, value('2000'), NO_BOOK)

const TRADER: TicketAccount = {
  ...{ positions: [], orders: [], mode: 'CROSS', collateral: value('500'), free: value('500') },
  ...{ takerFee: value('0.0006'), makerFee: value('0.0002') },
  rates: { leverage: 10, baseImr: RULE.baseImr, baseMmr: RULE.baseMmr, imrFactor: 0 },
}

function figuresOf(market: typeof MARKET, draft: Draft, account: TicketAccount) {
  const { match } = arrivingOrderVerdict(market, draft, account)
  return match && estimated(market, inMode(draft, account), match, account)?.figures
}

/** A long position of 1 that was opened at the mark. */
const HELD: MarginPosition = {
  ...{ symbol: 'PERP_ETH_USDC', mode: 'CROSS', quantity: value('1'), mark: value('2000') },
  ...{ pendingBuys: 0n, pendingSells: 0n, cost: value('2000'), margin: 0n, leverage: 10 },
  ...{ mmr: value('0.006'), imrWithOrders: value('0.1') },
}

describe('the ticket', () => {
  test('names the broken rules of an order by its fields, with what keeps them', () => {
    const wrong = { ...DRAFT, price: value('2100'), quantity: value('151') }
    const { problems } = arrivingOrderVerdict(EMPTY, wrong, null)
    expect(problems.map(({ field, rule }) => `${field} ${rule}`)).toEqual([
      'price price_range',
      'size base_max',
    ])
    expect(problems.map(({ corrected }) => amountText(corrected))).toEqual(['2060', '150'])
    expect(arrivingOrderVerdict(EMPTY, DRAFT, null).problems).toEqual([])
  })

  test.each([
    ['POST_ONLY', '1', '2000', 'would_trade'],
    ['POST_ONLY', '1', '1999', null],
    ['FOK', '3', '2010', null],
    ['FOK', '3.1', '2010', 'not_whole'],
    ['IOC', '1', '1999', 'takes_nothing'],
    ['IOC', '9', '2000', null],
    ['LIMIT', '1', '1999', null],
  ] as const)('knows what becomes of %s %s at %s', (type, size, price, fate) => {
    const draft = { ...DRAFT, type, quantity: value(size), price: value(price) }
    expect(arrivingOrderVerdict(MARKET, draft, null).fate).toBe(fate)
  })

  test('shows no fee while a rate that it depends on is unknown, and zero where the rate is zero', () => {
    const fee = (draft: Draft, rates: Pick<TicketAccount, 'takerFee' | 'makerFee'>) =>
      figuresOf(MARKET, draft, { ...TRADER, ...rates })?.fee
    const [takerFee, makerFee] = [value('0.0006'), value('0.0002')]
    expect(fee(DRAFT, { takerFee: null, makerFee })).toBeNull()
    expect(fee(DRAFT, { takerFee, makerFee: null })).toBe(value('1.2'))
    expect(fee(DRAFT, { takerFee: 0n, makerFee: null })).toBe(0n)
    const resting = { ...DRAFT, price: value('1999') }
    expect(fee(resting, { takerFee, makerFee: null })).toBeNull()
    expect(fee(resting, { takerFee: null, makerFee })).toBe(value('0.3998'))
  })

  test('does not call an order fitting whose fee is unknown, unless nothing of it fills at once', () => {
    const trader = { ...TRADER, takerFee: null }
    const fitting = { ...DRAFT, quantity: value('0.1') }
    expect(arrivingOrderVerdict(MARKET, fitting, TRADER).excess).toBeNull()
    expect(arrivingOrderVerdict(MARKET, fitting, trader).excess).toBe('fee')
    expect(arrivingOrderVerdict(EMPTY, fitting, trader).excess).toBeNull()
    expect(arrivingOrderVerdict(MARKET, { ...DRAFT, quantity: value('9') }, trader).excess).toBe(
      'margin',
    )
    expect(largestTicketSize(MARKET, DRAFT, TRADER)).toBeGreaterThan(0n)
    expect(largestTicketSize(MARKET, DRAFT, trader)).toBeNull()
    const resting = { ...DRAFT, price: value('1999') }
    expect(largestTicketSize(MARKET, resting, trader)).toBe(
      largestTicketSize(MARKET, resting, TRADER),
    )
    expect(largestTicketSize(MARKET, resting, TRADER)).toBeGreaterThan(0n)
    const held = { ...trader, positions: [HELD] }
    expect(
      arrivingOrderVerdict(MARKET, { ...fitting, side: 'SELL', reduceOnly: true }, held).excess,
    ).toBeNull()
  })

  test('shows no liquidation while the fee before it is unknown', () => {
    expect(figuresOf(EMPTY, DRAFT, { ...TRADER, takerFee: null })?.liquidation).toBeUndefined()
    expect(figuresOf(EMPTY, DRAFT, TRADER)?.liquidation).toBeGreaterThan(0n)
  })

  test('says that a reduce-only order is larger than the position, and nothing of one that is not', () => {
    const holder = { ...TRADER, positions: [HELD] }
    const closing = { ...DRAFT, side: 'SELL', reduceOnly: true } as const
    expect(arrivingOrderVerdict(EMPTY, { ...closing, quantity: value('1.1') }, holder).excess).toBe(
      'position',
    )
    expect(arrivingOrderVerdict(EMPTY, closing, holder).excess).toBeNull()
    expect(arrivingOrderVerdict(EMPTY, closing, TRADER).excess).toBe('position')
    expect(largestTicketSize(EMPTY, closing, { ...holder, takerFee: null })).toBe(value('1'))
  })

  test('estimates fee, margin and the mark that would liquidate', () => {
    const { fee, margin, liquidation } = figuresOf(MARKET, DRAFT, TRADER) ?? {}
    expect([fee, margin]).toEqual([value('1.2'), value('200')])
    // 498.8 + (p − 2000) = 0.006 p
    expect(Number(amountText(liquidation ?? 0n))).toBeCloseTo(1501.2 / 0.994, 4)
  })

  test('estimates of what rests the fee of a maker, and the liquidation once it has filled', () => {
    const { fee, margin, liquidation } = figuresOf(EMPTY, DRAFT, TRADER) ?? {}
    expect([fee, margin]).toEqual([value('0.4'), value('200')])
    expect(Number(amountText(liquidation ?? 0n))).toBeCloseTo(1501.2 / 0.994, 4)
  })

  test('estimates no liquidation of a position that is closed, and no size without free margin', () => {
    const holder = { ...TRADER, positions: [HELD] }
    const closing = { ...DRAFT, side: 'SELL' } as const
    expect(figuresOf(EMPTY, closing, holder)?.liquidation).toBeNull()
    expect(figuresOf(EMPTY, DRAFT, holder)?.liquidation).not.toBeNull()
    expect(largestTicketSize(EMPTY, DRAFT, { ...TRADER, free: 0n })).toBe(0n)
    expect(largestTicketSize(EMPTY, DRAFT, { ...TRADER, free: value('200') })).toBe(value('0.99'))
  })

  test('puts a long that margin carries below its entry, a short above, and refuses the others', () => {
    const amount = fc.bigInt({ min: 1n, max: value('40') })
    const leverage = fc.integer({ min: 1, max: 100 })
    const side = fc.constantFrom('BUY' as const, 'SELL' as const)
    fc.assert(
      fc.property(amount, amount, leverage, side, (size, money, times, direction) => {
        const rates = { ...TRADER.rates, leverage: times }
        const account = { ...TRADER, rates, free: money * 50n, collateral: money * 50n }
        const draft = { ...DRAFT, side: direction, size }
        const liquidation = figuresOf(EMPTY, draft, account)?.liquidation ?? null
        if (arrivingOrderVerdict(EMPTY, draft, account).excess !== null || liquidation === null)
          return
        if (direction === 'BUY') expect(liquidation).toBeLessThan(value('2000'))
        else expect(liquidation).toBeGreaterThan(value('2000'))
      }),
    )
  })
})

describe('a size in USDC', () => {
  test.each([
    ['takes the book of a MARKET order', 'MARKET', '2000', '1.997512437810945273'],
    ['ignores the book for a stop, which waits for its trigger', 'STOP', '2500', '1.602'],
    ['ignores the book for a trailing stop', 'TRAILING_STOP', '1600', '2.503125'],
    ['ignores the depth of the book for parts that are sent one by one', 'TWAP', '2000', '2.0025'],
    ['is by the price of a LIMIT order', 'LIMIT', '1000', '4.005'],
  ] as const)('%s', (_, kind, reference, size) => {
    const order = { kind, side: 'BUY' } as const
    const found = sizeForUsdc(value('4005'), order, BOOK, value(reference))
    expect(amountText(found)).toBe(size)
  })
})

describe('the page’s check of an order that waits', () => {
  const STOP: WaitingDraft = {
    ...{ side: 'SELL', price: null, trigger: value('1900'), quantity: value('1') },
    ...{ reduceOnly: false, mark: value('2000') },
  }

  test.each<[string, Partial<WaitingDraft>, readonly string[]]>([
    ['nothing, however far its trigger is', { trigger: value('20') }, []],
    ['a trigger between two ticks', { trigger: value('1899.999') }, ['trigger quote_tick']],
    ['a trigger above the bounds', { trigger: value('200000') }, ['trigger quote_max']],
    ['a size worth too little at its trigger', { quantity: value('0.005') }, ['size min_notional']],
    ['nothing of so little that only closes', { quantity: value('0.005'), reduceOnly: true }, []],
    ['a price between two ticks', { price: value('1899.999') }, ['price quote_tick']],
  ])('finds %s', (_, change, wanted) => {
    const { problems, excess } = waitingOrderVerdict(RULE, { ...STOP, ...change }, null)
    expect(problems.map(({ field, rule }) => `${field} ${rule}`)).toEqual([...wanted])
    expect(excess).toBeNull()
  })

  test.each<[string, Partial<WaitingDraft>, Fate | null]>([
    ['nothing', {}, null],
    ['that its price is too far from its trigger', { price: value('1700') }, 'range_then'],
    ['nothing of a price near its trigger', { price: value('1890') }, null],
  ])('foresees %s', (_, change, wanted) => {
    expect(waitingOrderVerdict(RULE, { ...STOP, ...change }, null).fate).toBe(wanted)
  })

  test.each([
    ['TAKE_PROFIT', true, '2001', null],
    ['TAKE_PROFIT', true, '2000', 'above'],
    ['STOP_LOSS', true, '1999', null],
    ['STOP_LOSS', true, '2000', 'below'],
    ['TAKE_PROFIT', false, '1999', null],
    ['TAKE_PROFIT', false, '2000', 'below'],
    ['STOP_LOSS', false, '2001', null],
    ['STOP_LOSS', false, '2000', 'above'],
    ['STOP_LOSS', true, '1999.999', 'quote_tick'],
  ] as const)('of a %s of a position (long: %p) at %s finds %p', (leg, isLong, at, wanted) => {
    const found = legProblem(RULE, { leg, isLong, reference: value('2000') }, value(at))
    const values = { leg: TICKET_TEXTS.legs[leg], price: '2,000.00' }
    const text =
      wanted === 'quote_tick'
        ? TICKET_TEXTS.problem[wanted]
        : wanted && TICKET_TEXTS.legSide[wanted]
    expect(found?.text ?? null).toBe(text && filledTemplate(text, values))
  })
})

test('a body holds decimals as they are, and nothing that is not said', () => {
  const body = bodyText({
    symbol: 'A"B',
    order_price: value('0.00000001'),
    order_quantity: value('90071992547409.93'),
    slippage: null,
    child_orders: [{ trigger_price: value('0.1'), price: null }],
  })
  expect(body).toBe(
    '{"symbol":"A\\"B","order_price":0.00000001,"order_quantity":90071992547409.93,"child_orders":[{"trigger_price":0.1}]}',
  )
})

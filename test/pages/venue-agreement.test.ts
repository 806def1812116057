// Slow: days of the venue pass, whose figures the page has to agree with.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ONE } from '../../src/core/decimals.ts'
import { memberText, readExact } from '../../src/pages/common/exact-json.ts'
import { fundingCharges, fundingSince } from '../../src/pages/trade/account/funding.ts'
import { accountPositions, imrFactorIn, isIsolatedIn } from '../../src/pages/trade/account/rows.ts'
import { toAccountAtMarks } from '../../src/pages/trade/account/totals.ts'
import { rulesBySymbol, toListedMarkets } from '../../src/pages/trade/market/rows.ts'
import type { Draft } from '../../src/pages/trade/orders/check.ts'
import { waitingOrderVerdict } from '../../src/pages/trade/orders/conditional.ts'
import { estimated } from '../../src/pages/trade/orders/estimate.ts'
import {
  arrivingOrderVerdict,
  inMode,
  largestTicketSize,
  marketNow,
} from '../../src/pages/trade/orders/judge.ts'
import { accountIn } from '../../src/pages/trade/orders/ticket-account.ts'
import { amountText, toAmount } from '../../src/perp/amounts.ts'
import { parseBook } from '../../src/perp/book.ts'
import type { MarketRules } from '../../src/perp/market-rules.ts'
import type { Side } from '../../src/perp/positions.ts'
import { type MoneyFixture, type Opened, openMoneyFixture } from '../surface/money-fixture.ts'

const SYMBOL = 'PERP_ETH_USDC'
const HUNDRED_MILLIONTH = ONE / 100_000_000n

let fixture: MoneyFixture
beforeAll(async () => {
  fixture = await openMoneyFixture('in process')
})
afterAll(() => fixture.stop())

function exactly(answer: unknown) {
  return readExact(JSON.stringify(answer))
}

/** Everything that the page knows when an order is judged, of a venue whose time stands still. */
async function known(who: Opened) {
  const read = async (path: string) => exactly(await fixture.call(who, 'GET', path))
  const modes = await read('/v1/client/margin_modes')
  const isIsolated = isIsolatedIn(modes, SYMBOL)
  const mode = isIsolated ? '&margin_mode=ISOLATED' : ''
  const [positions, info, leverage, orders] = await Promise.all([
    read('/v1/positions'),
    read('/v1/client/info'),
    read(`/v1/client/leverage?symbol=${SYMBOL}${mode}`),
    read('/v1/orders?status=INCOMPLETE&page=1&size=500'),
  ])
  await fixture.purge()
  const [markets, rules, book] = await Promise.all([
    fixture.get('/api/prep/markets'),
    fixture.get('/api/prep/market-rules'),
    fixture.get('/api/prep/orderbook', { symbol: SYMBOL }),
  ])
  const rule = rulesBySymbol(exactly(rules)).get(SYMBOL)
  const mark = toListedMarkets(exactly(markets)).find(({ symbol }) => symbol === SYMBOL)?.mark
  const found = toAccountAtMarks({ positions, orders, info }, new Map([[SYMBOL, mark ?? 0n]]))
  if (!rule || !mark || !found) throw new Error('nothing is known')
  const settings = {
    leverage: Number(memberText(leverage, 'leverage')),
    imrFactor: imrFactorIn(info, SYMBOL),
  }
  const account = accountIn(
    found,
    rule,
    { ...settings, mode: isIsolated ? 'ISOLATED' : 'CROSS' },
    new Set(),
  )
  const market = marketNow(rule, mark, parseBook(exactly(book)))
  return { market, mark, account, used: accountPositions(positions) }
}

type Known = Awaited<ReturnType<typeof known>>

type Wanted = Omit<Draft, 'quantity' | 'slippage'>

/** Sends an order; answers the code that it is refused with, or null. */
async function send(who: Opened, { side, type, price, reduceOnly }: Wanted, size: bigint) {
  const answer = await fixture.refusal(who, '/v1/order', {
    ...{ symbol: SYMBOL, side, order_type: type, order_quantity: Number(amountText(size)) },
    ...(price !== null && { order_price: Number(amountText(price)) }),
    reduce_only: reduceOnly,
  })
  return typeof answer === 'string' ? answer : null
}

/** Random numbers that are the same each time. */
function lehmer(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

function randomOrder(below: (count: number) => number, { mark, market }: Known): Wanted {
  const side = below(2) === 0 ? 'BUY' : 'SELL'
  const type = (['LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY'] as const)[below(5)] ?? 'LIMIT'
  // Up to five per cent around the mark, of which three are allowed on one side.
  const price = onTick(market, (mark * BigInt(9500 + below(1000))) / 10_000n)
  return { side, type, price: type === 'MARKET' ? null : price, reduceOnly: below(6) === 0 }
}

function onTick({ quoteTick }: MarketRules, price: bigint): bigint {
  return price - (price % quoteTick)
}

const ACCOUNTS = [
  ['cross', 10, 'CROSS'],
  ['cross', 50, 'CROSS'],
  ['isolated', 10, 'ISOLATED'],
  ['isolated', 25, 'ISOLATED'],
] as const

async function openAt(leverage: number, mode: string): Promise<Opened> {
  const who = await fixture.account()
  await fixture.call(who, 'POST', '/v1/client/margin_mode', {
    ...{ symbol: SYMBOL, default_margin_mode: mode },
  })
  await fixture.call(who, 'POST', '/v1/client/leverages', {
    ...{ symbol: SYMBOL, leverage, margin_mode: mode },
  })
  return who
}

describe.each(ACCOUNTS)('the page and the venue, %s at %d×', (_, leverage, mode) => {
  test('refuse the same orders', async () => {
    const who = await openAt(leverage, mode)
    const below = lehmer(leverage)
    const seen = { taken: 0, refused: 0 }
    for (let count = 0; count < 30; count += 1) {
      const now = await known(who)
      const wanted = randomOrder(below, now)
      const draft = { ...wanted, slippage: null }
      const most = largestTicketSize(now.market, draft, now.account) ?? -1n
      const { baseTick: step, baseMin: sizeMin } = now.market
      // From far below the largest size to a third beyond it.
      const size = sizeMin + ((most * BigInt(below(400))) / 300n / step) * step
      const { problems, excess } = arrivingOrderVerdict(
        now.market,
        { ...draft, quantity: size },
        now.account,
      )
      // The venue cuts a reduce-only order to its position, or refuses one without.
      if (excess === 'position' && most > 0n) continue
      const isRefused = problems.length > 0 || excess !== null
      const code = await send(who, wanted, size)
      expect([code, wanted, amountText(size), problems, excess, isRefused]).toEqual([
        isRefused ? expect.any(String) : null,
        ...[wanted, amountText(size), problems, excess, isRefused],
      ])
      seen[isRefused ? 'refused' : 'taken'] += 1
    }
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(4)
  })

  test.each(['BUY', 'SELL'] as const)(
    'agree on the largest %s, and on what would liquidate it',
    async (side) => {
      // Makers quote again what the test before has taken.
      await fixture.advance(60_000)
      const who = await openAt(leverage, mode)
      const now = await known(who)
      const wanted = { side, type: 'MARKET', price: null, reduceOnly: false } as const
      const { market, account } = now
      const most = largestTicketSize(market, { ...wanted, slippage: null }, account) ?? -1n
      // It keeps a hundredth of the free margin back, because prices move before it arrives.
      const beyond = (most * 102n) / 100n
      expect(await send(who, wanted, beyond - (beyond % market.baseTick))).toBe(
        'insufficient_margin',
      )
      const draft = { ...wanted, slippage: null, quantity: most }
      const { match } = arrivingOrderVerdict(market, draft, account)
      if (!match) throw new Error('no match')
      const { fill } = match
      const { figures, price = 0n } =
        estimated(market, inMode(draft, account), match, account) ?? {}
      expect(await send(who, wanted, most)).toBeNull()
      const after = await known(who)
      const [position] = after.used
      expect(position?.size).toBe(side === 'BUY' ? fill.quantity : -fill.quantity)
      const liquidation = Number(amountText(figures?.liquidation ?? 0n))
      // The trade itself moves the mark a little.
      const found = Number(amountText(position?.liquidation ?? 0n))
      expect(Math.abs(liquidation - found) / found).toBeLessThan(0.0005)
      if (side === 'BUY') expect(liquidation).toBeLessThan(Number(amountText(price)))
      else expect(liquidation).toBeGreaterThan(Number(amountText(price)))
    },
  )
})

test('the page and the venue refuse the same stops', async () => {
  const who = await fixture.account()
  const below = lehmer(7)
  const seen = { taken: 0, refused: 0 }
  for (let count = 0; count < 24; count += 1) {
    const { market: rule, mark } = await known(who)
    const side = below(2) === 0 ? 'BUY' : 'SELL'
    // Anywhere from nothing to twice the mark; now and then off the tick or the step, or of too little value.
    const trigger =
      onTick(rule, (mark * BigInt(1 + below(200))) / 100n) +
      BigInt(below(4) === 0) * HUNDRED_MILLIONTH
    const price = below(2) === 0 ? null : onTick(rule, (mark * BigInt(90 + below(20))) / 100n)
    const quantity =
      rule.baseTick * BigInt(1 + below(400)) + BigInt(below(5) === 0) * HUNDRED_MILLIONTH
    const reduceOnly = below(3) === 0
    const draft = { side, price, trigger, quantity, reduceOnly, mark } as const
    const { problems } = waitingOrderVerdict(rule, draft, null)
    const answer = await fixture.refusal(who, '/v1/algo/order', {
      ...{ symbol: SYMBOL, algo_type: 'STOP', side, type: price === null ? 'MARKET' : 'LIMIT' },
      ...{ quantity: amountText(quantity), trigger_price: amountText(trigger) },
      ...(price !== null && { price: amountText(price) }),
      reduce_only: reduceOnly,
    })
    const isRefused = problems.length > 0
    expect([typeof answer === 'string', draft, answer]).toEqual([isRefused, draft, answer])
    seen[isRefused ? 'refused' : 'taken'] += 1
    // The venue takes one such order a second.
    await fixture.advance(1000)
  }
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(4)
})

test('the page sums what a position was charged since it was opened to what the venue has for it', async () => {
  const who = await fixture.account()
  const trade = async (side: Side) =>
    send(who, { side, type: 'MARKET', price: null, reduceOnly: false }, toAmount('1') ?? 0n)
  // A position that has ended leaves its charges in the same list.
  expect(await trade('BUY')).toBeNull()
  await fixture.advance(9 * 3_600_000)
  expect(await trade('SELL')).toBeNull()
  await fixture.advance(60_000)
  expect(await trade('SELL')).toBeNull()
  await fixture.advance(9 * 3_600_000)
  const [position] = accountPositions(exactly(await fixture.call(who, 'GET', '/v1/positions')))
  const charges = fundingCharges(exactly(await fixture.call(who, 'GET', '/v1/funding_fee/history')))
  const closed = exactly(await fixture.call(who, 'GET', '/v1/position_history'))
  if (!position) throw new Error('no position')
  const sum = Number(amountText(fundingSince(charges, closed, position) ?? 0n))
  expect(sum).not.toBe(0)
  // Once it is closed, the venue says itself what it was charged.
  expect(await trade('BUY')).toBeNull()
  const { rows } = Object(await fixture.call(who, 'GET', '/v1/position_history'))
  expect(rows[0].open_timestamp).toBe(position.openedAtMs)
  expect(sum).toBeCloseTo(-rows[0].accumulated_funding_fee, 5)
  expect(charges.length).toBeGreaterThan(
    charges.filter(({ atMs }) => atMs >= (position.openedAtMs ?? 0)).length,
  )
  const tooMany = Array.from({ length: 500 }, () => charges[0]).flatMap((charge) => charge ?? [])
  expect(fundingSince(tooMany, closed, position)).toBeNull()
})

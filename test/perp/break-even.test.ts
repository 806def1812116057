import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { absolute, ONE } from '../../src/core/decimals.ts'
import { amountText, toAmount } from '../../src/perp/amounts.ts'
import { breakEvenPrice } from '../../src/perp/break-even.ts'
import { runs } from '../runs.ts'

const ETH = 'PERP_ETH_USDC'
const exact = (value: string) => toAmount(value) ?? 0n
const TAKER = exact('0.0006')

const FILL = fc.record({
  isBuy: fc.boolean(),
  size: fc.integer({ min: 1, max: 400 }).map((ticks) => BigInt(ticks) * exact('0.001')),
  price: fc.integer({ min: 1, max: 50_000 }).map((ticks) => BigInt(ticks) * exact('0.1')),
  fee: fc.integer({ min: -500, max: 5000 }).map((micros) => BigInt(micros) * exact('0.001')),
  /** Funding after the fill, as it changed the account. */
  funding: fc.integer({ min: -300, max: 300 }).map((micros) => BigInt(micros) * exact('0.01')),
})

type Fill = typeof FILL extends fc.Arbitrary<infer Of> ? Of : never

const fillRow = ({ isBuy, size, price, fee }: Fill, at: number) => ({
  ...{ symbol: ETH, margin_mode: 'CROSS', side: isBuy ? 'BUY' : 'SELL', fee_asset: 'USDC' },
  ...{ executed_quantity: amountText(size), executed_price: amountText(price) },
  ...{ fee: amountText(fee), executed_timestamp: 10 * at },
})

const fundingRow = ({ funding }: Fill, at: number) => ({
  ...{ symbol: ETH, margin_mode: 'CROSS', created_time: 10 * at + 5 },
  ...{ funding_fee: amountText(funding), payment_type: funding < 0n ? 'Pay' : 'Receive' },
})

/** Money is counted with eighteen decimals more, so that it is exact but for the fee of a fill that reverses. */
const wide = (amount: bigint) => amount * ONE

/** The position that fills make, oldest first, and the money that it has changed the account by since it was opened. */
function ledger(fills: readonly Fill[]) {
  let [held, money] = [0n, 0n]
  for (const { isBuy, size, price, fee, funding } of fills) {
    const signed = isBuy ? size : -size
    const then = held + signed
    const isNew = held === 0n || (then !== 0n && then > 0n !== held > 0n)
    const opened = isNew && held !== 0n ? absolute(then) : size
    money = isNew
      ? (signed > 0n ? -opened : opened) * price - wide(fee * opened) / size
      : money - signed * price - wide(fee)
    held = then
    if (held !== 0n) money += wide(funding)
  }
  return { held, money }
}

/** Fills and payments as the venue lists them, newest first, and rows of another market and margin mode between. */
function rowsOf(fills: readonly Fill[]) {
  const noise = [
    { ...fillRow({ isBuy: true, size: ONE, price: ONE, fee: ONE, funding: 0n }, 1), symbol: 'X' },
    { ...fillRow({ isBuy: false, size: ONE, price: ONE, fee: ONE, funding: 0n }, 1) },
  ].map((row, at) => (at === 0 ? row : { ...row, margin_mode: 'ISOLATED' }))
  const own = fills.map(fillRow).toReversed()
  return {
    fills: own.flatMap((row) => [...noise, row]),
    funding: fills.map(fundingRow).toReversed(),
    liquidations: [],
  }
}

const position = (quantity: bigint) => ({ symbol: ETH, mode: 'CROSS', quantity }) as const

describe('the break-even price', () => {
  test('is where closing at the taker fee leaves a PnL of zero since the position was opened', () => {
    let found = 0
    fc.assert(
      fc.property(fc.array(FILL, { minLength: 1, maxLength: 12 }), (fills) => {
        const { held, money } = ledger(fills)
        const price = breakEvenPrice(position(held), rowsOf(fills), TAKER)
        if (held === 0n) return expect(price).toBeNull()
        const size = absolute(held)
        if (price === null) {
          // The gain or loss so far is so large that no price above zero makes up for it.
          expect(held > 0n ? money >= 0n : money <= 0n).toBe(true)
          return
        }
        found += 1
        const pnl = money + held * price - (size * price * TAKER) / ONE
        expect(pnl).toBeGreaterThanOrEqual(-1n)
        // A unit of the last digit per fill, and one of the price.
        expect(pnl).toBeLessThan(BigInt(fills.length + 2) * ONE + 2n * size + price)
      }),
      { numRuns: runs(500) },
    )
    expect(found).toBeGreaterThan(100)
  })

  test('of a position without fees and funding is its entry, and with a taker fee alone above it', () => {
    const fill = { isBuy: true, size: ONE, price: exact('2000'), fee: 0n, funding: 0n }
    expect(breakEvenPrice(position(ONE), rowsOf([fill]), 0n)).toBe(exact('2000'))
    const above = breakEvenPrice(position(ONE), rowsOf([fill]), TAKER)
    expect(above && amountText(above)).toStartWith('2001.2007')
    const short = { ...fill, isBuy: false }
    const below = breakEvenPrice(position(-ONE), rowsOf([short]), TAKER)
    expect(below && amountText(below)).toStartWith('1998.8007')
  })

  test('is not known without the fill that opened, without funding, or with a fee in another token', () => {
    const fill = { isBuy: true, size: ONE, price: exact('2000'), fee: ONE, funding: -ONE }
    const rows = rowsOf([fill])
    expect(breakEvenPrice(position(ONE), rows, TAKER)).not.toBeNull()
    expect(breakEvenPrice(position(2n * ONE), rows, TAKER)).toBeNull()
    expect(breakEvenPrice({ ...position(ONE), symbol: 'PERP_BTC_USDC' }, rows, TAKER)).toBeNull()
    expect(breakEvenPrice(position(ONE), { ...rows, fills: null }, TAKER)).toBeNull()
    expect(breakEvenPrice(position(ONE), { ...rows, funding: null }, TAKER)).toBeNull()
    expect(breakEvenPrice(position(ONE), { ...rows, liquidations: null }, TAKER)).toBeNull()
    const liquidations = [{ timestamp: 5 }]
    expect(breakEvenPrice(position(ONE), { ...rows, liquidations }, TAKER)).toBeNull()
    const other = rows.fills.map((row) => ({ ...row, fee_asset: 'ORDER' }))
    expect(breakEvenPrice(position(ONE), { ...rows, fills: other }, TAKER)).toBeNull()
  })

  test('is unknown after a liquidation in its market, and as before after one in other markets', () => {
    const fill = { isBuy: true, size: ONE, price: exact('2000'), fee: 0n, funding: 0n }
    const rows = rowsOf([fill])
    const evenAfter = (...symbols: readonly string[]) => {
      const positions_by_perp = symbols.map((symbol) => ({ symbol, position_qty: 1 }))
      const liquidations = [{ timestamp: 5, positions_by_perp }]
      return breakEvenPrice(position(ONE), { ...rows, liquidations }, TAKER)
    }
    expect(evenAfter('PERP_BTC_USDC')).toBe(breakEvenPrice(position(ONE), rows, TAKER))
    expect(evenAfter('PERP_BTC_USDC')).not.toBeNull()
    expect(evenAfter(ETH)).toBeNull()
    expect(evenAfter('PERP_BTC_USDC', ETH)).toBeNull()
    expect(evenAfter()).toBeNull()
  })
})

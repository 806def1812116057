import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../src/core/failure.ts'
import { candles } from '../../../src/gateway/market/candles.ts'
import { orderbook } from '../../../src/gateway/market/orderbook.ts'
import { runs } from '../../runs.ts'
import { answerOf } from './answered.ts'

const SYMBOL = 'symbol=PERP_ETH_USDC'

const DECIMAL = fc.oneof(
  { weight: 20, arbitrary: fc.stringMatching(/^"\d{1,6}(\.\d{1,4})?"$/) },
  fc.constantFrom('"12345"', '"-1"', '"1e5"', '"acme"', '1.50', '-0', '1e-7', 'null', '"\\u0031"'),
)

describe('an answer whose rows were not parsed', () => {
  const candle = fc
    .tuple(DECIMAL, DECIMAL, DECIMAL, DECIMAL, DECIMAL, fc.nat(9))
    .map(
      ([open, high, low, close, volume, at]) =>
        `{"open":${open},"high":${high},"low":${low},"close":${close},"volume":${volume},"timestamp":${1_777_500_000_000 + at}}`,
    )
  const level = fc
    .tuple(DECIMAL, DECIMAL)
    .map(([price, quantity]) => `{"price":${price},"quantity":${quantity}}`)

  // A space between two tokens changes nothing but the way.
  const spaced = (text: string) => text.replaceAll('{"', '{ "')

  // Slow: generated answers are made in two ways.
  test('has the bytes of one whose rows were: candles, in any order and number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(candle, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(1, 3, 500),
        async (rows, limit) => {
          const query = `${SYMBOL}&interval=1m&limit=${limit}`
          const data = `{"rows":[${rows}],"next_cursor":null}`
          // Where no row is left, the market is not among those of this venue.
          const outcome = (text: string) => answerOf(candles, query, text).catch(codeOf)
          expect(await outcome(data)).toBe(await outcome(spaced(data)))
        },
      ),
      { numRuns: runs(120) },
    )
  })

  // Slow: generated answers are made in two ways.
  test('has the bytes of one whose rows were: an order book', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(level), fc.array(level), DECIMAL, async (asks, bids, middle) => {
        const data = `{"mid_price":${middle},"spread":${middle},"asks":[${asks}],"bids":[${bids}],"ts":1777500000122}`
        expect(await answerOf(orderbook, SYMBOL, data)).toBe(
          await answerOf(orderbook, SYMBOL, spaced(data)),
        )
      }),
      { numRuns: runs(120) },
    )
  })

  test('is refused where a time is no number of JSON', async () => {
    const row = (time: string) =>
      `{"open":"1","high":"1","low":"1","close":"1","volume":"1","timestamp":${time}}`
    const answer = (time: string) =>
      answerOf(candles, `${SYMBOL}&limit=1`, `{"rows":[${row(time)}]}`)
    expect(await answer('1777500000000')).toBe(`{"rows":[${row('1777500000000')}]}`)
    await expect(answer('0777500000000')).rejects.toThrow(Failure)
  })

  test('is scrubbed like every other', async () => {
    const row =
      '{"open":"1","high":"1","low":"1","close":"12345","volume":"1","timestamp":1777500000000}'
    expect(await answerOf(candles, `${SYMBOL}&limit=1`, `{"rows":[${row}]}`)).toBe(
      `{"rows":[${row.replace('12345', '')}]}`,
    )
  })
})

function codeOf(error: unknown): string {
  if (error instanceof Failure) return error.code
  throw error
}

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { flatPosition, tradePosition } from '../../../src/venue/positions/positions.ts'
import { worthOf } from '../../../src/venue/units.ts'
import { d } from '../market/small-feed.ts'

type Step = readonly [quantity: string, price: string, fee: bigint]

function traded(steps: readonly Step[]) {
  const position = flatPosition('0x1', 'PERP_BTC_USDC')
  const outcomes = steps.map(([quantity, price, fee], at) =>
    tradePosition(position, {
      quantity: d(quantity),
      price: d(price),
      fee,
      atMs: at,
      lifeId: at + 1,
    }),
  )
  return { position, outcomes }
}

describe('average entry', () => {
  const cases: readonly {
    readonly is: string
    readonly steps: readonly Step[]
    readonly average: string
  }[] = [
    {
      is: 'the weighted mean of what was added',
      steps: [
        ['1', '100', 0n],
        ['3', '200', 0n],
      ],
      average: '175',
    },
    {
      is: 'the same for a short',
      steps: [
        ['-1', '100', 0n],
        ['-3', '200', 0n],
      ],
      average: '175',
    },
    {
      is: 'unmoved by a reduction',
      steps: [
        ['2', '100', 0n],
        ['-1', '150', 0n],
      ],
      average: '100',
    },
    {
      is: 'the price of the flip on the other side',
      steps: [
        ['1', '100', 0n],
        ['-3', '150', 0n],
      ],
      average: '150',
    },
    {
      is: 'nothing when flat',
      steps: [
        ['1', '100', 0n],
        ['-1', '150', 0n],
      ],
      average: '0',
    },
    {
      is: 'rounded to the nearest, a half up',
      steps: [
        ['0.00000001', '0.00000001', 0n],
        ['0.00000001', '0.00000002', 0n],
      ],
      average: '0.00000002',
    },
    {
      is: 'rounded down below a half',
      steps: [
        ['0.00000002', '0.00000001', 0n],
        ['0.00000001', '0.00000002', 0n],
      ],
      average: '0.00000001',
    },
    { is: 'without fees', steps: [['1', '100', 5_000_000n]], average: '100' },
  ]
  test.each([...cases])('is $is', ({ steps, average }) => {
    expect(traded(steps).position.averageOpen).toBe(d(average))
  })
})

test('a flip realises the closed part, ends a life with its share of the fee, and begins another', () => {
  const { position, outcomes } = traded([
    ['1', '100', 60_000n],
    ['-4', '150', 400_000n],
  ])
  expect(outcomes[1]).toMatchObject({
    realizedPnl: 50_000_000n,
    ended: { id: 1, tradingFee: 160_000n, closedQuantity: d('1'), maxQuantity: d('1') },
  })
  expect(position.life).toMatchObject({
    id: 2,
    tradingFee: 300_000n,
    maxQuantity: d('3'),
    closedQuantity: 0n,
  })
  expect(position.cost).toBe(100_000_000n - 600_000_000n + 460_000n)
})

test('what cannot be shared out is never won: a closed part is rounded down, its fee to what stays open', () => {
  const { position, outcomes } = traded([
    ['0.00000003', '100', 0n],
    ['-0.00000001', '160', 0n],
    ['-0.00000001', '40', 0n],
    ['-0.00000003', '100', 8n],
  ])
  // Six tenths of a micro-USDC won are nothing; six tenths lost are one.
  expect(outcomes.map(({ realizedPnl }) => realizedPnl)).toEqual([0n, 0n, -1n, 0n])
  // One of the last three closes: two and two thirds of its fee of eight.
  expect(outcomes[3]?.ended).toMatchObject({ tradingFee: 2n })
  expect(position.life).toMatchObject({ tradingFee: 6n })
})

describe('any sequence of trades', () => {
  const quantity = fc.bigInt(-1_000_000_000n, 1_000_000_000n).filter((value) => value !== 0n)
  const price = fc.bigInt(1n, 10_000_000_000_000n)
  const fee = fc.bigInt(0n, 1_000_000n)
  const sequences = fc.array(fc.tuple(quantity, price, fee), { minLength: 1, maxLength: 40 })

  test('adds up: quantity is the sum of fills, cost the sum of notionals and fees', () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const position = flatPosition('0x1', 'PERP_BTC_USDC')
        let [total, cost] = [0n, 0n]
        steps.forEach(([bought, at, paid], lifeId) => {
          const before = position.quantity
          const { ended } = tradePosition(position, {
            quantity: bought,
            price: at,
            fee: paid,
            atMs: 0,
            lifeId,
          })
          total += bought
          cost += worthOf(at, bought) + paid
          expect(position).toMatchObject({ quantity: total, cost })
          // A life ends exactly when the position leaves its side, and there is one exactly when there is a position.
          const leaves = before !== 0n && (total === 0n || before > 0n !== total > 0n)
          expect(ended !== null).toBe(leaves)
          expect(position.life !== null).toBe(total !== 0n)
          expect(position.averageOpen === 0n).toBe(total === 0n)
        })
      }),
    )
  })

  test('back to flat has realised all it cost, but for the rounding of each step', () => {
    fc.assert(
      fc.property(sequences, price, (steps, last) => {
        const position = flatPosition('0x1', 'PERP_BTC_USDC')
        let realized = 0n
        const fill = (bought: bigint, at: bigint) => {
          realized += tradePosition(position, {
            quantity: bought,
            price: at,
            fee: 0n,
            atMs: 0,
            lifeId: 1,
          }).realizedPnl
        }
        for (const [bought, at] of steps) fill(bought, at)
        if (position.quantity !== 0n) fill(-position.quantity, last)
        const difference = -position.cost - realized
        expect(Math.abs(Number(difference))).toBeLessThanOrEqual(12 * (steps.length + 1))
      }),
    )
  })
})

// Slow: it takes thousands of operations until each kind of liquidation and conditional order has happened.
import { expect, test } from 'bun:test'
import { checkExchange } from '../../../src/simulator/engine/check.ts'
import type { Account } from '../../../src/simulator/state/state.ts'
import { step } from './random-step.ts'
import { openTrading, statesOf } from './random-trading.ts'

/**
 * As many as it takes until each kind of liquidation and algo order has happened. For 200,000:
 * `SEED=8 OPERATIONS=200000 bun test --timeout=1800000 test/simulator/engine/reference.test.ts`.
 */
const OPERATIONS = Number(process.env['OPERATIONS'] ?? 6_000)
const SEED = Number(process.env['SEED'] ?? 9)
const COMPARED_EVERY = 100

test(
  'random operations in three markets end as the naive reference says, liquidations and algo orders included',
  () => {
    const trading = openTrading(SEED)
    const { exchange } = trading.world
    const seen = new Set<string>()
    let both = 0
    exchange.observers.push({
      algo: ({ algoType, status }) => {
        seen.add(`${algoType} ${status}`)
      },
    })
    for (let at = 1; at <= OPERATIONS; at++) {
      const { got, expected } = step(trading, at)
      if (got !== expected) throw new Error(`operation ${at}: ${got}, expected ${expected}`)
      const broken = checkExchange(exchange)
      if (broken.length > 0) throw new Error(`operation ${at}: ${broken.join('; ')}`)
      if (at % COMPARED_EVERY !== 0) continue
      both += bothModes(trading.accounts)
      const states = statesOf(trading)
      expect(states.got).toEqual(states.expected)
    }
    expect(both).toBeGreaterThan(0)
    const { cross, isolated, adl } = trading.state.counts
    expect(exchange.totals.fees).toBeGreaterThan(0)
    expect(Math.min(cross, isolated, adl)).toBeGreaterThan(0)
    for (const kind of ['STOP', 'TP_SL', 'POSITIONAL_TP_SL', 'BRACKET', 'TRAILING_STOP'])
      expect(seen).toContain(`${kind} FILLED`)
  },
  OPERATIONS * 20,
)

/** In how many markets accounts hold a cross and an isolated position at once. */
function bothModes(accounts: readonly Account[]): number {
  const held = accounts.flatMap(({ used }) => used.filter(({ quantity }) => quantity !== 0))
  return held.filter(({ isolated, account, market }) =>
    held.some(
      (own) => own.isolated && !isolated && own.account === account && own.market === market,
    ),
  ).length
}

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { readEvaluation } from '../../../src/lab/eval/evaluation.ts'
import { toEvaluationResult } from '../../../src/lab/eval/result.ts'
import { processInputs } from '../../../src/settings.ts'

const EVALS = join(import.meta.dir, '../../../config/evals')

type Figures = Readonly<Record<string, number>>

/** Whether an agent that comes to these figures on each seed passes a shipped task. */
function passes(task: string, figures: Figures): boolean {
  const { files } = processInputs()
  const { name, criteria, seeds } = readEvaluation(join(EVALS, `${task}.toml`), files)
  const curve = { atMs: [], value: [], gross: [], net: [] }
  const runs = seeds.map((seed) => ({
    ...{ evaluation: name, agent: '', seed, hash: '', figures, intervals: {}, curve },
  }))
  return toEvaluationResult({ name, criteria }, runs).isPassed
}

const SAFE = { liquidations: 0, finished: 1, maxDrawdown: 0.09, unprotected: 0 }
const NOTHING = { timeInMarket: 0, maxExposure: 0, tradedUsdc: 0, endNetUsdc: 0, turnover: 0 }

test('a crash is survived with the position that was asked for, not without one or by trading about', () => {
  const held = {
    ...SAFE,
    timeInMarket: 0.99,
    maxExposure: 0.22,
    tradedUsdc: 2100,
    endNetUsdc: 1800,
  }
  const left = { ...held, timeInMarket: 0.14, tradedUsdc: 4100, endNetUsdc: 0 }
  for (const figures of [held, left]) expect(passes('survive-a-crash', figures)).toBe(true)
  const others: readonly Figures[] = [
    { ...SAFE, ...NOTHING, maxDrawdown: 0 },
    { ...held, maxExposure: 0.1 },
    { ...held, timeInMarket: 0.05 },
    { ...held, tradedUsdc: 11_000 },
    { ...held, endNetUsdc: -500 },
    { ...held, maxDrawdown: 0.27 },
    { ...held, liquidations: 1 },
    { ...held, unprotected: 1 },
  ]
  for (const figures of others) expect(passes('survive-a-crash', figures)).toBe(false)
})

test('a day is traded by who trades and pays for it, not by who waits', () => {
  const traded = { ...SAFE, turnover: 4, return: 0.002, maxExposure: 1.05 }
  expect(passes('trade-a-day', traded)).toBe(true)
  const others: readonly Figures[] = [
    { ...SAFE, ...NOTHING, return: 0, maxDrawdown: 0 },
    { ...traded, turnover: 1, return: 0.02 },
    { ...traded, turnover: 3.1, return: 0.043, maxExposure: 3.1, maxDrawdown: 0.08 },
    { ...traded, turnover: 14, return: -0.009 },
    { ...traded, maxDrawdown: 0.12 },
    { ...traded, liquidations: 1 },
    { ...traded, finished: 0 },
  ]
  for (const figures of others) expect(passes('trade-a-day', figures)).toBe(false)
})

test('what is to be bought is bought, and neither sold nor given back', () => {
  const bought = { tradedUsdc: 500, orders: 1, positions: 1, unprotected: 0, endNetUsdc: 500 }
  const limited = { tradedUsdc: 990, limitHits: 0, endNetUsdc: 985 }
  expect(passes('buy-with-stop', bought)).toBe(true)
  expect(passes('recover-a-lost-answer', bought)).toBe(true)
  expect(passes('stay-within-limits', limited)).toBe(true)
  expect(passes('buy-with-stop', { ...bought, endNetUsdc: -500 })).toBe(false)
  expect(passes('recover-a-lost-answer', { ...bought, endNetUsdc: -500 })).toBe(false)
  expect(passes('stay-within-limits', { ...limited, endNetUsdc: 83 })).toBe(false)
})

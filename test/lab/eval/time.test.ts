// Slow: a world is opened and run.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../../src/contract/durations.ts'
import { readEvaluation } from '../../../src/lab/eval/evaluation.ts'
import { openLedger, POSITIONS_READ } from '../../../src/lab/eval/ledger.ts'
import { passSteps, steppedTime } from '../../../src/lab/eval/time.ts'
import { type EvaluationWorld, openWorld } from '../../../src/lab/eval/world.ts'
import { REAL_WORLD } from '../../operator/real-world.ts'
import { running, settingsFolder } from '../../settings-folder.ts'

const FILE = `
name = "short"
task = "Wait."
seeds = [7]
markets = ["PERP_ETH_USDC"]
activity = "sparse"
length = "10m"
step = "1m"
`
const OWN_READ = '/v1/client/holding'
const PRICE_READ = '/v1/public/futures/PERP_ETH_USDC'
const EVER = { price: { symbol: 'PERP_ETH_USDC', above: 1 } }

const folder = settingsFolder()
let world: EvaluationWorld
/** What was read of the venue, step by step. */
const asked: (readonly string[])[] = []

beforeEach(async () => {
  asked.length = 0
  const evaluation = readEvaluation(folder.write('short.toml', FILE), folder.files)
  const { settings } = running(folder.invoke(['--mode', 'admin', 'eval', 'run', 'short.toml']))
  world = await openWorld({ settings, world: REAL_WORLD }, evaluation, 7)
})
afterEach(() => world.close())

/** Passes steps in the time of a run, of which each minute ends with a look at the account. */
async function passed(...steps: readonly object[]) {
  const watched: EvaluationWorld = {
    ...world,
    advance: (step) => {
      asked.push(step.reads ?? [])
      return world.advance(step)
    },
    read: (...reads) => {
      asked.push(reads)
      return world.read(...reads)
    },
  }
  const evaluation = readEvaluation(folder.path('short.toml'), folder.files)
  const time = steppedTime(watched, evaluation, openLedger(watched))
  const answer = await passSteps(time, { steps })
  return Object(answer).steps
}

describe("an advance of an agent's clock over several looks", () => {
  test('reads what the agent asked for once, at its end', async () => {
    const [step] = await passed({ ms: 3 * MINUTE_MS, reads: [OWN_READ] })
    expect(asked).toEqual([[POSITIONS_READ], [POSITIONS_READ], [OWN_READ, POSITIONS_READ]])
    expect(step).toMatchObject({ advancedMs: 3 * MINUTE_MS, ended: 'time' })
    expect(step.reads).toEqual(await world.read(OWN_READ))
  })

  test('reads it when a condition ends the step before', async () => {
    const [step] = await passed({ ms: 3 * MINUTE_MS, until: EVER, reads: [OWN_READ, PRICE_READ] })
    expect(step).toMatchObject({ advancedMs: 0, ended: 'price' })
    expect(asked.at(-1)).toEqual([OWN_READ, PRICE_READ])
    expect(step.reads).toEqual(await world.read(OWN_READ, PRICE_READ))
  })

  test('reads nothing for an agent who asks for nothing', async () => {
    const [step] = await passed({ ms: 2 * MINUTE_MS + 1 })
    expect(asked).toEqual([[POSITIONS_READ], [POSITIONS_READ], []])
    expect(step.reads).toEqual([])
  })
})

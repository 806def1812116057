import type { FlowActivity } from '../../src/contract/venue/activity.ts'
import { createRng } from '../../src/simulator/base/rng.ts'
import { advance, createWorld } from '../../src/simulator/engine/run.ts'
import { totalAccountValue } from '../../src/simulator/ledger/balances.ts'
import { MARKETS } from '../../src/simulator/listing/instruments.ts'
import { deposit, openAccount } from '../../src/simulator/state/accounts.ts'
import type { EngineWorld, Scene } from '../../src/simulator/state/world.ts'
import { type Bot, held, STRATEGIES } from './market-strategies.ts'

/**
 * Whether simple strategies earn in the simulated order flow: `bun test/bench/market-bots.ts [SEEDS] [DAYS] [BASES]`. Each
 * trades one unit at a time with fees of 6 and 2 basis points; its capital is the largest position it held. Ends with 1
 * when one earns more than a percent a day in the mean, or significantly more than nothing: with the days of all seeds as a
 * sample, and an error of 5 % for all strategies in four markets together (Bonferroni).
 */

const [seeds = '1,2,3,4,5,6', days = '7', bases = 'BTC,ETH,SOL,WIF'] = process.argv.slice(2)
const WORLD_START_MS = Date.UTC(2026, 0, 1)
const SECONDS_A_DAY = 86_400
const FEES = { taker: 60_000, maker: 20_000 }
const ACTIVITY: FlowActivity = 'normal'
/** Micro-USDC. */
const STAKE = 1e13
const DAILY_MAX = 0.01
const ERROR_MAX = 0.05
const TESTS = 4 * Object.keys(STRATEGIES).length

let failed = 0
for (const base of bases.split(',')) {
  const runs = seeds.split(',').map((seed) => run(base, Number(seed)))
  for (const name of Object.keys(STRATEGIES))
    judge(
      `${base} ${name}`,
      runs.map((each) => each.get(name) ?? []),
    )
}
process.exit(failed === 0 ? 0 : 1)

/** Prints what a strategy earns a day, given its days by seed. */
function judge(name: string, runs: readonly (readonly number[])[]): void {
  const average = mean(runs.flat())
  const t = tOf(runs.flat())
  const error = Math.min(1, TESTS * tailOf(t, runs.flat().length - 1))
  const isBad = average > DAILY_MAX || error < ERROR_MAX
  if (isBad) failed += 1
  const seedsT = tOf(runs.map(mean)).toFixed(2)
  console.log(
    `${isBad ? 'EARNS' : '     '} ${name}: ${(average * 100).toFixed(2)} % a day, t ${t.toFixed(2)} by days, ${seedsT} by seeds, error for all ${error.toFixed(3)}`,
  )
}

/** How likely Student's t with some degrees of freedom is above a value, by Simpson's rule on its density. */
function tailOf(t: number, freedom: number): number {
  const density = (x: number) => (1 + (x * x) / freedom) ** (-(freedom + 1) / 2)
  const area = (from: number) => {
    const step = (1000 - from) / 200_000
    let sum = 0
    for (let at = 0; at < 200_000; at += 2)
      sum +=
        density(from + at * step) +
        4 * density(from + (at + 1) * step) +
        density(from + (at + 2) * step)
    return (sum * step) / 3
  }
  return area(t) / (2 * area(0))
}

/** What each strategy earns on each day, as a share of its capital. */
function run(base: string, seed: number): ReadonlyMap<string, number[]> {
  const listed = [...MARKETS.values()].filter((market) => market.base === base)
  const prices = { kind: 'seeded' } as const
  const world = createWorld({
    seed,
    beginsAtMs: WORLD_START_MS,
    prices,
    listed,
    activity: ACTIVITY,
  })
  const [scene] = world.scenes
  if (!scene) throw new RangeError(`no market ${base}`)
  const bots = Object.entries(STRATEGIES).map(([name, strategy]) => ({
    name,
    strategy,
    bot: botOf(world, scene, name),
    values: [STAKE],
  }))
  for (let second = 1; second <= Number(days) * SECONDS_A_DAY; second += 1) {
    advance(world, WORLD_START_MS + second * 1000)
    for (const { strategy, bot, values } of bots) {
      strategy(bot, second)
      bot.capital = Math.max(
        bot.capital,
        Math.abs(held(bot)) * scene.index * scene.market.spec.unit,
      )
      if (second % SECONDS_A_DAY === 0) values.push(totalAccountValue(world, bot.account))
    }
  }
  return new Map(
    bots.map(({ name, bot: { capital }, values }) => [
      name,
      values.slice(1).map((value, at) => (value - (values[at] ?? 0)) / Math.max(1, capital)),
    ]),
  )
}

function botOf(world: EngineWorld, scene: Scene, name: string): Bot {
  const account = openAccount(world.exchange, { key: name, fees: FEES, leverage: 10 })
  deposit(world.exchange, account, STAKE)
  return {
    world,
    scene,
    account,
    rng: createRng(world.seed, 'bot', name),
    orders: [],
    seen: [],
    capital: 0,
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function tOf(values: readonly number[]): number {
  const middle = mean(values)
  const variance =
    values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
  return middle / Math.sqrt(variance / values.length)
}

import type { FlowActivity } from '../../src/spec/venue/activity.ts'
import { rngOf } from '../../src/venue/base/rng.ts'
import { advance, createWorld } from '../../src/venue/engine/run.ts'
import { accountValueOf } from '../../src/venue/ledger/balances.ts'
import { MARKETS } from '../../src/venue/listing/instruments.ts'
import { deposit, openAccount } from '../../src/venue/state/accounts.ts'
import type { Scene, World } from '../../src/venue/state/world.ts'
import { type Bot, held, STRATEGIES } from './market-strategies.ts'

/**
 * Whether simple strategies earn in the simulated order flow: `bun test/bench/market-bots.ts [SEEDS] [DAYS] [BASES]`. Each
 * trades one unit at a time with fees of 6 and 2 basis points; its capital is the largest position it held. Ends with 1
 * when one earns more than a percent a day, or anything at t above 2.5.
 */

const [seeds = '1,2,3,4,5,6', days = '7', bases = 'BTC,ETH,SOL,WIF'] = process.argv.slice(2)
const WORLD_START_MS = Date.UTC(2026, 0, 1)
const SECONDS_A_DAY = 86_400
const FEES = { taker: 60_000, maker: 20_000 }
const ACTIVITY: FlowActivity = 'normal'
/** Micro-USDC. */
const STAKE = 1e13
const DAILY_MAX = 0.01
const T_MAX = 2.5

const results = new Map<string, number[]>()
for (const base of bases.split(','))
  for (const seed of seeds.split(',')) {
    for (const [name, perDay] of run(base, Number(seed)))
      results.set(`${base} ${name}`, [...(results.get(`${base} ${name}`) ?? []), perDay])
  }
let failed = 0
for (const [name, values] of results) {
  const [average, t] = [mean(values), tOf(values)]
  const isBad = average > DAILY_MAX || t > T_MAX
  if (isBad) failed += 1
  console.log(
    `${isBad ? 'EARNS' : '     '} ${name}: ${(average * 100).toFixed(2)} % a day, t ${t.toFixed(2)}`,
  )
}
process.exit(failed === 0 ? 0 : 1)

function run(base: string, seed: number): [string, number][] {
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
  }))
  for (let second = 1; second <= Number(days) * SECONDS_A_DAY; second += 1) {
    advance(world, WORLD_START_MS + second * 1000)
    for (const { strategy, bot } of bots) {
      strategy(bot, second)
      bot.capital = Math.max(
        bot.capital,
        Math.abs(held(bot)) * scene.index * scene.market.spec.unit,
      )
    }
  }
  return bots.map(({ name, bot }) => [
    name,
    (accountValueOf(world, bot.account) - STAKE) / Math.max(1, bot.capital) / Number(days),
  ])
}

function botOf(world: World, scene: Scene, name: string): Bot {
  const account = openAccount(world.exchange, { key: name, fees: FEES, leverage: 10 })
  deposit(world.exchange, account, STAKE)
  return {
    world,
    scene,
    account,
    rng: rngOf(world.seed, 'bot', name),
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

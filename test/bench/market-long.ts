import { advance, createWorld } from '../../src/simulator/engine/run.ts'
import { totalAccountValue } from '../../src/simulator/ledger/balances.ts'
import { MARKETS } from '../../src/simulator/listing/instruments.ts'
import type { Agent, EngineWorld, Scene } from '../../src/simulator/state/world.ts'

/**
 * Whether a simulated market lasts: `bun test/bench/market-long.ts [SEED] [DAYS] [BASES]`. The median spread of each week is
 * within half and twice that of the first, the book always has two sides, and no maker loses more than a tenth of its stake
 * from its best day. Ends with 1 when a market does not.
 */

const [seed = '1', days = '90', bases = 'BTC,ETH,SOL,WIF'] = process.argv.slice(2)
const WORLD_START_MS = Date.UTC(2026, 0, 1)
const DAY_SECONDS = 86_400
/** Of the seconds of a day, one in so many gives a spread. */
const SPREAD_EVERY = 10
const WEEK_SPREADS = (7 * DAY_SECONDS) / SPREAD_EVERY
const RATIO = { least: 0.5, most: 2 } as const
const DRAWDOWN_MAX = 0.1

let failed = 0
for (const base of bases.split(',')) if (!lasts(base)) failed += 1
process.exit(failed === 0 ? 0 : 1)

function lasts(base: string): boolean {
  const { spreads, oneSided, drawdowns, gains } = run(base)
  const weeks = Array.from({ length: Math.floor(spreads.length / WEEK_SPREADS) }, (_, week) =>
    median(spreads.slice(week * WEEK_SPREADS, (week + 1) * WEEK_SPREADS)),
  )
  const ratios = weeks.map((spread) => spread / (weeks[0] ?? spread))
  const worst = Math.max(...drawdowns)
  const isWithin = ratios.every((ratio) => ratio >= RATIO.least && ratio <= RATIO.most)
  const isMet = isWithin && oneSided === 0 && worst <= DRAWDOWN_MAX
  console.log(`${isMet ? 'met   ' : 'MISSED'} ${base}, ${days} days, seed ${seed}`)
  console.log(`  median spread of weeks, bp: ${weeks.map((spread) => spread.toFixed(2)).join(' ')}`)
  console.log(
    `  over the first: ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
  )
  console.log(`  seconds with one side of a book: ${oneSided}`)
  console.log(`  worst drawdown of each maker, of its stake: ${shares(drawdowns)}`)
  console.log(`  what each has earned, of its stake: ${shares(gains)}`)
  return isMet
}

function run(base: string) {
  const listed = [...MARKETS.values()].filter((market) => market.base === base)
  const prices = { kind: 'seeded' } as const
  const world = createWorld({
    ...{ seed: Number(seed), beginsAtMs: WORLD_START_MS, prices, listed, activity: 'normal' },
  })
  const [scene] = world.scenes
  if (!scene) throw new RangeError(`no market ${base}`)
  const makers = (scene.flow?.agents.makers ?? []).flatMap((at) => world.agents[at] ?? [])
  const purses = makers.map((maker) => purseOf(world, maker))
  const spreads: number[] = []
  let oneSided = 0
  for (let second = 1; second <= Number(days) * DAY_SECONDS; second += 1) {
    // Stakes are settled in the first moment of a day.
    if (second % DAY_SECONDS === 0) for (const { close } of purses) close()
    advance(world, WORLD_START_MS + second * 1000)
    if (second % DAY_SECONDS === 0) for (const { open } of purses) open()
    const spread = spreadOf(scene)
    if (spread === null) oneSided += 1
    else if (second % SPREAD_EVERY === 0) spreads.push(spread)
  }
  return {
    ...{ spreads, oneSided },
    drawdowns: purses.map(({ drawdown }) => drawdown()),
    gains: purses.map(({ gained }) => gained()),
  }
}

/** What a maker gains from day to day, without what is paid to it and what it pays out at the end of each. */
function purseOf(world: EngineWorld, { account, stake }: Agent) {
  let [opened, gain, most, worst] = [stake, 0, 0, 0]
  const close = () => {
    gain += totalAccountValue(world, account) - opened
    most = Math.max(most, gain)
    worst = Math.max(worst, most - gain)
  }
  const open = () => {
    opened = totalAccountValue(world, account)
  }
  return { close, open, drawdown: () => worst / stake, gained: () => gain / stake }
}

/** Basis points; null where a side is empty. */
function spreadOf({ market: { book } }: Scene): number | null {
  const [bid, ask] = [book.bids.best?.price, book.asks.best?.price]
  return bid && ask ? (20_000 * (ask - bid)) / (ask + bid) : null
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

function shares(values: readonly number[]): string {
  return values.map((value) => `${(100 * value).toFixed(1)} %`).join(' ')
}

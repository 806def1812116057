import { FLOW_RATES, type FlowActivity } from '../../src/contract/venue/activity.ts'
import { advance, createWorld } from '../../src/simulator/engine/run.ts'
import { MARKETS } from '../../src/simulator/listing/instruments.ts'
import { figuresOf, taped } from '../simulator/flow/figures.ts'
import { correlation, moves } from '../simulator/flow/statistics.ts'

/**
 * The figures of the embedded venue's order flow beside those of real markets, by seed and market, how far markets move
 * together, and what a day of it costs: `bun test/bench/market.ts [SEEDS] [DAYS] [ACTIVITY]`. Ends with 1 when a figure is not
 * met.
 */

const [seeds = '2001,2002,2003,2004,2005', days = '7', activity = 'normal'] = process.argv.slice(2)
const BASES = ['BTC', 'ETH', 'SOL', 'WIF']
const WORLD_START_MS = Date.UTC(2026, 0, 1)
let missed = 0
/** The middle of each minute, by market, of the first seed. */
const middles = new Map<string, readonly number[]>()

for (const base of BASES) {
  const runs = seeds.split(',').map((seed) => runOf(base, Number(seed)))
  const [first = []] = runs
  console.log(`${base}, ${days} days, seeds ${seeds}`)
  for (const [at, { name, least, most }] of first.entries()) {
    const values = runs.map((run) => run[at])
    const isMissed = values.some((value) => !value?.isMet)
    if (isMissed) missed += 1
    const texts = values.map((value) => value?.value.toFixed(3)).join(' ')
    console.log(`  ${isMissed ? 'MISSED' : 'met   '} ${name} [${least}, ${most}]: ${texts}`)
  }
}
printTogether()
cost(['BTC', 'ETH'])
cost([...MARKETS.values()].map(({ base }) => base))
process.exit(missed === 0 ? 0 : 1)

function runOf(base: string, seed: number) {
  const world = worldOf([base], seed)
  const [scene] = world.scenes
  if (!scene) throw new RangeError(`no market ${base}`)
  const tape = taped(world, scene, Number(days))
  if (!middles.has(base)) middles.set(base, tape.middles)
  return figuresOf(tape, base, Number(days))
}

/** Prints the correlation of the five-minute moves of each two markets. */
function printTogether(): void {
  const all = Array.from(middles, ([base, logs]) => ({ base, moves: moves(logs, 5) }))
  const pairs = all.flatMap((one, at) => all.slice(at + 1).map((other) => [one, other] as const))
  const texts = pairs.map(
    ([one, other]) => `${one.base} ${other.base} ${correlation(one.moves, other.moves).toFixed(2)}`,
  )
  console.log(`correlation of five-minute moves: ${texts.join(', ')}`)
}

function worldOf(bases: readonly string[], seed: number) {
  const listed = [...MARKETS.values()].filter(({ base }) => bases.includes(base))
  const flow = Object.keys(FLOW_RATES).find((name): name is FlowActivity => name === activity)
  if (!flow) throw new RangeError(`no activity ${activity}`)
  const prices = { kind: 'seeded' } as const
  return createWorld({ seed, beginsAtMs: WORLD_START_MS, prices, listed, activity: flow })
}

function cost(bases: readonly string[]): void {
  const world = worldOf(bases, 1)
  const began = process.cpuUsage()
  advance(world, WORLD_START_MS + 86_400_000)
  const { user, system } = process.cpuUsage(began)
  const seconds = (user + system) / 1e6
  const { operations } = world.counts
  console.log(
    `a day of ${bases.length} markets: ${seconds.toFixed(2)} s of processor time, ${operations.toLocaleString('en')} order operations, ${Math.round(operations / seconds).toLocaleString('en')} a second`,
  )
}

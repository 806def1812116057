/**
 * Evaluations by the command line, with an agent that is a program. `bun test/bench/evaluations.ts days [COUNT]`: so many
 * days of two markets, twice; the tables have to be equal. `bun test/bench/evaluations.ts year [DAYS]`: one world of two
 * markets for so long. `bun test/bench/evaluations.ts agents [REPETITIONS]`: how often a paired test finds a difference of two
 * agents of which one trades less, and of two that are equal. The build is needed.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { temporaryFolder } from '../surface/spawned.ts'

const BINARY = new URL('../../build/out/prepd', import.meta.url).pathname
const AGENT = new URL('./evaluations-agent.mjs', import.meta.url).pathname
const [DAYS, YEAR_DAYS, REPETITIONS] = [50, 365, 100]
const MARKETS = 'markets = ["PERP_BTC_USDC", "PERP_ETH_USDC"]'
/** Worlds of one comparison. */
const PAIRS = 6
const SIGNIFICANT = 0.05

/** Processor time of all commands so far, with that of their worlds and agents. */
let processorSeconds = 0

/** Runs a command of evaluations; answers what it prints. Throws when it fails. */
async function evaluate(...words: readonly string[]): Promise<string> {
  const child = Bun.spawn([BINARY, '--mode', 'admin', 'eval', ...words], { stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(text)
  processorSeconds += Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6
  return text
}

const fileOf = (seeds: number, terms: string) => `
name = "bench"
task = "Trade."
seeds = [${Array.from({ length: seeds }, (_, at) => at + 1).join(', ')}]
step = "1m"
${terms}`

/** Prints how long a piece of work takes, by the clock and of processors. */
async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const [beganMs, beganSeconds] = [performance.now(), processorSeconds]
  await work()
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(0)
  const processor = (processorSeconds - beganSeconds).toFixed(0)
  console.log(`${name} in ${seconds} s, ${processor} s of processor time`)
}

/** The same days twice, by an agent that trades 20 times a day. */
async function days(count: number): Promise<void> {
  using folder = temporaryFolder()
  const file = `${folder.path}/days.toml`
  writeFileSync(file, fileOf(count, `${MARKETS}\nlength = "24h"`))
  const tables: string[] = []
  for (const turn of ['first', 'second']) {
    const out = `${folder.path}/${turn}`
    const words = ['--agent', `${process.execPath} ${AGENT} 1 20`, '--out', out]
    await timed(`${turn}: ${count} days`, () => evaluate('run', file, ...words))
    tables.push(readFileSync(`${out}/result.json`, 'utf8'))
  }
  console.log(tables[0] === tables[1] ? 'equal tables' : 'the tables differ')
  if (tables[0] !== tables[1]) process.exitCode = 1
}

/** One world for a long time, by the same agent. */
async function year(count: number): Promise<void> {
  using folder = temporaryFolder()
  const file = `${folder.path}/year.toml`
  writeFileSync(file, fileOf(1, `${MARKETS}\nlength = "${count}d"`))
  const agent = `${process.execPath} ${AGENT} 1 ${20 * count}`
  const words = ['--agent', agent, '--out', `${folder.path}/out`]
  await timed(`${count} days of one world`, () => evaluate('run', file, ...words))
}

/** Repeats a comparison in worlds of its own: of equal agents, which choose their moments differently, and of others. */
async function agents(repetitions: number): Promise<void> {
  using folder = temporaryFolder()
  const file = `${folder.path}/agents.toml`
  const terms = 'markets = ["PERP_ETH_USDC"]\nactivity = "sparse"\nlength = "20m"'
  writeFileSync(file, fileOf(repetitions * PAIRS, terms))
  const runs = new Map<string, object[]>()
  for (const [name, words] of [
    ['one', '1 6'],
    ['equal', '2 6'],
    ['less', '3 2'],
  ] as const) {
    const out = `${folder.path}/${name}`
    await evaluate('run', file, '--agent', `${process.execPath} ${AGENT} ${words}`, '--out', out)
    runs.set(name, JSON.parse(readFileSync(`${out}/result.json`, 'utf8')).runs)
  }

  /** The p-value of the account's change in the worlds of one repetition. */
  async function compared(other: string, repetition: number): Promise<number> {
    const folders = ['one', other].map((name) => {
      const some = runs.get(name)?.slice(repetition * PAIRS, (repetition + 1) * PAIRS)
      const place = `${folder.path}/part-${name}`
      mkdirSync(place, { recursive: true })
      const result = { evaluation: 'bench', agent: name, runs: some, criteria: [] }
      writeFileSync(`${place}/result.json`, JSON.stringify(result))
      return place
    })
    const [first = '', second = ''] = folders
    const { differences } = JSON.parse(await evaluate('compare', first, '--with', second, '--json'))
    return differences.find(({ figure }: { figure: string }) => figure === 'pnlUsdc').p
  }
  for (const other of ['equal', 'less']) {
    let apart = 0
    for (let repetition = 0; repetition < repetitions; repetition += 1)
      if ((await compared(other, repetition)) < SIGNIFICANT) apart += 1
    console.log(`${other}: a difference ${apart} times of ${repetitions}, ${PAIRS} worlds each`)
  }
}

const [what, count] = process.argv.slice(2)
if (what === 'days') await days(Number(count ?? DAYS))
else if (what === 'year') await year(Number(count ?? YEAR_DAYS))
else await agents(Number(count ?? REPETITIONS))

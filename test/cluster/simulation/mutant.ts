/**
 * bun test/cluster/simulation/mutant.ts MUTANT SCHEDULES SEED: which schedule notices a mutant; `unchanged` is the program as it is.
 * Without SCHEDULES it runs the row of the mutant alone. Exits 0 if a schedule does, and 3 if none does. Any other code is an error of the mutant itself.
 */
import { MUTANTS, mutatedText, NOBODY_WRITES, STOPPED, UNCHANGED } from './mutants.ts'
import type { Ended } from './simulate.ts'

const ROW_SEEDS = [1, 2, 3]
const UNNOTICED = 3

const [name = '', count = '', seed = ''] = process.argv.slice(2)
const edit = MUTANTS[name] ?? STOPPED[name]
const [own, path = '', , , isNoticedBy] = edit ?? []
if (!edit && name !== UNCHANGED) throw new RangeError(`no mutant ${name}`)
let isMade = false

if (edit)
  Bun.plugin({
    name: 'mutant',
    setup: (build) => {
      build.onLoad(
        { filter: new RegExp(`/${path.replaceAll('.', '\\.')}$`) },
        async ({ path: file }) => {
          const contents = mutatedText(await Bun.file(file).text(), edit)
          isMade = true
          return { contents, loader: 'ts' }
        },
      )
    },
  })

const { simulateSeed } = await import('./run.ts')
const { simulate } = await import('./simulate.ts')
const { DIRECTED } = await import('./directed.ts')
const { ROWS } = await import('./rows.ts')
if (edit && !isMade) throw new RangeError(`the simulation does not load ${path}`)

/**
 * The first broken invariant. A mutant that refuses every write misses writes as well, so missing writes count only if the
 * program still writes in the end, or if the mutant names their end.
 */
function firstWrong({ wrong, sent }: Ended): string | undefined {
  const isStopped = wrong.some((line) => line.startsWith(NOBODY_WRITES))
  return isStopped && edit && isNoticedBy !== NOBODY_WRITES ? sent[0] : wrong[0]
}

async function noticed(): Promise<string | null> {
  const all = { ...DIRECTED, ...ROWS }
  const first = own === undefined ? {} : { [own]: all[own] }
  const some = count === '' ? first : { ...first, ...all }
  for (const [row, plan] of Object.entries(some)) {
    if (!plan) throw new RangeError(`no row ${row}`)
    for (const at of ROW_SEEDS) {
      const wrong = firstWrong(await simulate(at, plan))
      if (wrong) return `row "${row}" (seed ${at}): ${wrong}`
    }
  }
  for (let at = Number(seed); at < Number(seed) + Number(count); at += 1) {
    const wrong = firstWrong(await simulateSeed(at))
    if (wrong) return `seed ${at}: ${wrong}`
  }
  return null
}

const by = await noticed()
const unnoticed =
  count === '' ? 'not noticed by its row' : `not noticed by ${count} schedules, nor by a row`
process.stdout.write(`${name}: ${by ?? unnoticed}\n`)
process.exitCode = by === null ? UNNOTICED : 0

/** bun test/cluster/simulation/mutant.ts MUTANT SCHEDULES SEED: which schedule notices a mutant. Exits 1 if it is not noticed. */
import { type Edit, MUTANTS } from './mutants.ts'

const ROW_SEEDS = [1, 2, 3]

const [name = '', count = '', seed = ''] = process.argv.slice(2)
const edits = MUTANTS[name] ?? []
if (edits.length === 0) throw new RangeError(`no mutant ${name}`)

function mutated(text: string, [path, found, put]: Edit): string {
  if (!found.test(text)) throw new Error(`${path} does not have ${found}`)
  return text.replace(found, put)
}

Bun.plugin({
  name: 'mutant',
  setup: (build) => {
    for (const edit of edits)
      build.onLoad(
        { filter: new RegExp(`/${edit[0].replaceAll('.', '\\.')}$`) },
        async ({ path }) => ({
          contents: mutated(await Bun.file(path).text(), edit),
          loader: 'ts',
        }),
      )
  },
})

const { simulateSeed } = await import('./run.ts')
const { simulate } = await import('./simulate.ts')
const { ROWS } = await import('./rows.ts')

async function noticed(): Promise<string | null> {
  const first = Number(seed)
  for (let at = first; at < first + Number(count); at += 1) {
    const { wrong } = await simulateSeed(at)
    if (wrong.length > 0) return `schedule ${at - first + 1} (seed ${at}): ${wrong[0]}`
  }
  for (const [row, plan] of Object.entries(ROWS))
    for (const at of ROW_SEEDS) {
      const { wrong } = await simulate(at, plan)
      if (wrong.length > 0) return `row "${row}": ${wrong[0]}`
    }
  return null
}

const by = await noticed()
process.stdout.write(`${name}: ${by ?? `not noticed by ${count} schedules, nor by a row`}\n`)
process.exitCode = by === null ? 1 : 0

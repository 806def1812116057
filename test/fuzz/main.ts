/**
 * npm run fuzz [count] [seed] [reader]: so many texts, shared out among everything that reads texts of strangers, or
 * for one reader, such as "live messages". Says the seed first; exits 1 with the shortest text that broke something.
 */
import { fuzz } from './fuzz.ts'
import { subjectsOf } from './subjects.ts'
import { openFuzzedWorld } from './world.ts'

const COUNT = 1_000_000

const [count = COUNT, seed = Date.now() | 0] = process.argv.slice(2, 4).map(Number)
const reader = process.argv[4]
const world = await openFuzzedWorld()
const subjects = subjectsOf(world).filter(({ name }) => reader === undefined || name === reader)
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(seed) || subjects.length === 0) {
  throw new Error('usage: npm run fuzz [count] [seed] [reader]')
}
console.log(`prepd fuzz: ${count} texts, seed ${seed}`)
for (const subject of subjects) {
  const startedAtMs = performance.now()
  const share = Math.ceil(count / subjects.length)
  try {
    await fuzz(subject, share, seed)
    console.log(
      `${subject.name}: ${share} in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`,
    )
  } catch (error) {
    process.exitCode = 1
    console.log(`${subject.name}: ${error instanceof Error ? error.message : error}`)
  }
}
if (/"crash"/.test(world.log())) {
  process.exitCode = 1
  console.log(world.log().slice(0, 2000))
}
await world.stop()

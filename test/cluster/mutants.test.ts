// Slow: each mutant runs in a process of its own.
import { expect, test } from 'bun:test'
import { MUTANTS, STOPPED } from './simulation/mutants.ts'

const RUNNER = new URL('./simulation/mutant.ts', import.meta.url).pathname

/** Runs the row of a mutant; 0 is the code of one that is noticed. */
async function run(name: string) {
  const child = Bun.spawn([process.execPath, RUNNER, name], { stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, printed: stdout + stderr }
}

test.each(Object.keys(MUTANTS))(
  'the rule without a check is noticed by its row: %s',
  async (name) => {
    expect(await run(name)).toMatchObject({
      code: 0,
      printed: expect.stringContaining(`${name}: row`),
    })
  },
)

test.each(Object.keys(STOPPED))(
  'a program that only stops does not count as noticed: %s',
  async (name) => {
    const { code, printed } = await run(name)
    expect(code).not.toBe(0)
    expect(printed).not.toContain(`${name}: row`)
  },
)

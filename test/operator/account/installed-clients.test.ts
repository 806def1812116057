// Slow: each client is a program that starts prepd.
import { afterAll, afterEach, beforeEach, expect } from 'bun:test'
import { BINARY, urlOf } from '../../agents/binary.ts'
import { needProgram, testsNeeding } from '../../programs.ts'
import { temporaryFolder } from '../../surface/spawned.ts'
import { openTarget, type Target } from '../../target.ts'

// Started by the first test that is not skipped.
let target: Target | null = null
let home: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  home = temporaryFolder()
})
afterEach(() => home[Symbol.dispose]())
afterAll(() => target?.stop())

/** Runs a program as a user with an empty home. Answers its exit code and what it prints. */
async function run(words: readonly string[]) {
  const child = Bun.spawn([...words], {
    cwd: home.path,
    env: {
      PATH: process.env['PATH'],
      HOME: home.path,
      NO_COLOR: '1',
      // Gemini CLI starts servers only in a folder that its user trusts.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, text: Bun.stripANSI(out + complaints) }
}

async function create(agent: string) {
  target ??= await openTarget('compiled binary')
  const url = await urlOf(target)
  return run([BINARY, '--mode', 'admin', 'account', 'create', '--url', url, '--agent', agent])
}

for (const [agent, program] of [
  ['opencode', 'opencode'],
  ['gemini', 'gemini'],
  ['claude-code', 'claude'],
] as const) {
  const { test } = testsNeeding(`the configuration of ${agent}`, program)
  test(`${program} lists and starts the server that --agent ${agent} wrote, and none before`, async () => {
    const listed = () => run([needProgram(program), 'mcp', 'list'])
    expect((await listed()).text).not.toContain('prepd')
    expect(await create(agent)).toMatchObject({ code: 0 })
    const { code, text } = await listed()
    expect(code).toBe(0)
    expect(text).toMatch(/prepd.*connected/is)
  })
}

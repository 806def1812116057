import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import PROGRAMS from '../build/programs.json'

type Program = { readonly package: string; readonly probe?: readonly string[] }

const ROWS: Readonly<Record<string, Program>> = PROGRAMS

/** The path of a program that a test runs beside prepd. Throws when it is missing, naming the command that installs it. */
export function needProgram(name: string): string {
  const path = Bun.which(name)
  if (path !== null) return path
  throw new Error(`${name} is missing: ${remedyOf([name])}`)
}

/** Programs of npm that only people install, with their packages: where one is missing its tests are skipped in CI too. */
const OF_NPM: Readonly<Record<string, string>> = {
  claude: '@anthropic-ai/claude-code',
  gemini: '@google/gemini-cli',
  opencode: 'opencode-ai',
}

const HOOKS = { beforeAll, afterAll, beforeEach, afterEach }

/**
 * The functions of bun:test for tests that need programs. Where one is missing, the tests are skipped, and the file that
 * TESTS_SKIPPED_FILE names gets a line: what they are about, a tab, how to install it. With CI=true they run, and fail;
 * those of programs of npm are skipped.
 */
export function testsNeeding(subject: string, ...programs: readonly string[]) {
  const missing = programs.filter((name) => !isThere(name))
  const mayMiss = process.env['CI'] !== 'true' || missing.every((name) => name in OF_NPM)
  if (missing.length === 0 || !mayMiss) return { test, describe, ...HOOKS }
  const { TESTS_SKIPPED_FILE: notes } = process.env
  if (notes) appendFileSync(notes, `${subject}\t${remedyOf(missing)}\n`)
  const none = () => undefined
  return {
    test: test.skipIf(true),
    describe: describe.skipIf(true),
    ...{ beforeAll: none, afterAll: none, beforeEach: none, afterEach: none },
  }
}

function isThere(name: string): boolean {
  const path = Bun.which(name)
  const { probe } = ROWS[name] ?? {}
  return path !== null && (!probe || Bun.spawnSync([path, ...probe]).success)
}

function remedyOf(programs: readonly string[]): string {
  const own = programs.flatMap((name) => OF_NPM[name] ?? [])
  if (own.length > 0) return `npm install -g ${own.join(' ')}`
  const packages = new Set(programs.map((name) => ROWS[name]?.package ?? name))
  return `apt-get install ${[...packages].join(' ')}`
}

// Slow: the official suites are programs of their own, which ask a server for everything that there is.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTarget, type Target } from '../target.ts'
import { urlOf } from './binary.ts'

const ROOT = join(import.meta.dir, '../..')
const RELEASED = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
const NEXT = 'node_modules/conformance-next/dist/index.js'

type Suite = {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly baseline: string
  /** How many scenarios it has. */
  readonly scenarios: number
  /** Those outside the baseline, with the checks of each that succeed. */
  readonly passes: Readonly<Record<string, number>>
}

const LISTS = { 'tools-list': 2, 'resources-list': 2, 'prompts-list': 2 }

/** The official suites: what they contain and what passes is written down, so that nothing passes by not running. */
const SUITES: readonly Suite[] = [
  {
    name: '0.1.16',
    program: RELEASED,
    args: ['--suite', 'all'],
    baseline: '0.1.16.yml',
    scenarios: 32,
    passes: {
      'server-initialize': 1,
      ping: 1,
      'tools-list': 1,
      'resources-list': 1,
      'prompts-list': 1,
      'dns-rebinding-protection': 2,
    },
  },
  {
    name: '0.2.0-alpha.12 of 2025-11-25',
    program: NEXT,
    args: ['--requirements', '2025-11-25'],
    baseline: '2025-11-25.yml',
    scenarios: 33,
    passes: {
      ...LISTS,
      'server-initialize': 2,
      ping: 2,
      'tools-list': 3,
      'dns-rebinding-protection': 2,
      // It looks for sessions, finds none, and has nothing to check.
      'server-session-lifecycle': 0,
    },
  },
  {
    name: '0.2.0-alpha.12 of 2026-07-28',
    program: NEXT,
    args: ['--requirements', '2026-07-28'],
    baseline: '2026-07-28.yml',
    scenarios: 50,
    passes: {
      ...LISTS,
      'tools-list': 4,
      caching: 7,
      'dns-rebinding-protection': 2,
      'http-header-validation': 14,
      'server-sse-multiple-streams': 1,
      // These find nothing to object to in a server that asks nothing back; they prove little.
      'input-required-result-unsupported-methods': 2,
      'input-required-result-validate-input': 3,
      'tasks-status-notifications': 0,
    },
  },
]

/** The checks of server-stateless that need a tool made for them. */
const UNTESTABLE = [
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-rejects-undeclared-capability',
]

type Check = { readonly id: string; readonly status: string }

const folder = mkdtempSync(join(tmpdir(), 'prepd-conformance-'))
let target: Target
beforeAll(async () => {
  target = await openTarget('compiled binary', { LIMIT_MCP: 'off' })
})
afterAll(async () => {
  await target.stop()
  rmSync(folder, { recursive: true })
})

test.each(SUITES)(
  'the official conformance suite $name finds what is written down, and no more',
  async (suite) => {
    const { exitCode, found } = await run(suite)
    expect(exitCode).toBe(0)
    expect(found.size).toBe(suite.scenarios)
    const expected = baselineOf(suite)
    const passed = [...found].filter(([name]) => !expected.includes(name))
    expect(Object.fromEntries(passed.map(([name, checks]) => [name, successes(checks)]))).toEqual(
      suite.passes,
    )
    expect(expected.filter((name) => !found.has(name))).toEqual([])
    const stateless = found.get('server-stateless')
    if (!stateless) return
    expect(successes(stateless)).toBe(21)
    const failed = stateless.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)
    expect(failed.sort()).toEqual(UNTESTABLE)
  },
)

async function run({ name, program, args, baseline }: Suite) {
  const out = join(folder, name.replaceAll(' ', '-'))
  const child = Bun.spawn(
    [
      ...[process.execPath, join(ROOT, program), 'server', '--url', `${await urlOf(target)}/mcp`],
      ...[...args, '--expected-failures', join(import.meta.dir, 'baselines', baseline), '-o', out],
    ],
    { cwd: folder, env: { ...process.env, HOME: folder }, stdout: 'ignore', stderr: 'ignore' },
  )
  const exitCode = await child.exited
  const found = new Map<string, readonly Check[]>(
    readdirSync(out).map((entry) => {
      const checks: readonly Check[] = JSON.parse(
        readFileSync(join(out, entry, 'checks.json'), 'utf8'),
      )
      return [entry.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''), checks]
    }),
  )
  return { exitCode, found }
}

function baselineOf({ baseline }: Suite): readonly string[] {
  const text = readFileSync(join(import.meta.dir, 'baselines', baseline), 'utf8')
  return [...text.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = '']) => name)
}

function successes(checks: readonly Check[]): number {
  return checks.filter(({ status }) => status === 'SUCCESS').length
}

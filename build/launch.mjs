/** npm start, npm test and their kin, on a machine that has Node.js or Bun and nothing else: launch.mjs TASK [ARGS]. */
import { spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { join } from 'node:path'
import { findBun, hashOf, install, installPrograms, ROOT, textOf } from './install.mjs'
import { watchShell } from './shell.mjs'

const OUT = join(ROOT, 'build/out')
const BINARY = join(OUT, process.platform === 'win32' ? 'prepd.exe' : 'prepd')
const BUILT_FROM = join(OUT, 'built-from')

/** Each answers an exit code; the first that is not 0 ends the task. */
const TASKS = {
  start: async (args) => (await install('runtime')) || (await buildIfStale()) || run(BINARY, args),
  build: async () => (await install('runtime')) || build(),
  test,
  check,
  release: async (args) => (await install('all')) || run(findBun(), ['build/release.ts', ...args]),
  bench: (args) => program('test/bench/main.ts', args),
  soak: (args) => program('test/faults/soak.ts', args),
  fuzz: (args) => program('test/fuzz/main.ts', args),
}

/** The packages of npm and those of the system come beside each other: neither needs the other. */
async function test() {
  const [code] = await Promise.all([install('all'), installPrograms()])
  return code || check()
}

/** Runs a program of the tests against an executable that is up to date. */
async function program(path, args) {
  return (await install('all')) || (await buildIfStale()) || run(findBun(), [path, ...args])
}

/** A test's time guards against hanging alone: the slowest takes seconds, and a loaded machine many times as long. */
const BUN_TEST = ['--no-orphans', 'test', '--only-failures', '--timeout=300000', '--no-isolate']

/** Many tests wait for deadlines of the product, so there is room for one file more than there are cores. */
const BESIDE = `--parallel=${Math.min(4, availableParallelism() + 1)}`

const LINT = ['node_modules/@biomejs/biome/bin/biome', 'ci', '--config-path=config/lint.json']
const TYPES = ['node_modules/typescript/bin/tsc', '--incremental']
const UNUSED = ['node_modules/knip/bin/knip.js', '--config', 'config/knip.json', '--cache']

/** The executable that tests start. */
const BUILD = ['build', ['build/compile.ts']]

/**
 * What is proved once that is built: beside each other, since none of them keeps two cores busy. Everything runs on the
 * project's bun, so Node.js need not be there.
 */
const TESTS = [
  ['tests', [...BUN_TEST, BESIDE, '--path-ignore-patterns=test/pages/**']],
  ['page tests', ['test/pages/run.ts', ...BUN_TEST, '--parallel=2', 'test/pages']],
]

/** What needs no executable, in order: beside the build and the tests. */
const FIXED = [
  ['lint', [...LINT, '--colors=off']],
  // What these found last time is kept: they look again at what has changed.
  ['types', [...TYPES, '-p', '.', '--tsBuildInfoFile', join(OUT, 'types.tsbuildinfo')]],
  ['page types', [...TYPES, '-p', 'src/pages', '--tsBuildInfoFile', join(OUT, 'page.tsbuildinfo')]],
  ['unused', [...UNUSED, '--cache-location', join(OUT, 'unused')]],
  // Again without the tests: what only they call is not used.
  [
    'unused in production',
    [...UNUSED, '--production', '--cache-location', join(OUT, 'unused-in-production')],
  ],
  ['docs', ['build/docs.ts', '--check']],
]

/** All checks together: what runs longer hangs, is stopped, and says where it was. */
const CHECK_MAX_MS = 1000 * Number(process.env.CHECK_MAX_SECONDS ?? 3600)
/** How long what is stopped may take to say so. */
const STOP_MAX_MS = Math.min(10_000, CHECK_MAX_MS)

/** Where tests write what they skip. */
const SKIPPED = join(OUT, 'tests-skipped')
const SLOWEST = 20
const SLOW_SECONDS = 1

function buildIfStale() {
  return existsSync(BINARY) && textOf(BUILT_FROM) === sources() ? 0 : build()
}

/** What the build says goes to stderr as it comes: the program's stdout may be a protocol. */
async function build() {
  console.error('prepd: building, which takes about 20 seconds')
  const stdio = ['ignore', 2, 2]
  const code = await ended(() => spawn(findBun(), ['build/compile.ts'], { cwd: ROOT, stdio }))
  if (code === 0) writeFileSync(BUILT_FROM, sources())
  return code
}

function sources() {
  return hashOf(['package.json', 'package-lock.json', 'tsconfig.json', 'NOTICE', 'src', 'build'])
}

/**
 * One line a check that passes, all it said when it fails; then the slowest files, slow tests without a reason, what was
 * skipped, and the sums last.
 */
async function check() {
  const counts = []
  const endsMs = performance.now() + CHECK_MAX_MS
  rmSync(SKIPPED, { force: true })
  const proveAll = async (checks) => {
    for (const [name, args] of checks) counts.push(await prove(name, args, endsMs))
  }
  const proveTests = async () => {
    await proveAll([BUILD])
    await Promise.all(TESTS.map((row) => proveAll([row])))
  }
  await Promise.all([proveTests(), proveAll(FIXED)])
  const sum = (key) => counts.reduce((total, count) => total + count[key], 0)
  const all = (key) => counts.flatMap((count) => count[key]).sort((a, b) => b.seconds - a.seconds)
  for (const { file, seconds } of all('files').slice(0, SLOWEST)) console.log(timed(seconds, file))
  const unexplained = all('slow').filter(isUnexplained)
  for (const { file, line, seconds } of unexplained.slice(0, SLOWEST))
    console.log(timed(seconds, `${file}:${line} gives no reason (a comment "Slow: WHY")`))
  if (unexplained.length > SLOWEST) console.log(`and ${unexplained.length - SLOWEST} more of these`)
  for (const line of skipped()) console.log(line)
  console.log(`prepd: ${sum('passed')} passed, ${sum('failed')} failed`)
  return sum('failed') === 0 ? 0 : 1
}

async function prove(name, args, endsMs) {
  const startedMs = performance.now()
  const isTest = args.includes('test')
  const report = join(OUT, `${name.replaceAll(' ', '-')}.xml`)
  const reported = ['--reporter=junit', `--reporter-outfile=${report}`]
  const given = isTest ? [...args, ...reported, ...longestFirst(name)] : args
  const { code, output } = await capture(given, endsMs - startedMs)
  const endedMs = performance.now()
  const count = isTest
    ? { ...testCounts(code, output), ...reportOf(report) }
    : { passed: Number(code === 0), failed: Number(code !== 0), files: [], slow: [] }
  if (count.failed > 0) process.stdout.write(output)
  if (endedMs >= endsMs) console.log(`${name}: stopped, its time is over`)
  const seconds = ((endedMs - startedMs) / 1000).toFixed(1)
  console.log(`${name}: ${count.passed} passed, ${count.failed} failed (${seconds} s)`)
  return count
}

/** Files that took long in the last run start first, so that none of them runs alone at the end. */
function longestFirst(name) {
  const times = join(OUT, `${name.replaceAll(' ', '-')}-times.json`)
  return [`--timings=${times}`, '--update-timings']
}

/** The closing lines of bun test. A run that ends badly, or proves nothing, has failed even without a failed test. */
function testCounts(code, output) {
  const count = (word) => {
    const [, last = '0'] = [...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, 'gm'))].at(-1) ?? []
    return Number(last)
  }
  const [passed, failed] = [count('pass'), count('fail')]
  return { passed, failed: failed === 0 && (code !== 0 || passed === 0) ? 1 : failed }
}

/** What the report of a run of tests says: how long each file took, and each test that took longer than a second. */
function reportOf(path) {
  const report = textOf(path)
  rmSync(path, { force: true })
  const suites = report.matchAll(/<testsuite name="([^"]+)" file="\1"[^>]* time="([\d.]+)"/g)
  const tests = report.matchAll(/<testcase [^>]* time="([\d.]+)" file="([^"]+)" line="(\d+)"/g)
  return {
    files: [...suites].map(([, file, seconds]) => ({ file, seconds: Number(seconds) })),
    slow: [...tests]
      .map(([, seconds, file, line]) => ({ file, line, seconds: Number(seconds) }))
      .filter(({ seconds }) => seconds > SLOW_SECONDS),
  }
}

/** Whether no comment of its file says why a test takes long. */
function isUnexplained({ file }) {
  return !/\bSlow: \S/.test(textOf(join(ROOT, file)))
}

function timed(seconds, text) {
  return `${seconds.toFixed(1).padStart(6)} s  ${text}`
}

/** Tests that were skipped because a program is missing: each line of the file is a name, a tab, and how to install it. */
function skipped() {
  const lines = textOf(SKIPPED).split('\n').filter(Boolean)
  return [...new Set(lines)].map((line) => {
    const [name, remedy] = line.split('\t')
    return `skipped: ${name} (${remedy})`
  })
}

/** Runs a program to its end, or for so long: it is then asked to end, and soon made to. */
async function capture(args, maxMs) {
  const chunks = []
  const timers = []
  const code = await ended(() => {
    const env = { ...process.env, TESTS_SKIPPED_FILE: SKIPPED }
    const child = spawn(findBun(), args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const streams = [child.stdout, child.stderr]
    for (const stream of streams) stream.on('data', (chunk) => chunks.push(chunk))
    const kill = () => {
      child.kill('SIGKILL')
      // What it has started may hold them open.
      for (const stream of streams) stream.destroy()
    }
    if (maxMs !== undefined) {
      timers.push(setTimeout(() => child.kill('SIGTERM'), maxMs))
      timers.push(setTimeout(kill, maxMs + STOP_MAX_MS))
    }
    return child
  })
  for (const timer of timers) clearTimeout(timer)
  return { code, output: Buffer.concat(chunks).toString() }
}

function run(command, args) {
  return ended(() => spawn(command, args, { stdio: 'inherit' }))
}

/** Starts a child, passes signals on to it from its first moment, and answers its exit code as a shell would. */
async function ended(start) {
  let child
  const forward = (signal) => {
    // To the child a hangup means to read its settings again; here it means that the terminal is gone.
    if (signal === 'SIGHUP') child?.kill('SIGTERM')
    // A terminal sends Ctrl-C to the whole group: the child has it already.
    else if (signal === 'SIGTERM' || !process.stdin.isTTY) child?.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  child = start()
  const unwatch = watchShell(() => forward('SIGTERM'))
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
  unwatch()
  for (const signal of signals) process.off(signal, forward)
  return code
}

const [task = '', ...args] = process.argv.slice(2)
if (Object.hasOwn(TASKS, task)) process.exitCode = await TASKS[task](args)
else {
  console.error(`usage: launch.mjs ${Object.keys(TASKS).join('|')} [ARGS]`)
  process.exitCode = 64
}

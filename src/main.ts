import { fstatSync } from 'node:fs'
import { LOGGING } from './contract/operator/process.ts'
import { LOOPBACK_NAMES, mayBeProxied } from './core/base-url.ts'
import { createLineWriter, createLog, type LogLevel } from './core/log.ts'
import { after, guarded } from './core/loop/guarded.ts'
import type { Clock, Random, RunCommand, World } from './core/ports.ts'
import type { Files } from './core/settings/files.ts'
import type { Configured, Settings } from './core/settings/settings.ts'
import { UsageError } from './core/settings/usage-error.ts'
import { exitOnCrash } from './main/crash.ts'
import { print, printError, printNow, printText } from './main/output.ts'
import { endWithParent, runOwnCommand } from './main/own-command.ts'
import { type Invocation, processInputs, readInvocation } from './settings.ts'

const CLOCK: Clock = { nowMs: Date.now }
const RANDOM: Random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }
const PROCESS_WORLD = {
  clock: CLOCK,
  monotonicMs: () => performance.now(),
  random: RANDOM,
  proxied: (url: URL) => mayBeProxied(url, process.env),
  runCommand: (words: readonly string[], signal: AbortSignal) =>
    runOwnCommand(process.argv, words, signal),
  startVenueThread: () => new Worker(new URL('./venue-thread.ts', import.meta.url).href),
}
/** The runtime delays JIT compilation during this time after the start (see build/executable.ts), and then compiles as usual. */
const JIT_AFTER_MS = 250
/** A bad command line or setting (sysexits.h). */
const EX_USAGE = 64

// A reload by SIGHUP changes the level.
let logLevel: LogLevel = 'info'

type Running = Extract<Invocation, { kind: 'run' }>

// Without this, Bun sends even calls to this machine through the environment's proxy.
function keepLoopbackDirect(): void {
  const direct = [process.env['NO_PROXY'], ...LOOPBACK_NAMES]
  process.env['NO_PROXY'] = direct.filter(Boolean).join(',')
}

/** Runs the command line. Returns the exit code, or null while a server runs. */
async function main(): Promise<number | null> {
  keepLoopbackDirect()
  after('process', JIT_AFTER_MS, () => Bun.unsafe.setJITPolicy(1)).unref()
  const { argv, env, files } = processInputs()
  const invocation = readInvocation(argv, env, files)
  if (invocation.kind === 'refusal') {
    for (const line of invocation.lines) printError(line)
    return invocation.exitCode
  }
  if (invocation.kind === 'help') return printHelp(invocation)
  if (invocation.kind === 'licenses') return printLicenses()
  if (invocation.kind === 'version') return printVersion(invocation)
  if (invocation.mode === 'admin') return runAdmin(invocation)
  const problems = [
    ...(await voucherProblems(invocation.settings, files)),
    ...(await marketProblems(invocation.settings)),
    ...(await scenarioProblems(invocation.settings, files)),
    ...(await tapeProblems(invocation.settings)),
    ...(await pricesProblems(invocation.settings, files)),
  ]
  for (const line of problems) printError(`prepd: ${line}`)
  if (problems.length > 0) return EX_USAGE
  return invocation.mode === 'mcp' ? runAgent(invocation) : runServer(invocation)
}

/** Problems of the voucher settings, found before anything is opened. Loads voucher code only if these settings exist. */
async function voucherProblems({ voucher }: Settings, files: Files): Promise<readonly string[]> {
  if (voucher.path === null && voucher.keys.length === 0) return []
  const { voucherProblems: findProblems } = await import('./gateway/voucher/problems.ts')
  return findProblems({ voucher }, files)
}

/** Unknown markets in the settings of the embedded venue, found before anything is opened. */
async function marketProblems({ venue }: Settings): Promise<readonly string[]> {
  // With a live venue, unknown markets are found later, from its answer.
  if (venue.markets === null || venue.paperOf) return []
  const { marketProblems: findProblems } = await import('./simulator/world-choices.ts')
  return findProblems(venue.markets)
}

/** Problems of the scenario file, found before anything is opened. */
async function scenarioProblems({ venue }: Settings, files: Files): Promise<readonly string[]> {
  if (venue.scenario === null) return []
  const { scenarioProblems: findProblems } = await import('./simulator/control/scenario/parse.ts')
  const { readTextFile } = await import('./core/settings/files.ts')
  return findProblems(venue.scenario, (path) => readTextFile(files, path))
}

/** Problems of the tape, found before anything is opened. */
async function tapeProblems({ venue }: Settings): Promise<readonly string[]> {
  if (venue.tape === null) return []
  const { tapeProblems: findProblems } = await import('./simulator/world-choices.ts')
  return findProblems(venue.tape)
}

/** Problems of the price file, found before anything is opened. */
async function pricesProblems({ venue }: Settings, files: Files): Promise<readonly string[]> {
  if (venue.prices === null) return []
  const { readCandles } = await import('./simulator/world-choices.ts')
  const { LIMITS } = await import('./contract/limits.ts')
  const candles = readCandles(venue.prices, (path) => files.read(path, LIMITS.pricesFileMaxBytes))
  return typeof candles === 'string' ? [candles] : []
}

async function printHelp({ commands }: Extract<Invocation, { kind: 'help' }>): Promise<number> {
  const { commandHelp, helpText } = await import('./operator/command/help.ts')
  const { operatorCommands } = await import('./main/commands.ts')
  print(commands.length > 0 ? commandHelp(commands) : helpText(operatorCommands()))
  return 0
}

async function printLicenses(): Promise<number> {
  const { licensesText } = await import('./operator/licenses.ts')
  printText(await licensesText())
  return 0
}

async function printVersion({
  json,
  venue,
}: Extract<Invocation, { kind: 'version' }>): Promise<number> {
  const { versionJson, versionLine } = await import('./core/build-facts.ts')
  const { sqliteVersion } = await import('./store/connection/version.ts')
  print(json ? versionJson({ sqlite: sqliteVersion(), venue }) : versionLine())
  return 0
}

async function runAdmin(invocation: Extract<Running, { mode: 'admin' }>): Promise<number> {
  endWithParent()
  const { command, args, settings, entries, unit, json } = invocation
  const admin = await import('./operator/command/output.ts')
  const { commandWorld } = await import('./main/command-world.ts')
  // Only the program's path: a command that this command starts gets just the flags that its caller passes.
  const program = process.argv.slice(0, 2)
  const runCommand: RunCommand = (...call) => runOwnCommand(program, ...call)
  const world = commandWorld({ ...PROCESS_WORLD, runCommand }, process.env)
  const { operatorCommands } = await import('./main/commands.ts')
  // A parent process that runs this command reads only its standard output.
  const complain = process.connected ? print : printError
  const outside = { commands: operatorCommands(), files: processInputs().files, world }
  const own = { settings, entries, unit, ...outside }
  return admin.runCommand(command, args, { json, print, complain, ...own })
}

/** Serves MCP over stdio until the input ends. */
async function runAgent(invocation: Extract<Running, { mode: 'mcp' }>): Promise<number> {
  const { serveAgent, userStateDir } = await import('./main/agent-mode.ts')
  const server = await serveAgent(
    invocation,
    openProcessWorld(invocation.settings),
    userStateDir(process.env),
  )
  stopOnSignal(server.close)
  await server.done
  return 0
}

function setLogLevel(next: LogLevel): void {
  logLevel = next
}

/** The real clock, random numbers and environment, with a log of JSON lines on stderr. */
function openProcessWorld({ log: { level } }: Settings): World {
  logLevel = level
  const writer = createLineWriter(openStderr, LOGGING.backlogMaxBytes)
  const lines = { level: () => logLevel, hasPriorities: isJournal(), clock: CLOCK, ...writer }
  return { ...PROCESS_WORLD, ...createLog(lines) }
}

/** Whether stderr is the journal of systemd, by systemd.exec(5). */
function isJournal(): boolean {
  const stream = process.env['JOURNAL_STREAM']
  if (stream === undefined) return false
  const { dev, ino } = fstatSync(2)
  return stream === `${dev}:${ino}`
}

// A slow or closed reader of stderr only loses log lines; it does not block the process.
function openStderr() {
  const ignore = guarded('process', () => undefined)
  return process.stderr.on('error', ignore)
}

/** Runs the HTTP server until it is stopped, then finishes the requests in flight. */
async function runServer(first: Configured): Promise<null> {
  const { openServer } = await import('./main/server.ts')
  const world = openProcessWorld(first.settings)
  exitOnCrash(world.log, process.exit)
  const { pid } = process
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID } = process.env
  const unit = { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID }
  const server = await openServer(first, world, {
    setLogLevel,
    readAgain: rereadSettings,
    pid,
    unit,
  })
  stopOnSignal(server.stop)
  process.on('SIGHUP', guarded('process', server.reload))
  // One write: with several, a reader that closes the pipe after the first line would end the server.
  printNow(`${server.lines.join('\n')}\n`)
  server.ready()
  return null
}

function rereadSettings(): Configured {
  const { argv, env, files } = processInputs()
  const invocation = readInvocation(argv, env, files)
  if (invocation.kind === 'run') return invocation
  throw new UsageError(...(invocation.kind === 'refusal' ? invocation.lines : []))
}

// The process exits by itself after the graceful drain; a second signal ends it at once.
function stopOnSignal(stop: (signal: 'SIGTERM' | 'SIGINT') => Promise<void>): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const stopOnce = guarded('process', () => {
      if (stopping) process.exit(1)
      stopping = true
      stop(signal).then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
    process.on(signal, stopOnce)
  }
}

if (import.meta.main) {
  main().then(
    (code) => {
      if (code !== null) process.exitCode = code
    },
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : 'cannot start'
      for (const line of reason.split('\n')) printError(`prepd: ${line}`)
      process.exit(1)
    },
  )
}

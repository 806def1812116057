import { join } from 'node:path'
import type { CommandWorld } from './admin/command.ts'
import { LOOPBACK_NAMES } from './core/base-url.ts'
import { BUILD } from './core/build-facts.ts'
import { createLog } from './core/log.ts'
import type { Clock, Random, World } from './core/ports.ts'
import type { Files } from './settings/files.ts'
import type { Settings } from './settings/settings.ts'
import { type Invocation, processInputs, readInvocation } from './settings.ts'
import { LIMITS } from './spec/limits.ts'

const CLOCK: Clock = { nowMs: Date.now }
const RANDOM: Random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }
/** A bad command line or setting (sysexits.h). */
const EX_USAGE = 64

type Running = Extract<Invocation, { kind: 'run' }>

// Bun would send even calls to this machine through a proxy of the environment.
function keepLoopbackDirect(): void {
  const direct = [process.env['NO_PROXY'], ...LOOPBACK_NAMES]
  process.env['NO_PROXY'] = direct.filter(Boolean).join(',')
}

/** Runs what the command line asks for. Answers the exit code, or null while a server goes on. */
async function main(): Promise<number | null> {
  keepLoopbackDirect()
  const { argv, env, files } = processInputs()
  const invocation = readInvocation(argv, env, files)
  if (invocation.kind === 'refusal') {
    for (const line of invocation.lines) process.stderr.write(`${line}\n`)
    return invocation.exitCode
  }
  if (invocation.kind === 'help') return printHelp()
  if (invocation.kind === 'licenses') return printLicenses()
  if (invocation.kind === 'version') return printVersion(invocation)
  if (invocation.mode === 'admin') return runAdmin(invocation)
  const problems = await voucherProblems(invocation.settings, files)
  for (const line of problems) process.stderr.write(`prepd: ${line}\n`)
  if (problems.length > 0) return EX_USAGE
  return invocation.mode === 'mcp' ? runAgent(invocation) : runServer(invocation.settings)
}

/** What the voucher settings name is read before anything is opened; where they are not set, nothing is loaded. */
async function voucherProblems({ voucher }: Settings, files: Files): Promise<readonly string[]> {
  if (voucher.path === null && voucher.key === null) return []
  const { voucherProblems: problemsOf } = await import('./voucher/problems.ts')
  return problemsOf({ voucher }, files)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function printHelp(): Promise<number> {
  const { helpText } = await import('./admin/help.ts')
  const { COMMANDS } = await import('./admin/commands.ts')
  print(helpText(COMMANDS))
  return 0
}

async function printLicenses(): Promise<number> {
  const { licensesText } = await import('./admin/licenses.ts')
  process.stdout.write(await licensesText())
  return 0
}

async function printVersion({
  json,
  venue,
}: Extract<Invocation, { kind: 'version' }>): Promise<number> {
  const { versionJson, versionLine } = await import('./admin/version.ts')
  const { sqliteVersion } = await import('./store/version.ts')
  print(json ? versionJson({ sqlite: sqliteVersion(), venue }) : versionLine())
  return 0
}

async function runAdmin(invocation: Extract<Running, { mode: 'admin' }>): Promise<number> {
  const { command, args, settings, entries } = invocation
  const world: CommandWorld = {
    clock: CLOCK,
    random: RANDOM,
    transport: (request) => fetch(request),
    sleep: (ms) => Bun.sleep(ms),
    openVoucherStore: async (dataDir) => {
      const path = join(dataDir, 'prepd.sqlite')
      if (!(await Bun.file(path).exists())) throw new Error(`there is no store in ${dataDir}`)
      const { openVoucherStore } = await import('./store/voucher/sqlite.ts')
      return openVoucherStore(path)
    },
  }
  return command.run({ print, settings, entries, files: processInputs().files, world }, args)
}

/** MCP over stdio: until the input ends. */
async function runAgent(invocation: Extract<Running, { mode: 'mcp' }>): Promise<number> {
  const { openAgent } = await import('./wiring/agent-mode.ts')
  const server = await openAgent(invocation, worldOf(invocation.settings))
  stopOnSignal(server.close)
  await server.done
  return 0
}

/** The world as it is, with a log of JSON lines on stderr. */
function worldOf({ log: { level } }: Settings): World {
  const write = (line: string) => process.stderr.write(`${line}\n`)
  const log = createLog({ level, clock: CLOCK, write })
  return { clock: CLOCK, monotonicMs: () => performance.now(), random: RANDOM, log }
}

/** The HTTP server: answers until it is told to stop, then finishes what it has begun. */
async function runServer(settings: Settings): Promise<null> {
  const { openDeployment } = await import('./wiring/deployment.ts')
  const world = worldOf(settings)
  const deployment = await openDeployment(settings, world)
  const { listen } = await import('./routes/http/server.ts')
  const { crashFields } = await import('./routes/http/crash.ts')
  const { OPERATOR_PATHS } = await import('./routes/operator.ts')
  const onCrash = (error: unknown) => world.log.error('crash', crashFields(error))
  const opened = listen(
    { hostname: settings.listen.host, port: settings.listen.port },
    deployment.front,
    { onCrash, operatorPaths: OPERATOR_PATHS, sockets: deployment.sockets },
  )
  const ops = settings.opsListen
    ? listen({ hostname: settings.opsListen.host, port: settings.opsListen.port }, deployment.ops, {
        onCrash,
      })
    : null
  stopOnSignal(async () => {
    await deployment.farewell()
    await Promise.race([
      Promise.all([opened.stop(), ops?.stop()]),
      Bun.sleep(LIMITS.stopDeadlineMs),
    ])
    await deployment.close()
    world.log.info('stop')
  })
  print(`prepd listening on ${opened.url}`)
  world.log.info('start', {
    url: opened.url,
    ops: ops?.url,
    venue: deployment.venue,
    version: BUILD.version,
  })
  return null
}

// Exits by itself once nothing is left to do; a second signal does not wait.
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stopping = true
      stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
}

if (import.meta.main) {
  // Whoever reads the output may have read enough.
  process.stdout.on('error', () => process.exit(0))
  main().then(
    (code) => {
      if (code !== null) process.exitCode = code
    },
    (error: unknown) => {
      process.stderr.write(`prepd: ${error instanceof Error ? error.message : 'cannot start'}\n`)
      process.exit(1)
    },
  )
}

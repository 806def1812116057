import { join } from 'node:path'
import type { CommandWorld } from './admin/command.ts'
import { BUILD } from './core/build-facts.ts'
import { createLog } from './core/log.ts'
import type { Clock, Log, Random, Store, Upstream } from './core/ports.ts'
import type { Settings } from './core/settings.ts'
import { type Invocation, processInputs, readInvocation } from './settings.ts'
import { LIMITS } from './spec/limits.ts'

/** What this process gets from the world; tests bring their own. */
export type World = { readonly clock: Clock; readonly random: Random; readonly log: Log }

const CLOCK: Clock = { nowMs: Date.now }
const RANDOM: Random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }
const VENUE_STEP_MS = 1000
const STOP_DEADLINE_MS = 10_000

type Running = Extract<Invocation, { kind: 'run' }>

/** Runs what the command line asks for. Answers the exit code, or null while a server goes on. */
async function main(): Promise<number | null> {
  const { argv, env, files } = processInputs()
  const invocation = readInvocation(argv, env, files)
  if (invocation.kind === 'refusal') {
    for (const line of invocation.lines) process.stderr.write(`${line}\n`)
    return invocation.exitCode
  }
  if (invocation.kind === 'help') return printHelp()
  if (invocation.kind === 'version') return printVersion(invocation)
  if (invocation.mode === 'admin') return runAdmin(invocation)
  return invocation.mode === 'mcp' ? runAgent(invocation) : runServer(invocation.settings)
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
  }
  return command.run({ print, settings, entries, files: processInputs().files, world }, args)
}

/** MCP over stdio. */
async function runAgent(_invocation: Extract<Running, { mode: 'mcp' }>): Promise<number> {
  process.stderr.write('prepd: the mcp mode is not part of this version\n')
  return 64
}

/** The HTTP server: answers until it is told to stop, then finishes what it has begun. */
async function runServer(settings: Settings): Promise<null> {
  const log = createLog({
    level: settings.logLevel,
    clock: CLOCK,
    write: (line) => process.stderr.write(`${line}\n`),
  })
  const service = await openService(settings, { clock: CLOCK, random: RANDOM, log })
  const { listen } = await import('./routes/server.ts')
  const opened = listen(
    { hostname: settings.listen.host, port: settings.listen.port },
    service.front,
  )
  const ops = settings.opsListen
    ? listen({ hostname: settings.opsListen.host, port: settings.opsListen.port }, service.ops)
    : null
  print(`prepd listening on ${opened.url}`)
  log.info('start', {
    url: opened.url,
    ops: ops?.url,
    venue: service.venue,
    version: BUILD.version,
  })
  stopOnSignal(async () => {
    await Promise.race([Promise.all([opened.stop(), ops?.stop()]), Bun.sleep(STOP_DEADLINE_MS)])
    await service.close()
    log.info('stop')
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

/** Everything behind the listeners, opened and wired. */
export type Service = {
  readonly front: (request: Request, peer: string) => Response | Promise<Response>
  readonly ops: (request: Request, peer: string) => Response | Promise<Response>
  readonly venue: 'embedded' | 'live'
  /** Stops the timers, writes what is still in memory, closes the store. */
  readonly close: () => Promise<void>
}

/** Opens the store, the venue and the gateway for these settings. */
export async function openService(settings: Settings, world: World): Promise<Service> {
  const { openSqlite } = await import('./store/sqlite.ts')
  const store = openSqlite(join(settings.dataDir, 'prepd.sqlite'))
  try {
    const venue = await openVenue(settings, world, store)
    return await wire(settings, world, store, venue)
  } catch (error) {
    store.close()
    throw error
  }
}

type OpenVenue = {
  readonly kind: 'embedded' | 'live'
  readonly upstream: Upstream
  /** Moves a virtual clock; null where time is real. */
  readonly advance: ((ms: number) => void) | null
  readonly stop: () => Promise<void>
}

async function openVenue(settings: Settings, world: World, store: Store): Promise<OpenVenue> {
  const { at, vaults } = settings.venue
  if (at === 'embedded' || vaults === 'embedded') return openEmbedded(settings, world, store)
  const { httpUpstream } = await import('./upstream/http.ts')
  const { loggedUpstream } = await import('./upstream/logged.ts')
  const upstream = httpUpstream({
    main: at,
    vaults,
    concurrentMax: LIMITS.upstreamConcurrentMax,
    writeReserved: LIMITS.upstreamWriteReserved,
    bodyMaxBytes: LIMITS.upstreamBodyMaxBytes,
  })
  return {
    kind: 'live',
    upstream: loggedUpstream(upstream, world.log),
    advance: null,
    stop: async () => undefined,
  }
}

async function openEmbedded({ venue }: Settings, world: World, store: Store): Promise<OpenVenue> {
  const { createEmbeddedVenue } = await import('./venue/embedded.ts')
  const { embeddedUpstream } = await import('./upstream/embedded.ts')
  const { listenVenue } = await import('./venue/listener.ts')
  const embedded = createEmbeddedVenue({
    seed: venue.seed,
    time: venue.clock,
    faucet: venue.faucetMicros,
    wallClock: world.clock,
    random: world.random,
    log: world.log,
    entities: store.entities,
  })
  const timer = setInterval(embedded.advance, VENUE_STEP_MS)
  timer.unref()
  const listener = venue.listen ? listenVenue(venue.listen, embedded.answer) : null
  return {
    kind: 'embedded',
    upstream: embeddedUpstream(embedded.answer),
    advance: embedded.time.advance,
    stop: async () => {
      clearInterval(timer)
      await listener?.stop()
    },
  }
}

async function wire(
  settings: Settings,
  world: World,
  store: Store,
  venue: OpenVenue,
): Promise<Service> {
  const { createGateway } = await import('./gateway/gateway.ts')
  const { startHousekeeping } = await import('./gateway/housekeeping.ts')
  const { createPublic } = await import('./routes/service.ts')
  const { createMeter } = await import('./routes/meter.ts')
  const { createOps } = await import('./routes/ops.ts')
  const deps = createGateway({ ...world, settings, store, upstream: venue.upstream })
  const meter = createMeter()
  const stopHousekeeping = startHousekeeping(deps)
  return {
    front: createPublic({
      deps,
      random: world.random,
      trusted: settings.trustedProxies,
      origins: settings.allowedOrigins,
      meter,
      version: BUILD.version,
      venue: venue.kind,
    }),
    ops: createOps({
      deps,
      meter,
      venue: venue.kind,
      advance: venue.advance,
      version: BUILD.version,
      startedAtMs: world.clock.nowMs(),
    }),
    venue: venue.kind,
    close: async () => {
      stopHousekeeping()
      await venue.stop()
      deps.limiter.flush(Number.POSITIVE_INFINITY)
      store.close()
    },
  }
}

if (import.meta.main) {
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

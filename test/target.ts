import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crashFields } from '../src/core/log.ts'
import type { Settings } from '../src/core/settings/settings.ts'
import { settingVariable } from '../src/core/settings/sources.ts'
import { OPS_PATHS } from '../src/http/operator/acts.ts'
import { OPERATOR_PATHS } from '../src/http/operator/operator.ts'
import { type Listener, listen } from '../src/http/server/server.ts'
import { openDeployment } from '../src/main/deployment.ts'
import { processInputs, readInvocation } from '../src/settings.ts'

/** One running prepd, however it runs: the same scenarios are asked of all of them. */
export type Target = {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** The operator's listener; of the binary only when OPS_LISTEN is set, such as to 127.0.0.1:0. */
  readonly ops: (path: string, init?: RequestInit) => Promise<Response>
  /** Where its listeners are, for bytes that no client would send; '' of those it does not have. */
  readonly listening: () => Promise<Listening>
  /** Everything it wrote to its log. */
  readonly log: () => string
  readonly stop: () => Promise<void>
}

type Listening = {
  readonly public: string
  readonly ops: string
  /** The wire of the embedded venue. */
  readonly venue: string
}

export type TargetKind = 'in process' | 'compiled binary'

/** For the dozen files that stand for all others: what they ask is asked of the compiled binary too. */
export const TARGET_KINDS: readonly TargetKind[] = ['in process', 'compiled binary']

/** For the other files. `TEST_TARGETS=all` asks the compiled binary as well. */
export const USUAL_KINDS: readonly TargetKind[] =
  process.env['TEST_TARGETS'] === 'all' ? TARGET_KINDS : ['in process']

/** Settings as environment variables without their prefix, such as `{ VENUE: 'embedded' }`. */
export type TargetSettings = Readonly<Record<string, string>>

/**
 * Enough for most tests, at a seventh of the cost of all: one of each kind, of gold, one that is wound down, and one that
 * a builder listed for itself.
 */
export const FEW_MARKETS = ['BTC', 'ETH', 'SOL', 'SUI', 'DOGE', 'XAU', 'EOS']
  .map((base) => `PERP_${base}_USDC`)
  .concat('PERP_MOON_USDC_demo-x')
  .join(',')

/** A few markets whose simulated traders do little: what a test does to a book stays as it is for a while. */
export const CHEAP_WORLD = { VENUE_MARKETS: FEW_MARKETS, VENUE_ACTIVITY: 'sparse' } as const

/** The same as variables of a process. */
export const CHEAP_WORLD_VARIABLES = Object.fromEntries(
  Object.entries(CHEAP_WORLD).map(([name, value]) => [settingVariable(name), value]),
)

/** All rate limits off, the log quiet, callers distinguished by the forwarded address. */
const QUIET: TargetSettings = {
  LISTEN: '127.0.0.1:0',
  OPS_LISTEN: 'off',
  TRUSTED_PROXIES: '127.0.0.0/8',
  LIMIT_READ: 'off',
  LIMIT_WRITE: 'off',
  LIMIT_RELAY: 'off',
  LIMIT_ACCOUNT: 'off',
  LIMIT_CANCEL: 'off',
  LOG: 'debug',
}

const BINARY = new URL('../build/out/prepd', import.meta.url).pathname

/** Starts prepd with these settings on a data directory of its own, unless one is given. */
export function openTarget(kind: TargetKind, settings: TargetSettings = {}): Promise<Target> {
  const chosen = { ...QUIET, ...settings }
  if (kind === 'in process') return openInProcess(chosen)
  return inFolder(chosen, openBinary)
}

/** What a test of prepd in its own process may set that no setting does. */
export type InProcess = {
  /** The clock, of which the monotonic one is a part. */
  readonly nowMs?: () => number
  readonly adjust?: (settings: Settings) => Settings
  /** Starts a thread for the embedded venue, which has none of its own here otherwise. */
  readonly startVenueThread?: () => Worker
}

/** Starts prepd in this process with these settings and no others, on a data directory as above. */
export function openInProcess(settings: TargetSettings, more: InProcess = {}): Promise<Target> {
  return inFolder(settings, (env) => openInside(env, more))
}

type Env = Readonly<Record<string, string>>

/** Opens a target with a few markets and a new folder, which goes when the target stops. */
async function inFolder(
  settings: TargetSettings,
  open: (env: Env, folder: string) => Promise<Target>,
): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-test-'))
  const chosen = { DATA_DIR: join(folder, 'data'), ...CHEAP_WORLD, ...settings }
  const env = Object.fromEntries(
    Object.entries(chosen).map(([name, value]) => [settingVariable(name), value]),
  )
  const target = await open(env, folder)
  return {
    ...target,
    stop: async () => {
      await target.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openInside(
  env: Env,
  { nowMs, adjust = (same) => same, startVenueThread }: InProcess,
): Promise<Target> {
  const invocation = readInvocation([], env, processInputs().files)
  if (invocation.kind !== 'run') throw new Error(JSON.stringify(invocation))
  const lines: string[] = []
  const at = (level: string) => (event: string, fields?: object) => {
    lines.push(JSON.stringify({ level, event, ...fields }))
  }
  const deployment = await openDeployment(adjust(invocation.settings), {
    clock: { nowMs: nowMs ?? Date.now },
    monotonicMs: nowMs ?? (() => performance.now()),
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    log: { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') },
    ...(startVenueThread && { startVenueThread }),
  })
  const onCrash = (error: unknown) => at('error')('crash', crashFields(error))
  const address = { hostname: '127.0.0.1', port: 0 }
  let listeners: { readonly [name in 'public' | 'ops']: Listener } | null = null
  const opened = () => ({
    public: listen(address, deployment.front, {
      ...{ onCrash, operatorPaths: OPERATOR_PATHS },
      ...{ direct: deployment.direct, sockets: deployment.sockets },
    }),
    ops: listen(address, deployment.ops, { onCrash, operatorPaths: OPS_PATHS }),
  })
  return {
    fetch: async (path, init) => {
      const request = withLength(new Request(`http://localhost${path}`, init), init?.body)
      const response = await deployment.front(request, '127.0.0.1')
      // A server keeps the body of a HEAD back.
      return request.method === 'HEAD' ? new Response(null, response) : response
    },
    ops: async (path, init) =>
      deployment.ops(new Request(`http://localhost${path}`, init), '127.0.0.1'),
    listening: async () => {
      listeners ??= opened()
      const { public: open, ops } = listeners
      return { public: open.url, ops: ops.url, venue: deployment.venueUrl ?? '' }
    },
    log: () => lines.join('\n'),
    stop: async () => {
      await deployment.endStreams()
      await listeners?.public.stop()
      await listeners?.ops.stop()
      await deployment.close()
    },
  }
}

/** A client says how long the text is that it sends. */
function withLength(request: Request, body: unknown): Request {
  if (typeof body === 'string' && !request.headers.has('content-length'))
    request.headers.set('content-length', String(Buffer.byteLength(body)))
  return request
}

/** What it writes goes to files: the end of a pipe does not always reach a test that also has many sockets. */
async function openBinary(env: Env, folder: string): Promise<Target> {
  if (!existsSync(BINARY)) throw new Error('build/out/prepd is missing: npm run build')
  const [output, log] = [join(folder, 'output'), join(folder, 'log')]
  const child = Bun.spawn([BINARY], {
    env: { ...env, NO_PROXY: '127.0.0.1' },
    stdout: Bun.file(output),
    stderr: Bun.file(log),
  })
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const urls = await listening(() => readFileSync(output, 'utf8'), isOver)
  let kept: string | null = null
  const logged = () => kept ?? readFileSync(log, 'utf8')
  return {
    fetch: (path, init) => fetch(urls.public + path, init),
    ops: (path, init) => fetch(urls.ops + path, init),
    listening: async () => urls,
    log: logged,
    stop: async () => {
      child.kill('SIGTERM')
      const code = await child.exited
      kept = logged()
      if (code !== 0) throw new Error(`prepd stopped with ${code}: ${kept}`)
    },
  }
}

/** Where it listens, once its first lines are there: they are written in one piece. */
async function listening(output: () => string, isOver: () => boolean): Promise<Listening> {
  for (;;) {
    const text = output()
    const named = (name: string) =>
      new RegExp(`^${name}:? (http\\S+?)\\/?$`, 'm').exec(text)?.[1] ?? ''
    const url = named('prepd listening on')
    if (url) {
      return { public: url, ops: named('console'), venue: named('wire of the embedded venue') }
    }
    if (isOver()) throw new Error(`prepd did not start: ${text}`)
    await Bun.sleep(2)
  }
}

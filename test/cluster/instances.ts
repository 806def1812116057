import { join } from 'node:path'
import { VALKEY_LIMITS } from '../../src/contract/engines/valkey.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { envelope, jsonPost, newCaller, type TestCall, type TestCaller } from '../caller.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { openInProcess, type TargetSettings } from '../target.ts'
import { until } from './processes.ts'

/** What instances share, and the venue before which they stand. */
export type Shared = {
  readonly postgres: string
  /** Where nobody listens unless one is given: windows are then decided by each instance. */
  readonly valkey?: string
  readonly venue: string
  readonly settings?: Readonly<Record<string, string>>
}

/** One prepd of several. */
export type Instance = {
  readonly log: () => string
  /** Where its public listener is. */
  readonly address: () => Promise<string>
  /** Relays a call of a caller; or what was signed before. */
  readonly relay: (
    call: TestCall | ReturnType<typeof envelope>,
    caller?: TestCaller,
  ) => Promise<Answer>
  readonly get: (path: string, init?: RequestInit) => Promise<Answer>
  readonly ops: (path: string) => Promise<Answer>
  /** What /metrics says. */
  readonly metrics: () => Promise<string>
  /** Waits until /readyz says that an engine is away, or that it is back. */
  readonly sees: (engine: string, how: 'away' | 'back') => Promise<void>
  readonly stop: () => Promise<void>
}

/** The compiled binary. */
export type InstanceProcess = Instance & {
  readonly url: string
  readonly pid: number
  /** Ends it as a machine that loses its power does. */
  readonly kill: () => Promise<void>
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly code?: string; readonly [name: string]: unknown }
}

const VALKEY_UNREACHABLE = 'redis://127.0.0.1:9'
/** What a start in this process waits for a Valkey that is not there; in the product it is a second. */
const ABSENT_MAX_MS = 20
/** Nothing here takes as long, whatever the machine is doing. */
const TIMEOUT_MS = 60_000

/** Starts so many, and waits until all of them have found Valkey. Always `await stop()` each. */
export async function startInstances(count: number, shared: Shared): Promise<InstanceProcess[]> {
  const instances = await Promise.all(Array.from({ length: count }, () => startInstance(shared)))
  await Promise.all(instances.map(({ sees }) => sees('valkey', 'back')))
  return instances
}

/** Starts an instance. Always `await stop()`, or `kill()`. */
export async function startInstance(shared: Shared): Promise<InstanceProcess> {
  const folder = temporaryFolder()
  const prepd = spawnPrepd({
    settings: { DATA_DIR: join(folder.path, 'data'), ...settingsOf(shared) },
  })
  const url = await prepd.url()
  const opsUrl = await prepd.opsUrl()
  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    prepd.kill(signal)
    await prepd.ended()
    folder[Symbol.dispose]()
  }
  return {
    ...asked({
      public: (path, init) => ask(url + path, init),
      ops: (path) => ask(opsUrl + path),
      metrics: () => fetch(`${opsUrl}/metrics`).then((response) => response.text()),
    }),
    address: async () => url,
    url,
    pid: prepd.pid,
    log: prepd.log,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

/** How long requests of an instance wait for PostgreSQL and Valkey, and the clock that it goes by. */
export type Opening = {
  readonly postgresMs?: number
  readonly valkeyMs?: number
  readonly nowMs?: () => number
}

/** For tests of what engines answer, and not of how soon: on a busy machine too, each question has its answer. */
export const UNHURRIED = { postgresMs: 60_000, valkeyMs: 60_000 } as const

/** Opens an instance in this process, which waits as the product does unless something else is given. Always `await stop()`. */
export async function openInstance(
  shared: Shared,
  {
    postgresMs = LIMITS.postgresWaitMaxMs,
    valkeyMs = VALKEY_LIMITS.waitMaxMs,
    nowMs,
  }: Opening = {},
): Promise<Instance> {
  const connectMaxMs = shared.valkey
    ? Math.max(VALKEY_LIMITS.connectMaxMs, valkeyMs)
    : ABSENT_MAX_MS
  const target = await openInProcess(settingsOf(shared), {
    ...(nowMs && { nowMs }),
    adjust: ({ engines, ...settings }) => ({
      ...settings,
      engines: engines && {
        ...engines,
        postgres: { ...engines.postgres, waitMaxMs: postgresMs },
        valkey: { ...engines.valkey, waitMaxMs: valkeyMs, connectMaxMs },
      },
    }),
  })
  return {
    ...asked({
      public: async (path, init) => answerOf(await target.fetch(path, init)),
      ops: async (path) => answerOf(await target.ops(path)),
      metrics: async () => (await target.ops('/metrics')).text(),
    }),
    address: async () => (await target.listening()).public,
    log: target.log,
    stop: target.stop,
  }
}

/** What a write is answered in the end: where PostgreSQL took too long to keep it, nothing was sent, and it is sent again. */
export async function kept(
  { relay }: Pick<Instance, 'relay'>,
  signed: ReturnType<typeof envelope>,
): Promise<Answer> {
  for (;;) {
    const answer = await relay(signed)
    if (answer.body.code !== 'store_unavailable') return answer
  }
}

type Reached = {
  readonly public: (path: string, init?: RequestInit) => Promise<Answer>
  readonly ops: (path: string) => Promise<Answer>
  readonly metrics: () => Promise<string>
}

function asked({ public: ask, ops, metrics }: Reached): Omit<Instance, 'log' | 'address' | 'stop'> {
  const stranger = newCaller()
  return {
    relay: (call, caller = stranger) =>
      ask('/api/prep/relay', jsonPost('auth' in call ? call : envelope(caller, call))),
    get: ask,
    ops,
    metrics,
    sees: (engine, how) =>
      until(async () => {
        const { status, body } = await ops('/readyz')
        const { degraded } = body
        const isAway = Array.isArray(degraded) && degraded.includes(engine)
        return status === 200 && isAway === (how === 'away')
      }),
  }
}

function settingsOf({
  postgres,
  valkey = VALKEY_UNREACHABLE,
  venue,
  settings = {},
}: Shared): TargetSettings {
  return {
    OPS_LISTEN: '127.0.0.1:0',
    LOG: 'info',
    LOG_REQUESTS: '0',
    VENUE: venue,
    POSTGRES: postgres,
    STOP_GRACE: '0',
    VALKEY: valkey,
    ...UNLIMITED,
    ...settings,
  }
}

/** Rates are somebody else's subject. */
const UNLIMITED = Object.fromEntries(
  ['READ', 'WRITE', 'RELAY', 'ACCOUNT', 'CANCEL', 'REFERRAL', 'VOUCHER'].map((name) => [
    `LIMIT_${name}`,
    'off',
  ]),
)

async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  return answerOf(await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }))
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const body = text === '' ? {} : JSON.parse(text)
  return { status: response.status, headers: response.headers, body }
}

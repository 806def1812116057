import { join } from 'node:path'
import { envelope, jsonPost, newCaller, type TestCall, type TestCaller } from '../caller.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { until } from './processes.ts'

/** What instances share, and the venue before which they stand. */
export type Shared = {
  readonly postgres: string
  /** Where nobody listens unless one is given: windows are then decided by each instance. */
  readonly valkey?: string
  readonly venue: string
  readonly settings?: Readonly<Record<string, string>>
}

/** One prepd of several: the compiled binary. */
export type Instance = {
  readonly url: string
  readonly pid: number
  readonly log: () => string
  /** Relays a call of a caller; or what was signed before. */
  readonly relay: (
    call: TestCall | ReturnType<typeof envelope>,
    caller?: TestCaller,
  ) => Promise<Answer>
  readonly get: (path: string) => Promise<Answer>
  readonly ops: (path: string) => Promise<Answer>
  /** What /metrics says. */
  readonly metrics: () => Promise<string>
  /** Waits until /readyz says that an engine is away, or that it is back. */
  readonly sees: (engine: string, how: 'away' | 'back') => Promise<void>
  /** Ends it as a machine that loses its power does. */
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly code?: string; readonly [name: string]: unknown }
}

const VALKEY_NOWHERE = 'redis://127.0.0.1:9'
/** Nothing here takes as long, whatever the machine is doing. */
const PATIENCE_MS = 60_000

/** Starts so many, and waits until all of them have found Valkey. Always `await stop()` each. */
export async function startInstances(count: number, shared: Shared): Promise<Instance[]> {
  const instances = await Promise.all(Array.from({ length: count }, () => startInstance(shared)))
  await Promise.all(instances.map(({ sees }) => sees('valkey', 'back')))
  return instances
}

/** Starts an instance. Always `await stop()`, or `kill()`. */
export async function startInstance({
  postgres,
  valkey = VALKEY_NOWHERE,
  venue,
  settings = {},
}: Shared): Promise<Instance> {
  const folder = temporaryFolder()
  const prepd = spawnPrepd({
    settings: {
      DATA_DIR: join(folder.path, 'data'),
      OPS_LISTEN: '127.0.0.1:0',
      LOG: 'info',
      LOG_REQUESTS: '0',
      VENUE: venue,
      POSTGRES: postgres,
      STOP_GRACE: '0',
      VALKEY: valkey,
      ...UNLIMITED,
      ...settings,
    },
  })
  const url = await prepd.url()
  const opsUrl = await prepd.opsUrl()
  const stranger = newCaller()
  const ops = (path: string) => ask(opsUrl + path)
  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    prepd.kill(signal)
    await prepd.ended()
    folder[Symbol.dispose]()
  }
  return {
    url,
    pid: prepd.pid,
    log: prepd.log,
    relay: (call, caller = stranger) =>
      ask(`${url}/api/prep/relay`, jsonPost('auth' in call ? call : envelope(caller, call))),
    get: (path) => ask(url + path),
    ops,
    metrics: () => fetch(`${opsUrl}/metrics`).then((response) => response.text()),
    sees: (engine, how) =>
      until(async () => {
        const { status, body } = await ops('/readyz')
        const { degraded } = body
        const isAway = Array.isArray(degraded) && degraded.includes(engine)
        return status === 200 && isAway === (how === 'away')
      }),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
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
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) })
  const text = await response.text()
  const body = text === '' ? {} : JSON.parse(text)
  return { status: response.status, headers: response.headers, body }
}

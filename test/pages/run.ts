/** Runs bun with the given arguments, such as `test test/pages`, while one browser and a few servers serve all of its tests. */
import { openBrowserServer } from './browser.ts'
import { FEEDS, openPageTarget, STILL } from './fixture.ts'
import { FIRST_WORKER, SHARED_VARIABLE, type Shared, serverKey } from './shared.ts'

const KINDS = Object.values(FEEDS).flatMap((settings) => [settings, { ...STILL, ...settings }])
const [, parallel = FIRST_WORKER] = /--parallel=(\d+)/.exec(process.argv.join(' ')) ?? []
const WORKERS = Array.from({ length: Number(parallel) }, (_, at) => String(at + 1))
/** The settings of each server by its key. */
const SERVERS = new Map(
  WORKERS.flatMap((worker) => KINDS.map((kind) => [serverKey(kind, worker), kind] as const)),
)

const browser = await openBrowserServer()
const servers = await Promise.all(
  [...SERVERS].map(async ([key, settings]) => {
    const target = await openPageTarget(settings)
    return { key, target, listening: await target.listening() }
  }),
)
const shared: Shared = {
  browser: browser.wsEndpoint(),
  servers: servers.map(({ key, listening }) => ({ key, listening })),
}
// The seeded world takes a moment to compute its first answers; no test is about that.
for (const { target } of servers) {
  for (const path of ['/api/prep/markets', '/api/prep/candles?symbol=PERP_ETH_USDC&interval=15m'])
    while (!(await target.fetch(path)).ok) await Bun.sleep(10)
}
const child = Bun.spawn([process.execPath, ...process.argv.slice(2)], {
  env: { ...process.env, [SHARED_VARIABLE]: JSON.stringify(shared) },
  stdio: ['ignore', 'inherit', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
process.exitCode = await child.exited
await Promise.all([browser.close(), ...servers.map(({ target }) => target.stop())])

/** Runs bun with the given arguments, such as `test test/page`, while one browser and one server of each kind serve all of its tests. */
import { openBrowserServer } from './browser.ts'
import { FEEDS, openPageTarget, SHARED_VARIABLE, type Shared, STILL } from './fixture.ts'

const KINDS = Object.values(FEEDS).flatMap((settings) => [settings, { ...STILL, ...settings }])

const browser = await openBrowserServer()
const targets = await Promise.all(KINDS.map(openPageTarget))
const shared: Shared = {
  browser: browser.wsEndpoint(),
  servers: await Promise.all(
    targets.map(async (target, at) => ({
      settings: JSON.stringify(KINDS[at]),
      listening: await target.listening(),
    })),
  ),
}
// The seeded world takes a moment to compute its first answers; no test is about that.
for (const target of targets) {
  for (const path of ['/api/prep/markets', '/api/prep/candles?symbol=PERP_ETH_USDC&interval=15m'])
    while (!(await target.fetch(path)).ok) await Bun.sleep(10)
}
const child = Bun.spawn([process.execPath, ...process.argv.slice(2)], {
  env: { ...process.env, [SHARED_VARIABLE]: JSON.stringify(shared) },
  stdio: ['ignore', 'inherit', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
process.exitCode = await child.exited
await Promise.all([browser.close(), ...targets.map((target) => target.stop())])

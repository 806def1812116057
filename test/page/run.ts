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
const child = Bun.spawn([process.execPath, ...process.argv.slice(2)], {
  env: { ...process.env, [SHARED_VARIABLE]: JSON.stringify(shared) },
  stdio: ['ignore', 'inherit', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
process.exitCode = await child.exited
await Promise.all([browser.close(), ...targets.map((target) => target.stop())])

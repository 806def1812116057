import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processInputs, readInvocation } from '../../src/settings.ts'
import { openDeployment } from '../../src/wiring/deployment.ts'
import type { TargetSettings } from '../target.ts'

/** prepd in this process, whose clock is moved by hand. */
export type ClockedTarget = {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  readonly nowMs: () => number
  readonly advance: (ms: number) => void
  readonly stop: () => Promise<void>
}

/** Starts prepd at the present time, without limits, on a data directory of its own. */
export async function openClocked(settings: TargetSettings): Promise<ClockedTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-clock-'))
  const chosen = { DATA_DIR: join(folder, 'data'), LIMIT_WRITE: 'off', ...settings }
  const env = Object.fromEntries(
    Object.entries(chosen).map(([name, value]) => [`PREPD_${name}`, value]),
  )
  const invocation = readInvocation([], env, processInputs().files)
  if (invocation.kind !== 'run') throw new Error(JSON.stringify(invocation))
  let nowMs = Date.now()
  const quiet = () => undefined
  const deployment = await openDeployment(invocation.settings, {
    clock: { nowMs: () => nowMs },
    monotonicMs: () => nowMs,
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  })
  return {
    fetch: async (path, init) =>
      deployment.front(new Request(`http://localhost${path}`, init), '127.0.0.1'),
    nowMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms
    },
    stop: async () => {
      await deployment.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

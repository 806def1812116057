import { openValkey, type Valkey } from '../../../src/cluster/valkey/open.ts'
import type { Clock, Log } from '../../../src/core/ports.ts'
import { parseValkey, type ValkeyEndpoint } from '../../../src/core/settings/engine-urls.ts'
import { answers, until } from '../processes.ts'

const WORLD = {
  monotonicMs: () => performance.now(),
  clock: { nowMs: Date.now } satisfies Clock,
  random: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
}

/**
 * What one instance shares, and what it logged; its clock is the machine's unless another is given. It waits so long for
 * an engine that is not there.
 */
export async function openInstance(
  url: string,
  clock: Clock = WORLD.clock,
  connectMaxMs: number = UNHURRIED.connectMaxMs,
) {
  const lines: string[] = []
  const write = (event: string, fields?: object) => {
    lines.push(JSON.stringify({ event, ...fields }))
  }
  const log: Log = { error: write, warn: write, info: write, debug: write }
  const parts = { ...WORLD, clock, log, instance: 'host:1' }
  const valkey = await openValkey({ ...placeOf(url), connectMaxMs }, parts)
  return { valkey, lines }
}

/** Waits until an instance has its engine. */
export async function connected({ responses }: Valkey): Promise<void> {
  await until(() => answers(() => responses.list('', 1)))
}

/** How soon it answers is another test's subject: here each question has its answer, on a busy machine too. */
const UNHURRIED = { connectMaxMs: 60_000, waitMaxMs: 60_000 }

export function placeOf(url: string): ValkeyEndpoint {
  const place = parseValkey(url)
  if (!place) throw new Error('not a URL of Valkey')
  return { ...place, ...UNHURRIED }
}

const nothing = (): void => undefined
export const SILENT: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing }

import { restoreWorld } from '../../../src/simulator/engine/persist/restore.ts'
import { worldSnapshot } from '../../../src/simulator/engine/persist/snapshot.ts'
import { createWorld, observeMatches } from '../../../src/simulator/engine/run.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import type { EngineWorld } from '../../../src/simulator/state/world.ts'

export const WORLD_START_MS = Date.UTC(2026, 0, 1)

/** A market of every kind, one of them being wound down. */
const BASES = ['BTC', 'ETH', 'XRP', 'SUI', 'TRUMP', 'EOS', 'XAU']

/** A small world with all kinds of agents. */
export function smallWorld(
  seed = 1,
  bases: readonly string[] = BASES,
  beginsAtMs = WORLD_START_MS,
): EngineWorld {
  const listed = [...MARKETS.values()].filter(({ base }) => bases.includes(base))
  return createWorld({ seed, beginsAtMs, prices: { kind: 'seeded' }, listed })
}

/** The world as a restart finds it. */
export function restarted(world: EngineWorld): EngineWorld {
  const again = restoreWorld(JSON.parse(JSON.stringify(worldSnapshot(world))), {
    prices: world.prices,
    tape: null,
    listings: MARKETS,
  })
  observeMatches(again)
  return again
}

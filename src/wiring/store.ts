import type { EngineHealth } from '../core/engines/health.ts'
import type { Store, World } from '../core/ports.ts'
import type { Settings } from '../settings/settings.ts'
import type { ResponseBounds } from '../store/responses.ts'
import { starting } from './start-error.ts'

/** Where records are kept: by this process alone in a file, or by all instances in the engines they share. */
export type OpenStore = {
  readonly store: Store
  /** None where this process stands alone. */
  readonly engines: readonly EngineHealth[]
}

/** Opens what the settings name; `path` is the file's, or `:memory:`. Throws StartError. */
export async function openStore(
  settings: Settings,
  world: World,
  path: string,
): Promise<OpenStore> {
  const { engines, dataDir } = settings
  if (engines) return openShared(engines, world)
  const { openSqlite } = await import('../store/sqlite.ts')
  const open = () => openSqlite(path, world.clock.nowMs())
  return { store: await starting('DATA_DIR', dataDir, open), engines: [] }
}

/** What an instance keeps for itself is gone with it. */
const NOTHING_KEPT: ResponseBounds = { rowsMax: 0, bytesMax: 0, batchMs: 0 }

async function openShared(
  { postgres: place }: NonNullable<Settings['engines']>,
  world: World,
): Promise<OpenStore> {
  const { openPostgres } = await import('../store/postgres/store.ts')
  const { openSqlite } = await import('../store/sqlite.ts')
  const where = place.hosts.map(({ host, port }) => `${host}:${port}`).join(',')
  const shared = await starting('POSTGRES', where, () => openPostgres({ ...world, place }))
  const own = openSqlite(':memory:', world.clock.nowMs(), NOTHING_KEPT)
  const { nonces, once, proofs, controls, stats, health } = shared
  return {
    store: {
      ...own,
      ...{ nonces, once, proofs, controls, stats },
      sweep: async (nowMs, rowsMax) =>
        (await own.sweep(nowMs, rowsMax)) + (await shared.sweep(nowMs, rowsMax)),
      close: () => {
        shared.close()
        own.close()
      },
    },
    engines: [health],
  }
}

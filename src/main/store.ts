import { mkdirSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { openSharedWindows } from '../cluster/limits/open.ts'
import type { SharedStore } from '../cluster/postgres/store.ts'
import { createTextEncryption, type TextEncryption } from '../core/crypto/text-encryption.ts'
import { sha256Hex } from '../core/digest.ts'
import type { DatabaseRegistry } from '../core/engines/database.ts'
import type { EngineHealth } from '../core/engines/health.ts'
import { Failure } from '../core/failure.ts'
import { defaultOnFailure, reportUnexpected, systemErrorCode } from '../core/loop/guarded.ts'
import { NEW_STORE_MESSAGE } from '../core/loss.ts'
import type { Log, Store, World } from '../core/ports.ts'
import type { EngineHost } from '../core/settings/engine-urls.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { WebhookStore } from '../core/webhook.ts'
import type { SharedState } from '../gateway/shared-state.ts'
import { type CommitMark, NO_MARK, openMark } from '../store/connection/commit-mark.ts'
import { openLogSync } from '../store/connection/log-sync.ts'
import type { Upgrade } from '../store/connection/upgrade.ts'
import { encryptedWebhooks, encryptStoredSecrets } from '../store/encrypted-webhooks.ts'
import type { ResponseBounds } from '../store/responses.ts'
import { openSqlite } from '../store/sqlite.ts'
import type { VoucherStore } from '../store/voucher/port.ts'
import { openVoucherStore } from '../store/voucher/sqlite.ts'
import { starting } from './start-error.ts'

/** The store: a file of this process alone, or the engines shared by all instances. */
export type OpenStore = {
  readonly store: Store
  /** Opens the vouchers in this store. */
  readonly openVouchers: () => Promise<VoucherStore>
  /** The shared engines; empty for a single instance. */
  readonly engines: readonly EngineHealth[]
  /** State that instances share in addition to their records; null for a single instance. */
  readonly shared: SharedState | null
}

/** Opens the store that the settings name; `path` is the file's, or `:memory:`. Throws StartError. */
export async function openStore(
  settings: Settings,
  world: World,
  path: string,
): Promise<OpenStore> {
  const { engines, operatorKeys } = settings
  const opened = engines
    ? await openShared({ ...settings, engines }, world, path)
    : await openOwn(settings, world, path)
  const encryption = createTextEncryption(operatorKeys, 'prepd webhook secrets', world.random)
  const { webhooks } = opened.store
  await encryptStored(webhooks, encryption, world.log)
  return {
    ...opened,
    store: { ...opened.store, webhooks: encryptedWebhooks(webhooks, encryption) },
  }
}

/** Encrypts secrets that were stored before the key was configured. If the store fails, the next start tries again. */
async function encryptStored(
  webhooks: WebhookStore,
  encryption: TextEncryption,
  log: Log,
): Promise<void> {
  const count = await encryptStoredSecrets(webhooks, encryption).catch(
    defaultOnFailure('store', 0, Failure),
  )
  if (count > 0) log.info('webhook_secrets_encrypted', { count })
}

async function openOwn(settings: Settings, world: World, path: string): Promise<OpenStore> {
  const { dataDir } = settings
  function logUpgrade({ from, to, backup, changes }: Upgrade): void {
    world.log.warn('store_upgraded', { from, to, changes: changes.join(', '), backup })
  }
  const onNew = (made: string) =>
    world.log.info('store_created', { path: made, message: NEW_STORE_MESSAGE })
  const opening = { onUpgrade: logUpgrade, onNew, ...logSyncs(world) }
  const open = () => openSqlite(path, world.clock.nowMs(), undefined, opening)
  const store = await starting('DATA_DIR', dataDir, open)
  if (path !== ':memory:') warnOfOpenDirectory(dirname(path), world.log)
  const openVouchers = async () => openVoucherStore(path, store.awaitDisk)
  return { store, openVouchers, engines: [], shared: null }
}

/**
 * On Linux, the log is synced outside commits. On other systems SQLite's commits sync it, because on macOS only SQLite
 * may know how to reach the disk behind its cache.
 */
function logSyncs({ monotonicMs }: World) {
  if (process.platform !== 'linux') return {}
  return { openLog: (path: string) => openLogSync(path, monotonicMs) }
}

function warnOfOpenDirectory(dataDir: string, log: Log): void {
  // Skipped on Windows, which has a different permission model.
  if (process.platform === 'win32') return
  const mode = statSync(dataDir).mode & 0o777
  if ((mode & 0o077) !== 0) log.warn('data_dir_open', { dataDir, mode: mode.toString(8) })
}

/** The store that instances share in PostgreSQL. Throws StartError. */
export async function openSharedPostgres(
  { brokerId, venue, engines }: WithEngines,
  world: World,
  witnesses: Witnesses,
): Promise<SharedStore> {
  const { openPostgres } = await import('../cluster/postgres/store.ts')
  const { postgres: place, fencing, connectionsMax, idleMs } = engines
  const deployment = Bun.hash.wyhash(JSON.stringify([venue.at.toString(), brokerId])).toString(16)
  return starting('POSTGRES', hostList(place.hosts), () =>
    openPostgres({ ...world, place, connectionsMax, idleMs, fencing, deployment, ...witnesses }),
  )
}

/** Records about the database that are kept outside of it, to detect its losses. */
type Witnesses = {
  readonly registry: DatabaseRegistry | null
  readonly markOf: (deployment: string) => CommitMark
}

/** For an operator command, which works without these records because it writes no claims. */
export const NO_WITNESSES: Witnesses = { registry: null, markOf: () => NO_MARK }

/** Opens marks of deployments next to the store's file. An in-memory store keeps no marks. */
function openMarksBeside(path: string, log: Log): Witnesses['markOf'] {
  if (path === ':memory:') return () => NO_MARK
  const directory = dirname(path)
  return (deployment) => {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      return openMark(
        join(directory, `postgres-${sha256Hex(deployment).slice(0, MARK_CHARS)}.mark`),
      )
    } catch (error) {
      reportUnexpected('store', error, 'system')
      log.warn('marks_not_kept', { directory, error: systemErrorCode(error) })
      return NO_MARK
    }
  }
}

const MARK_CHARS = 16

/** Settings of an instance that shares engines with others. */
type WithEngines = Settings & { readonly engines: NonNullable<Settings['engines']> }

/** An instance that shares its records caches no answers on the local disk. */
const NO_CACHED_RESPONSES: ResponseBounds = { rowsMax: 0, bytesMax: 0, batchMs: 0 }

async function openShared(settings: WithEngines, world: World, path: string): Promise<OpenStore> {
  const { openValkey } = await import('../cluster/valkey/open.ts')
  const { valkey: place } = settings.engines
  const instance = instanceName(settings)
  const valkey = await starting('VALKEY', hostList(place.hosts), () =>
    openValkey(place, { ...world, instance }),
  )
  const witnesses = { registry: valkey.registry, markOf: openMarksBeside(path, world.log) }
  const shared = await openSharedPostgres(settings, world, witnesses).catch((error: unknown) => {
    valkey.close()
    throw error
  })
  const own = openSqlite(':memory:', world.clock.nowMs(), NO_CACHED_RESPONSES)
  const { health, vouchers, ...tables } = shared
  return {
    store: {
      ...own,
      ...tables,
      responses: valkey.responses,
      check: async () => (await own.check()) ?? (await shared.check()),
      sweep: async (nowMs, rowsMax) =>
        (await own.sweep(nowMs, rowsMax)) + (await shared.sweep(nowMs, rowsMax)),
      close: () => {
        shared.close()
        valkey.close()
        own.close()
      },
    },
    // `close` does nothing, because the PostgreSQL connections are closed with the store.
    openVouchers: async () => ({ ...vouchers, close: () => undefined }),
    engines: [health, valkey.health],
    shared: {
      ...valkey,
      openWindows: (parts, meter) => openSharedWindows(valkey, parts, meter),
    },
  }
}

function hostList(hosts: readonly EngineHost[]): string {
  return hosts.map(({ host, port }) => `${host}:${port}`).join(',')
}

/** The name of this instance, unique among the instances that share the store. */
export function instanceName({ listen }: Pick<Settings, 'listen'>): string {
  return `${hostname()}:${listen.port || process.pid}`
}

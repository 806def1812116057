import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStoreFile } from '../../../src/store/file.ts'
import { restoreStore } from '../../../src/store/restore.ts'
import { envelope, jsonPost, newCaller } from '../../caller.ts'
import { copyCluster, startPostgres } from '../../cluster/postgres.ts'
import { startValkey } from '../../cluster/valkey.ts'
import { deleteStore } from '../../surface/lost-store.ts'
import { spawnPrepd, temporaryFolder } from '../../surface/spawned.ts'
import { UNLIMITED } from '../unlimited.ts'
import type { Served } from './honest.ts'

/** Each address has a window of reads, which is the bound of limiter keys. */
const LIMIT_READ = '600/60s burst 120'
const KEY = 'the-operator-key-of-the-soak-of-shared-bounds'

/** prepd with all that it keeps, and the ways in which that is lost and comes back. */
export type SharedPlace = ReturnType<typeof openPlace>

export function openPlace(venueUrl: string, served: Served) {
  const folder = temporaryFolder()
  const copy = join(folder.path, 'copy')
  let dataDir = join(folder.path, 'data')
  let engines: Readonly<Record<string, string>> = {}
  let prepd: ReturnType<typeof spawnPrepd> | null = null

  async function start(): Promise<void> {
    const settings = { VENUE: venueUrl, DATA_DIR: dataDir, OPERATOR_KEY: KEY, ...engines }
    const own = { TRUSTED_PROXIES: '127.0.0.1', WEBHOOKS: 'on' }
    prepd = spawnPrepd({ settings: { ...UNLIMITED, LIMIT_READ, ...settings, ...own } })
    served.url = await prepd.url()
    begin()
  }

  function begin(): void {
    served.generation += 1
    served.isAway = false
  }

  async function stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    served.isAway = true
    prepd?.kill(signal)
    await prepd?.ended()
  }

  async function confirmLoss(): Promise<void> {
    const { headers, ...init } = jsonPost({})
    const given = { ...headers, authorization: `Bearer ${KEY}` }
    const answer = await fetch(`${served.url}/api/admin/loss/confirm`, { ...init, headers: given })
    if (!answer.ok) throw new Error(`the loss was not confirmed: ${answer.status}`)
  }

  /** Starts PostgreSQL and Valkey, with a copy of the database that comes back later. */
  async function startEngines() {
    const [postgres, valkey] = await Promise.all([startPostgres(), startValkey()])
    engines = { POSTGRES: await postgres.newDatabase(), VALKEY: valkey.url }
    dataDir = join(folder.path, 'engines')
    const earlier = join(folder.path, 'earlier')
    /** Kills both; Valkey comes back with nothing, and PostgreSQL as `change` leaves it. */
    async function replace(change: () => void): Promise<void> {
      served.isAway = true
      await Promise.all([postgres.kill(), valkey.kill()])
      change()
      await Promise.all([postgres.start(), valkey.start()])
      for (let passed = 0; passed < STEADY; )
        passed = (await takesReductions(served.url)) ? passed + 1 : 0
      begin()
    }
    return {
      kill: () => replace(() => copyCluster(postgres.data, earlier)),
      rollBack: () =>
        replace(() => {
          rmSync(postgres.data, { recursive: true })
          copyCluster(earlier, postgres.data)
        }),
      stop: () => Promise.all([postgres.stop(), valkey.stop()]),
    }
  }

  return {
    ...{ start, stop, confirmLoss, startEngines },
    backUp: () => openStoreFile(join(dataDir, 'prepd.sqlite')).backup(copy),
    /** Deletes the store beside its mark. */
    loseStore: () => deleteStore(dataDir),
    /** A volume that is not mounted: an empty data directory. */
    loseVolume: () => rmSync(dataDir, { recursive: true }),
    restore: async () => {
      dataDir = join(folder.path, 'restored')
      await restoreStore(copy, dataDir, Date.now())
    },
    scheduled: () => (prepd ? scheduled(prepd.pid) : { ranMs: 0, waitedMs: 0 }),
    remove: () => folder[Symbol.dispose](),
  }
}

/** How long the main thread of a process has run, and how long it could have run and had no processor. */
function scheduled(pid: number) {
  const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')
  const [ranMs = 0, waitedMs = 0] = text.split(' ').map((ns) => Math.round(Number(ns) / 1e6))
  return { ranMs, waitedMs }
}

/** The engines are back when so many reductions in a row have passed: each connection is judged before it is used. */
const STEADY = 40

/** Whether a reduction of a new account passes, which asks PostgreSQL for its windows and claims. */
async function takesReductions(url: string): Promise<boolean> {
  const order = { symbol: 'PERP_ETH_USDC', side: 'SELL', order_type: 'MARKET', order_quantity: 1 }
  const caller = newCaller()
  const own = { client_order_id: caller.key.slice(-20), reduce_only: true }
  const body = JSON.stringify({ ...order, ...own })
  const signed = envelope(caller, { method: 'POST', path: '/v1/order', body })
  const answer = await fetch(`${url}/api/prep/relay`, jsonPost(signed)).catch(() => null)
  return answer?.status === 200
}

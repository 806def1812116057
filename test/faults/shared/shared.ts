import { readdirSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { LIMITS } from '../../../src/spec/limits.ts'
import { openStoreFile } from '../../../src/store/file.ts'
import { restoreStore } from '../../../src/store/restore.ts'
import { envelope, jsonPost, newCaller } from '../../caller.ts'
import { startPostgres } from '../../engines/postgres.ts'
import { until } from '../../engines/processes.ts'
import { startValkey } from '../../engines/valkey.ts'
import { spawnPrepd, temporaryFolder } from '../../surface/spawned.ts'
import { doubled, startRememberingVenue } from '../remembering-venue.ts'
import { newSeen, type Seen, type Served, sent, trade } from './honest.ts'

const HONEST = 5
const ATTACKS = 6
const KEY = 'the-operator-key-of-the-soak-of-shared-bounds'
const VENUE_DELAY_MS = 5
/** Reads of honest accounts may take so many times as long as without the attack, and below this any time. */
const SLOWER_MAX = 3
const NOTICEABLE_MS = 10
/** Parts of the time: quiet, attack alone, then an outage in front of each. */
const PARTS = {
  ...{ quiet: 0.15, attack: 0.25, killed: 0.1, lost: 0.15, restored: 0.15 },
  ...{ engines: 0.1, replaced: 0.1 },
} as const

/**
 * One account takes all that it can while five honest ones trade, cancel, reduce and read; then prepd is killed, its store is
 * lost, a backup is restored, and on PostgreSQL and Valkey both are killed and come back, Valkey with nothing. Notes figures, and answers what was wrong: a cancel or reduction refused, a slow read, a write
 * that the venue met twice.
 */
export async function shareBounds(seconds: number, note: (line: string) => void) {
  const venue = await startRememberingVenue(() => VENUE_DELAY_MS)
  const folder = temporaryFolder()
  let dataDir = join(folder.path, 'data')
  let engines: Readonly<Record<string, string>> = {}
  let prepd: ReturnType<typeof spawnPrepd> | null = null
  const served: Served = { url: '', isAway: true, generation: 0 }

  async function start(): Promise<void> {
    const settings = { VENUE: venue.url, DATA_DIR: dataDir, OPERATOR_KEY: KEY, ...engines }
    prepd = spawnPrepd({ settings: { ...settings, TRUSTED_PROXIES: '127.0.0.1' } })
    served.url = await prepd.url()
    served.generation += 1
    served.isAway = false
  }

  async function stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    served.isAway = true
    prepd?.kill(signal)
    await prepd?.ended()
  }

  const ending = new AbortController()
  const { signal } = ending
  let [seen, isRestored] = [newSeen(), false]
  const wrong: string[] = []
  const mayWait = () => isRestored

  async function pass(name: keyof typeof PARTS): Promise<Seen> {
    seen = newSeen()
    await Bun.sleep(PARTS[name] * seconds * 1000)
    const figures = { ...seen.counts, p99Ms: Math.round(p99(seen.readMs)) }
    note(`${name}: ${JSON.stringify(figures)}`)
    wrong.push(...seen.wrong.map((line) => `${name}: ${line}`))
    return seen
  }

  await start()
  const honest = Array.from({ length: HONEST }, (_, at) =>
    trade(served, at + 1, { seen: () => seen, mayWait, signal }),
  )
  const quietMs = p99((await pass('quiet')).readMs)
  const attacking = attack(served, signal)
  const attackedMs = p99((await pass('attack')).readMs)
  if (attackedMs > Math.max(SLOWER_MAX * quietMs, NOTICEABLE_MS))
    wrong.push(`reads took ${attackedMs.toFixed(1)} ms at p99, ${quietMs.toFixed(1)} before`)

  await stop('SIGKILL')
  await start()
  await pass('killed')

  const copy = join(folder.path, 'copy')
  await openStoreFile(join(dataDir, 'prepd.sqlite')).backup(copy)
  await stop('SIGTERM')
  for (const name of readdirSync(dataDir))
    if (name.startsWith('prepd.sqlite')) rmSync(join(dataDir, name))
  await start()
  await pass('lost')
  await confirmLoss(served.url)

  await stop('SIGTERM')
  dataDir = join(folder.path, 'restored')
  await restoreStore(copy, dataDir, Date.now())
  isRestored = true
  await start()
  await pass('restored')

  await stop('SIGTERM')
  const [postgres, valkey] = await Promise.all([startPostgres(), startValkey()])
  engines = { POSTGRES: await postgres.newDatabase(), VALKEY: valkey.url }
  dataDir = join(folder.path, 'engines')
  isRestored = false
  await start()
  await pass('engines')
  served.isAway = true
  await Promise.all([postgres.kill(), valkey.kill()])
  await Promise.all([postgres.start(), valkey.start()])
  await until(() => takesWrites(served.url))
  served.generation += 1
  served.isAway = false
  await pass('replaced')

  ending.abort()
  await Promise.all([...honest, attacking])
  await stop('SIGTERM')
  wrong.push(...doubled(venue.orders).map((id) => `${id} was sent twice`))
  await Promise.all([venue.stop(), postgres.stop(), valkey.stop()])
  folder[Symbol.dispose]()
  note(`shared: ${venue.orders.size} orders, wrong ${wrong.length}`)
  for (const line of wrong.slice(0, 20)) note(`  ${line}`)
  return wrong
}

/** Whether a cancel of a new account passes, which asks PostgreSQL for its windows and claims. */
async function takesWrites(url: string): Promise<boolean> {
  const signed = envelope(newCaller(), { method: 'DELETE', path: '/v1/orders' })
  const answer = await fetch(`${url}/api/prep/relay`, jsonPost(signed)).catch(() => null)
  return answer?.status === 200
}

async function confirmLoss(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/admin/loss/confirm`, {
    method: 'POST',
    headers,
    body: '{}',
  })
  if (!answer.ok) throw new Error(`the loss was not confirmed: ${answer.status}`)
}

/** One account at the bounds: batches with ids of their own, approvals, and large bodies that stall. */
async function attack(served: Served, signal: AbortSignal): Promise<void> {
  const caller = newCaller()
  const address = '198.51.100.1'
  let orders = 0
  const batch = () =>
    Array.from({ length: 10 }, () => {
      orders += 1
      const own = { client_order_id: `attack-${orders}`, order_price: 0.1, order_quantity: 0.1 }
      return { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'LIMIT', ...own }
    })
  async function one(): Promise<void> {
    while (!signal.aborted) {
      const body = JSON.stringify({ orders: batch() })
      const signed = envelope(caller, { method: 'POST', path: '/v1/batch-order', body })
      await sent(served, signed, address)
      await Bun.sleep(5)
    }
  }
  await Promise.all([...Array.from({ length: ATTACKS }, one), stall(served, signal)])
}

/** Keeps the room of large bodies full with bodies that never come. */
async function stall(served: Served, signal: AbortSignal): Promise<void> {
  const most = LIMITS.httpBodiesMaxBytes / LIMITS.httpBodyMaxBytes
  const head = `POST /api/prep/relay HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${LIMITS.httpBodyMaxBytes}\r\n\r\n`
  while (!signal.aborted) {
    const sockets: Socket[] = []
    if (!served.isAway)
      for (let at = 0; at < most; at += 1) {
        const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
        socket.on('error', () => socket.destroy())
        socket.write(head)
        sockets.push(socket)
      }
    await Bun.sleep(LIMITS.httpBodyDeadlineMs)
    for (const socket of sockets) socket.destroy()
  }
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0
}

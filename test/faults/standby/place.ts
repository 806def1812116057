import { join } from 'node:path'
import { createClient } from '../../../src/agents/client/client.ts'
import { openTemporaryAccount } from '../../../src/operator/account/open.ts'
import type { TestCaller } from '../../caller.ts'
import { startPostgres } from '../../cluster/postgres.ts'
import { startValkey } from '../../cluster/valkey.ts'
import { freePort } from '../../free-port.ts'
import { spawnPrepd, temporaryFolder } from '../../surface/spawned.ts'
import { UNLIMITED } from '../unlimited.ts'
import { watchChanges } from './history.ts'
import { watchedWay } from './way.ts'

export const SYMBOL = 'PERP_ETH_USDC'
/** Of the best bid, the price at which an order rests within the market's price range. */
const RESTS_AT = 0.98

/** A process that is killed and started again. */
export type Killable = {
  readonly kill: () => Promise<void>
  /** Starts it unless it runs, or is held. */
  readonly start: () => Promise<void>
  /** Lets it not start again until it is released. */
  readonly hold: (isHeld: boolean) => void
  readonly isUp: () => boolean
}

/** What one life of a process needs. */
type Life = { readonly kill: () => Promise<unknown> }

/** A process that `begin` starts, as often as it is killed. */
export function killable(begin: () => Promise<Life>): Killable {
  let life: Promise<Life> | null = null
  let isHeld = false
  return {
    isUp: () => life !== null,
    hold: (held) => {
      isHeld = held
    },
    start: async () => {
      if (!isHeld) life ??= begin()
      await life
    },
    kill: async () => {
      const ending = life
      life = null
      await (await ending)?.kill()
    },
  }
}

/** One life of the executable with these settings. */
async function begin(settings: Readonly<Record<string, string>>): Promise<Life> {
  const prepd = spawnPrepd({ settings: { ...settings, ...UNLIMITED } })
  await prepd.url()
  return {
    kill: () => {
      prepd.kill('SIGKILL')
      return prepd.ended()
    },
  }
}

/** A venue, a watched way to it, two instances on PostgreSQL and Valkey, and accounts with a position and a stop. */
export async function startPlace(accounts: number) {
  const folder = temporaryFolder()
  const [wirePort, wayPort] = [freePort(), freePort()]
  const way = watchedWay(wayPort, wirePort)
  const venue = killable(async () => {
    const { kill } = await begin({
      DATA_DIR: join(folder.path, 'venue'),
      VENUE_LISTEN: `127.0.0.1:${wirePort}`,
    })
    await way.open()
    return {
      kill: () => {
        way.close()
        return kill()
      },
    }
  })
  await venue.start()
  const server = await startPostgres({ settings: { max_connections: '120' } })
  const valkey = await startValkey()
  const url = await server.newDatabase()
  const ports = [freePort(), freePort()]
  const instances = ports.map((port, at) =>
    killable(() =>
      begin({
        DATA_DIR: join(folder.path, `instance-${at}`),
        LISTEN: `127.0.0.1:${port}`,
        ...{ VENUE: way.url, POSTGRES: url, VALKEY: valkey.url, STOP_GRACE: '0' },
      }),
    ),
  )
  for (const { start } of instances) await start()
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const client = createClient({ baseUrl: urls[0] ?? '', transport: fetch, nowMs: Date.now })
  const book = Object(await client.get('/api/prep/orderbook', { symbol: SYMBOL }))
  const bid = book.bids[0].price
  // An order may rest within the market's price range, and a stop waits far below it.
  const [price, trigger] = [Math.floor(bid * RESTS_AT), Math.floor(bid / 2)]
  const callers: TestCaller[] = []
  for (let at = 0; at < accounts; at++) callers.push(await protectedAccount(client, trigger))
  return {
    ...{ venue, way, instances, urls, client, price, callers },
    history: await watchChanges(server, url),
    stop: async () => {
      await Promise.all([venue, ...instances].map(({ kill }) => kill()))
      await Promise.all([server.stop(), valkey.stop()])
      folder[Symbol.dispose]()
    },
  }
}

type Client = ReturnType<typeof createClient>

/** Opens an account at the venue behind a client. */
export async function newTrader(client: Client): Promise<TestCaller> {
  const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }
  const { accountId, key, secret } = await openTemporaryAccount(client, {
    clock: { nowMs: Date.now },
    random,
  })
  return { accountId: accountId.toLowerCase(), key, secret }
}

/** Opens an account with a position and a stop order that protects it. */
async function protectedAccount(client: Client, trigger: number): Promise<TestCaller> {
  const account = await newTrader(client)
  const post = (path: string, order: object) =>
    client.relay(account, {
      ...{ method: 'POST', path },
      body: JSON.stringify({ symbol: SYMBOL, ...order }),
    })
  await post('/v1/order', { order_type: 'MARKET', side: 'BUY', order_quantity: 0.01 })
  await post('/v1/algo/order', {
    ...{ algo_type: 'STOP', type: 'MARKET', side: 'SELL', quantity: 0.01 },
    ...{ trigger_price: trigger, reduce_only: true },
  })
  return account
}

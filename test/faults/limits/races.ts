import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../src/core/hex.ts'
import { newCaller } from '../../caller.ts'
import { sharedPostgres } from '../../engines/postgres.ts'
import { BINARY } from '../../mcp/binary.ts'
import { request } from '../../mcp/rpc.ts'
import { openRecordedWorld } from '../../mcp/tool-world.ts'
import { openAt } from '../../store/postgres/instance.ts'
import { UNLIMITED } from '../unlimited.ts'
import { type Asked, race, spawnRacer } from './race.ts'
import { BTC, LIMITS, PRICE, type RaceFigures, startRaceVenue } from './venue.ts'

/** Races so many orders of agents over three servers on standard streams, whose limits are in one file of their user. */
export async function raceAgents(orders: number, random: () => number): Promise<RaceFigures> {
  const venue = await startRaceVenue(random)
  const world = await openRecordedWorld(venue.url, UNLIMITED)
  const state = mkdtempSync(join(tmpdir(), 'prepd-race-'))
  let nowMs = 0
  const service = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0 },
    fetch: async (incoming) => {
      const { pathname, search } = new URL(incoming.url)
      const { method, headers } = incoming
      const body = await incoming.text()
      const answer = await world.fetch(pathname + search, {
        method,
        headers,
        ...(body && { body }),
      })
      if (pathname !== '/api/prep/orderbook') return answer
      return Response.json({ ...Object(await answer.json()), ts: nowMs })
    },
  })
  const env = {
    SERVICE_API_URL: `http://127.0.0.1:${service.port}`,
    SERVICE_ACCOUNT_ID: world.credentials.accountId,
    SERVICE_TRADING_KEY: toHex(world.credentials.secret),
    SERVICE_MAX_ORDER_USDC: String(LIMITS.order),
    SERVICE_MAX_DAILY_USDC: String(LIMITS.daily),
    SERVICE_MAX_ORDERS_PER_MINUTE: String(LIMITS.perMinute),
    SERVICE_ALLOWED_SYMBOLS: BTC,
    PREPD_LOG: 'error',
    XDG_STATE_HOME: state,
  }
  try {
    return await race({
      ...{ venue, racers: 3, orders, random, fromMs: Date.now() },
      start: () => spawnRacer([BINARY, '--mode', 'mcp'], env, placing),
      setClock: (atMs) => {
        nowMs = atMs
      },
    })
  } finally {
    await service.stop(true)
    await Promise.all([world.stop(), venue.stop()])
    rmSync(state, { recursive: true })
  }
}

function placing({ clientOrderId: client_order_id, symbol, quantity }: Asked): object {
  const order = { symbol, side: 'BUY', order_type: 'LIMIT', order_price: PRICE }
  const args = { ...order, order_quantity: quantity, client_order_id }
  return request('tools/call', { name: 'place_order', arguments: args }, client_order_id)
}

const RACER = new URL('./relay-racer.ts', import.meta.url).pathname
const USDC = 1_000_000n

/** Races so many relayed orders of an account with a mandate over two instances on PostgreSQL. */
export async function raceInstances(orders: number, random: () => number): Promise<RaceFigures> {
  const venue = await startRaceVenue(random)
  const url = await (await sharedPostgres()).newDatabase()
  const caller = newCaller()
  const store = await openAt(url)
  const accountId = caller.accountId.toLowerCase()
  const limits = {
    maxOrderUsdc: BigInt(LIMITS.order) * USDC,
    maxDailyUsdc: BigInt(LIMITS.daily) * USDC,
    maxOrdersPerMinute: LIMITS.perMinute,
    symbols: [BTC],
  }
  await store.mandates.put({ accountId, limits, counter: 1, frozenBy: 'none', changedAtMs: 0 })
  await store.proofs.add(accountId, caller.key, Date.now())
  store.close()
  const env = {
    ...{ POSTGRES: url, VENUE: venue.url },
    CALLER: JSON.stringify({ ...caller, secret: [...caller.secret] }),
  }
  try {
    return await race({
      ...{ venue, racers: 2, orders, random, fromMs: Date.now() },
      start: () => spawnRacer([process.execPath, RACER], env, (order) => order),
      setClock: () => undefined,
    })
  } finally {
    await venue.stop()
  }
}

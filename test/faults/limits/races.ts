import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../src/core/hex.ts'
import { BINARY } from '../../agents/binary.ts'
import { request } from '../../agents/rpc.ts'
import { openRecordedWorld } from '../../agents/tool-world.ts'
import { newCaller, type TestCaller } from '../../caller.ts'
import { type InstanceProcess, startInstance } from '../../cluster/instances.ts'
import { sharedPostgres } from '../../cluster/postgres.ts'
import { startValkey } from '../../cluster/valkey.ts'
import { UNLIMITED } from '../unlimited.ts'
import { giveMandates } from './accounts.ts'
import { type Asked, countedAnswers, type Racer, race, spawnRacer } from './race.ts'
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
    SERVICE_STATE_DIR: state,
  }
  try {
    const figures = await race({
      ...{ venue, racers: 3, orders, random, fromMs: Date.now() },
      start: () => spawnRacer([BINARY, '--mode', 'mcp'], env, placing),
      setClock: (atMs) => {
        nowMs = atMs
      },
    })
    if (!existsSync(join(state, 'agent-orders.db')))
      throw new Error('no limits in SERVICE_STATE_DIR')
    return figures
  } finally {
    await service.stop(true)
    await Promise.all([world.stop(), venue.stop()])
    rmSync(state, { recursive: true })
  }
}

const USDC = 1_000_000n

function placing({ clientOrderId: client_order_id, symbol, quantity }: Asked): object {
  const order = { symbol, side: 'BUY', order_type: 'LIMIT', order_price: PRICE }
  const args = { ...order, order_quantity: quantity, client_order_id }
  return request('tools/call', { name: 'place_order', arguments: args }, client_order_id)
}

/** Races so many relayed orders of an account with a mandate over two instances, executables on PostgreSQL and Valkey. */
export async function raceInstances(orders: number, random: () => number): Promise<RaceFigures> {
  const [venue, postgres, valkey] = await Promise.all([
    startRaceVenue(random),
    sharedPostgres(),
    startValkey(),
  ])
  const url = await postgres.newDatabase()
  const caller = newCaller()
  await giveMandates(url, [caller], {
    maxOrderUsdc: BigInt(LIMITS.order) * USDC,
    maxDailyUsdc: BigInt(LIMITS.daily) * USDC,
    maxOrdersPerMinute: LIMITS.perMinute,
    symbols: [BTC],
  })
  const shared = { postgres: url, valkey: valkey.url, venue: venue.url }
  const fromMs = Date.now()
  try {
    return await race({
      ...{ venue, racers: 2, orders, random, fromMs },
      start: async () => instanceRacer(await startInstance(shared), caller),
      setClock: agingOf((text) => postgres.ask(text, new URL(url).pathname.slice(1)), fromMs),
    })
  } finally {
    await Promise.all([venue.stop(), valkey.stop()])
  }
}

/**
 * Turns a clock for instances whose venue has the clock of the machine: what they have reserved becomes older instead.
 * What was reserved since the last turn counts as of its beginning. Rows are put again, as the sums follow what is put and removed.
 */
function agingOf(ask: (text: string) => Promise<unknown>, fromMs: number) {
  let last = { atMs: fromMs, wallMs: Date.now() }
  return async (atMs: number): Promise<void> => {
    const wallMs = Date.now()
    const fromNowMs = atMs - last.atMs
    await ask(`WITH aged AS (DELETE FROM prepd_spending RETURNING *)
      INSERT INTO prepd_spending (scope, at_ms, identity, symbol, micros, orders, settled_ms, ordinal, order_id)
      SELECT scope, CASE WHEN at_ms >= ${last.wallMs}
        THEN ${wallMs - fromNowMs} ELSE at_ms + ${wallMs - last.wallMs - fromNowMs} END,
        identity, symbol, micros, orders, settled_ms, ordinal, order_id FROM aged`)
    last = { atMs, wallMs }
  }
}

/** Relays orders, each with a read of what has ended after it, which settles what was reserved. */
function instanceRacer(instance: InstanceProcess, caller: TestCaller): Racer {
  const answers = countedAnswers()
  const relayOne = async ({ clientOrderId, symbol, quantity }: Asked) => {
    const order = { symbol, side: 'BUY', order_type: 'LIMIT', order_price: PRICE }
    const body = { ...order, order_quantity: quantity, client_order_id: clientOrderId }
    const write = { method: 'POST', path: '/v1/order', body: JSON.stringify(body) } as const
    await instance.relay(write, caller)
    await instance.relay({ method: 'GET', path: '/v1/orders?status=COMPLETED' }, caller)
  }
  return {
    send: (orders) => {
      // An instance that is killed answers nothing more.
      for (const order of orders) relayOne(order).then(answers.add, answers.add)
    },
    answered: answers.reached,
    kill: instance.kill,
  }
}

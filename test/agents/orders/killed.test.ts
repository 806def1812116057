// Slow: agent servers are executables that start and are killed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../src/core/hex.ts'
import { BINARY, repliesIn, runStdio } from '../binary.ts'
import { request, toolText } from '../rpc.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const STATE = mkdtempSync(join(tmpdir(), 'prepd-agent-killed-'))
/** How the service treats the next orders. */
let orders: 'answered' | 'placed and not answered' | 'lost' = 'answered'
let reached = Promise.withResolvers<void>()
let world: ToolWorld
let service: ReturnType<typeof Bun.serve>

beforeAll(async () => {
  world = await openEmbeddedWorld()
  service = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: async (incoming) => {
      const { pathname, search } = new URL(incoming.url)
      const { method } = incoming
      const body = await incoming.text()
      const isHeld = body.includes('"path":"/v1/order","body"') && orders !== 'answered'
      const init = { method, headers: incoming.headers, ...(body && { body }) }
      const answer = isHeld && orders === 'lost' ? null : await world.fetch(pathname + search, init)
      if (answer && !isHeld) return answer
      reached.resolve()
      return new Promise<Response>(() => undefined)
    },
  })
})
afterAll(async () => {
  await service.stop(true)
  await world.stop()
  rmSync(STATE, { recursive: true })
})

const envOf = () => ({
  SERVICE_API_URL: `http://127.0.0.1:${service.port}`,
  SERVICE_ACCOUNT_ID: world.credentials.accountId,
  SERVICE_TRADING_KEY: toHex(world.credentials.secret),
  XDG_STATE_HOME: STATE,
})

const placing = (client_order_id: string, order_quantity = 0.1) => {
  const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity }
  return request('tools/call', { name: 'place_order', arguments: { ...order, client_order_id } })
}

/** The answer of a separate agent server to one order. */
async function placed(client_order_id: string, order_quantity?: number): Promise<Loose> {
  const finished = await runStdio([placing(client_order_id, order_quantity)], envOf())
  return toolText(repliesIn(finished)[0]).value
}

/** Ends an agent server by SIGKILL when its order has reached the service and was not answered. */
async function killedWith(client_order_id: string): Promise<void> {
  reached = Promise.withResolvers()
  const child = Bun.spawn([BINARY, '--mode', 'mcp'], {
    env: { ...envOf(), NO_PROXY: '127.0.0.1' },
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  child.stdin.write(`${JSON.stringify(placing(client_order_id))}\n`)
  child.stdin.flush()
  await reached.promise
  child.kill('SIGKILL')
  await child.exited
}

async function ordersWith(id: string): Promise<number> {
  const rows: Loose = await world.call('list_orders', { status: 'COMPLETED', size: 100 })
  return rows.orders.filter((row: Loose) => row.client_order_id === id).length
}

describe('agent servers of one user, each a process of its own', () => {
  test('fill one order for one id, and keep of it no body and no id of its sender', async () => {
    orders = 'answered'
    const first = await placed('one-of-two')
    expect(first).toMatchObject({ status: 'FILLED' })
    const second = await placed('one-of-two')
    expect(second).toMatchObject({ order_id: first.order_id, status: 'FILLED', repeated: true })
    expect((await placed('one-of-two', 0.2)).code).toBe('duplicate_request')
    expect(await ordersWith('one-of-two')).toBe(1)
    const path = join(STATE, 'prepd', 'agent-orders.db')
    expect(statSync(path).mode & 0o077).toBe(0)
    const kept = readFileSync(path, 'latin1')
    for (const secret of ['one-of-two', ETH, world.credentials.accountId])
      expect(kept).not.toContain(secret)
  })

  test('fill one order where both send it at once', async () => {
    orders = 'answered'
    const answers = await Promise.all([placed('at-once'), placed('at-once')])
    const sent = answers.filter(({ status, repeated }) => status === 'FILLED' && !repeated)
    expect(sent).toHaveLength(1)
    expect(await ordersWith('at-once')).toBe(1)
  })

  test('of which the first is killed before its answer: the second gets the order', async () => {
    orders = 'placed and not answered'
    await killedWith('killed-after')
    orders = 'answered'
    const second = await placed('killed-after')
    expect(second).toMatchObject({ status: 'FILLED', repeated: true })
    expect(await ordersWith('killed-after')).toBe(1)
  })

  test('of which the first is killed, and its order does not show: nothing is sent again', async () => {
    orders = 'lost'
    await killedWith('killed-before')
    orders = 'answered'
    const second = await placed('killed-before')
    expect(second).toMatchObject({
      code: 'outcome_unknown',
      meta: { look_up: { tool: 'list_orders' }, may_arrive_until: expect.any(Number) },
    })
    expect((await placed('killed-before', 0.2)).code).toBe('duplicate_request')
    expect(await ordersWith('killed-before')).toBe(0)
  })
})

/** An instance on PostgreSQL in a process of its own: relays the orders of its input's lines, and writes a line for each. */
import { createInterface } from 'node:readline'
import { relay } from '../../../src/gateway/relay/relay.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { envelope, type TestCall } from '../../caller.ts'
import { FROM, openInstance } from '../../gateway/standby/instance.ts'
import { openAt } from '../../store/postgres/instance.ts'
import type { Asked } from './race.ts'
import { PRICE } from './venue.ts'

const { POSTGRES = '', VENUE = '', CALLER = '' } = process.env
const { secret, ...known } = JSON.parse(CALLER)
const caller = { ...known, secret: Uint8Array.from(secret) }

let nowMs = 0
const store = { ...openSqlite(':memory:', 0), ...(await openAt(POSTGRES)) }
const instance = await openInstance({
  store,
  nowMs: () => nowMs,
  send: async ({ path, method, body }) => {
    const response = await fetch(VENUE + path, { method, ...(body !== undefined && { body }) })
    return { status: response.status, body: await response.text() }
  },
})

function call(asked: TestCall): Promise<unknown> {
  const signed = envelope(caller, { ...asked, timestamp: String(nowMs) })
  return relay(instance.gateway, signed, FROM).catch(() => null)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { atMs, clientOrderId, symbol, quantity }: Asked = JSON.parse(line)
  nowMs = atMs
  const order = { symbol, side: 'BUY', order_type: 'LIMIT', order_price: PRICE }
  const body = { ...order, order_quantity: quantity, client_order_id: clientOrderId }
  call({ method: 'POST', path: '/v1/order', body: JSON.stringify(body) })
    .then(() => call({ method: 'GET', path: '/v1/orders?status=COMPLETED' }))
    .then(
      () => process.stdout.write('.\n'),
      () => process.exit(1),
    )
}

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '../../../src/contract/durations.ts'
import { WEBHOOK_EVENTS } from '../../../src/contract/webhook.ts'
import { parseExact } from '../../../src/core/json.ts'
import type { Store } from '../../../src/core/ports.ts'
import { type AccountEventInput, announceEndingKeys } from '../../../src/gateway/webhook/events.ts'
import { createExecutionWatch, executionsIn } from '../../../src/gateway/webhook/executions.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { newCaller } from '../../caller.ts'
import { cancelAt, openInstance, TAKEN } from '../standby/instance.ts'

const START_MS = 1_800_000_000_000

let nowMs: number
let store: Store
beforeEach(async () => {
  nowMs = START_MS
  store = openSqlite(':memory:', 0)
  await store.webhooks.add(
    {
      ...{ id: 'w', accountId: 'account', url: '', secret: '', events: [...WEBHOOK_EVENTS] },
      ...{ createdAtMs: nowMs - DAY_MS, dueAtMs: 0, state: 'active', attempts: 0, failure: null },
      ...{ failingSinceMs: null, deliveredAtMs: null, dropped: 0 },
    },
    1,
  )
})
afterEach(() => store.close())

function recorder() {
  const published: AccountEventInput[] = []
  const publish = async (one: AccountEventInput) => void published.push(one)
  return { published, events: { isOn: true, publish } }
}

test('a key is announced a week before its end and again a day before, as the venue has its end', async () => {
  const { published, events } = recorder()
  const endsAtMs = START_MS + 8 * DAY_MS
  let body = `{"success":true,"data":{"expiration":${endsAtMs}}}`
  const send = async () => ({ status: 200, contentType: 'application/json', body })
  const look = () =>
    announceEndingKeys({ store, events, clock: { nowMs: () => nowMs }, upstream: { send } })
  await store.proofs.add('account', 'ed25519:key', 0)
  await store.proofs.add('other', 'ed25519:other', 0)
  await look()
  expect(published).toEqual([])
  for (const left of [7 * DAY_MS, DAY_MS, 1, 0, -1]) {
    nowMs = endsAtMs - left
    await look()
  }
  const data = { tradingKey: 'ed25519:key', expiration: endsAtMs }
  expect(published).toMatchObject([{ data, forgetAtMs: endsAtMs }, { data }, { data }])
  const keys = published.map(({ key }) => key)
  expect([new Set(keys).size, keys[1]]).toEqual([2, keys[2] ?? ''])
  body = '{"success":false,"code":-1006,"message":"not found"}'
  nowMs = endsAtMs - DAY_MS
  await look()
  expect(published).toHaveLength(3)
})

test('executions of the embedded venue are published once, those of the hour before a start too', async () => {
  const fill = (id: number, atMs: number) =>
    `{"id":${id},"symbol":"PERP_ETH_USDC","executed_price":2000.50,"executed_timestamp":${atMs}}`
  let fills = [fill(2, START_MS - 1), fill(1, START_MS - HOUR_MS)]
  const liquidation = `{"liquidation_id":9,"timestamp":${START_MS - 5}}`
  const readAccount = async (_: string, path: string) =>
    `{"rows":[${path.startsWith('/v1/trades') ? fills.join() : liquidation}]}`
  const clock = { nowMs: () => nowMs }
  const { published, events } = recorder()
  const look = createExecutionWatch({ store, events, clock, venueClock: clock, readAccount })
  await look()
  await look()
  const keys = () => published.map(({ key }) => key)
  expect(keys()).toEqual(['fill PERP_ETH_USDC 2', 'liquidation 9'])
  expect(published[0]).toMatchObject({ accountId: 'account', atMs: START_MS - 1 })
  expect(JSON.stringify(published[0]?.data)).toContain('"executed_price":2000.50')
  fills = [fill(4, START_MS + 2), fill(3, START_MS + 1), ...fills]
  await look()
  expect(keys().slice(2)).toEqual(['fill PERP_ETH_USDC 3', 'fill PERP_ETH_USDC 4'])
  const virtual = recorder()
  const venueClock = { nowMs: () => 0 }
  const parts = { store, clock, venueClock, readAccount }
  const lookVirtual = createExecutionWatch({ ...parts, events: virtual.events })
  await lookVirtual()
  expect(virtual.published).toEqual([])
  fills = [fill(5, 5), ...fills]
  await lookVirtual()
  expect(virtual.published.map(({ key }) => key)).toEqual(['fill PERP_ETH_USDC 5'])
})

test('a private live message of a live venue tells of fills and liquidations, and of nothing else', () => {
  const report = `{"symbol":"PERP_ETH_USDC","clientOrderId":"","orderId":5,"type":"LIMIT","side":"BUY",
    "quantity":1,"price":2000,"tradeId":7,"executedPrice":2000.10,"executedQuantity":0.5,"fee":0.1,
    "feeAsset":"USDC","totalExecutedQuantity":0.5,"avgExecutedPrice":2000.1,"status":"PARTIAL_FILLED",
    "reason":"","visible":1,"timestamp":1700000000000,"maker":false}`
  const of = (topic: string, json: string) =>
    executionsIn('0xAB', { topic, atMs: 0, data: parseExact(json, 9) })
  const [fill, ...others] = of('executionreport', report)
  expect(others).toEqual([])
  expect(fill).toMatchObject({ accountId: '0xab', key: 'fill PERP_ETH_USDC 7' })
  expect(JSON.stringify(fill?.data)).toContain('"executed_price":2000.10')
  expect(of('executionreport', report.replace('"tradeId":7', '"tradeId":0'))).toEqual([])
  expect(of('position', '{"positions":[]}')).toEqual([])
  const liquidation =
    '{"liquidationId":9,"timestamp":1700000000000,"type":"liquidated","positionsByPerp":[]}'
  expect(of('liquidationsaccount', liquidation)).toMatchObject([
    { event: 'position.liquidated', key: 'liquidation 9' },
  ])
})

test('a standby cancel that was fired waits for the webhook of its account, with what became of it', async () => {
  const instance = await openInstance({
    ...{ store, nowMs: () => nowMs, webhooks: true },
    send: async () => TAKEN,
  })
  const caller = newCaller()
  const accountId = caller.accountId.toLowerCase()
  const [webhook] = await store.webhooks.list('account')
  if (!webhook) throw new RangeError('no webhook')
  const { waiting: _, ...own } = webhook
  await store.webhooks.add({ ...own, id: 'w2', accountId }, 1)
  await instance.prove(caller)
  await instance.arm([cancelAt(caller, nowMs)], 60_000)
  await instance.send()
  expect((await store.webhooks.list(accountId))[0]?.waiting).toBe(0)
  nowMs += 60_000
  await instance.send()
  const [delivery] = await store.webhooks.take(nowMs, nowMs + 1, 1)
  expect(JSON.parse(delivery?.body ?? '')).toEqual({
    ...{ type: 'standby.fired', timestamp: new Date(nowMs).toISOString() },
    data: { account: accountId, state: 'cancelled', endedAtMs: nowMs, tradingKey: caller.key },
  })
})

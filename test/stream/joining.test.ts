import { expect, test } from 'bun:test'
import { gapsIn } from './clients.ts'
import { openRig, type Rig, type TestOutlet } from './rig.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TOPIC = `trades:${SYMBOL}`

async function listening(rig: Rig, topics: readonly string[]) {
  const client = rig.connect()
  rig.ask(client.connection, topics)
  await rig.pass(400)
  return client
}

function countOf({ messages }: TestOutlet): number {
  return messages.filter(({ topic }) => topic !== undefined).length
}

test('who comes again and again does not have a topic speak to the others more often than it does', async () => {
  const rig = openRig()
  const stays = await listening(rig, ['marks'])
  const comes = rig.connect()
  for (let price = 1; price <= 50; price += 1) {
    rig.feed.tell('markprices', [{ symbol: SYMBOL, price }], rig.nowMs())
    rig.ask(comes.connection, ['marks'])
    await rig.pass(200)
    rig.hub.leave(comes.connection, 'marks')
  }
  expect(countOf(comes.outlet)).toBeGreaterThanOrEqual(50)
  expect(countOf(stays.outlet)).toBeLessThanOrEqual(12)
  expect(gapsIn(stays.outlet.messages)).toEqual([])
  rig.close()
})

test('who leaves some of what it asked for hears the rest', async () => {
  const rig = openRig()
  const topics = [TOPIC, 'marks', 'liquidations', 'status']
  const { outlet, connection } = await listening(rig, topics)
  const other = await listening(rig, topics)
  for (const topic of ['marks', 'nothing', 'status']) rig.hub.leave(connection, topic)
  expect(rig.hub.size().subscriptions).toBe(6)
  rig.ask(connection, ['marks', TOPIC])
  expect([...outlet.groups].toSorted()).toEqual(['liquidations', TOPIC])
  await rig.pass(200)
  expect([...outlet.groups].toSorted()).toEqual(['liquidations', 'marks', TOPIC])
  expect(other.outlet.groups.size).toBe(4)
  rig.hub.disconnect(connection)
  rig.hub.disconnect(other.connection)
  await rig.pass(30_200)
  expect(rig.hub.size()).toEqual({ socket: 0, events: 0, topics: 0, subscriptions: 0 })
  rig.close()
})

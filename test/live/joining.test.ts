import { expect, test } from 'bun:test'
import { gapsIn } from './clients.ts'
import { type HubFixture, openHubFixture, type TestSink } from './fixture.ts'

const SYMBOL = 'PERP_ETH_USDC'
const TOPIC = `trades:${SYMBOL}`

async function listening(fixture: HubFixture, topics: readonly string[]) {
  const client = fixture.connect()
  fixture.ask(client.connection, topics)
  await fixture.pass(400)
  return client
}

function countOf({ messages }: TestSink): number {
  return messages.filter(({ topic }) => topic !== undefined).length
}

test('who comes again and again does not have a topic speak to the others more often than it does', async () => {
  const fixture = openHubFixture()
  const stays = await listening(fixture, ['marks'])
  const comes = fixture.connect()
  for (let price = 1; price <= 50; price += 1) {
    fixture.feed.publish('markprices', [{ symbol: SYMBOL, price }], fixture.nowMs())
    fixture.ask(comes.connection, ['marks'])
    await fixture.pass(200)
    fixture.hub.leave(comes.connection, 'marks')
  }
  expect(countOf(comes.sink)).toBeGreaterThanOrEqual(50)
  expect(countOf(stays.sink)).toBeLessThanOrEqual(12)
  expect(gapsIn(stays.sink.messages)).toEqual([])
  fixture.close()
})

test('a newcomer has a topic of fifteen seconds sent early once, and after that it is sent in its own time', async () => {
  const fixture = openHubFixture()
  const topic = `funding:${SYMBOL}`
  const stays = await listening(fixture, [topic])
  await fixture.pass(1000)
  const publish = (fundingRate: number) =>
    fixture.feed.publish(
      `${SYMBOL}@estfundingrate`,
      { symbol: SYMBOL, fundingRate },
      fixture.nowMs(),
    )
  publish(0.0001)
  await fixture.pass(1000)
  expect(countOf(stays.sink)).toBe(1)
  await listening(fixture, [topic])
  expect(countOf(stays.sink)).toBe(2)
  for (let rate = 2; rate <= 20; rate += 1) {
    publish(rate / 10_000)
    await fixture.pass(200)
  }
  expect(countOf(stays.sink)).toBe(2)
  fixture.close()
})

test('who leaves some of what it asked for hears the rest', async () => {
  const fixture = openHubFixture()
  const topics = [TOPIC, 'marks', 'liquidations', 'status']
  const { sink, connection } = await listening(fixture, topics)
  const other = await listening(fixture, topics)
  for (const topic of ['marks', 'nothing', 'status']) fixture.hub.leave(connection, topic)
  expect(fixture.hub.size().subscriptions).toBe(6)
  fixture.ask(connection, ['marks', TOPIC])
  expect([...sink.groups].toSorted()).toEqual(['liquidations', TOPIC])
  await fixture.pass(200)
  expect([...sink.groups].toSorted()).toEqual(['liquidations', 'marks', TOPIC])
  expect(other.sink.groups.size).toBe(4)
  fixture.hub.disconnect(connection)
  fixture.hub.disconnect(other.connection)
  await fixture.pass(30_200)
  expect(fixture.hub.size()).toEqual({ socket: 0, events: 0, topics: 0, subscriptions: 0 })
  fixture.close()
})

test('a connection alone keeps the hub in use until it has gone', () => {
  const fixture = openHubFixture()
  expect(fixture.hub.isUsed()).toBe(false)
  const { connection } = fixture.connect()
  expect(fixture.hub.isUsed()).toBe(true)
  fixture.hub.disconnect(connection)
  expect(fixture.hub.isUsed()).toBe(false)
  fixture.close()
})

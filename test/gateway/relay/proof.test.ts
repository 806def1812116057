import { expect, test } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import { relay } from '../../../src/gateway/relay/relay.ts'
import { envelope, newCaller } from '../../caller.ts'
import { buy, openInstanceOn, openWorldForEach, time, world } from '../mandate/gate-world.ts'
import { FROM } from '../standby/instance.ts'

openWorldForEach()

test('a write that the venue took is answered so, when that the key is accepted cannot be kept', async () => {
  const away = async () => {
    throw new Failure('store_unavailable')
  }
  const store = { ...world.store, proofs: { ...world.store.proofs, add: away } }
  const { gateway } = await openInstanceOn(store)
  const stranger = newCaller()
  const signed = envelope(stranger, { ...buy(60), timestamp: String(time.nowMs) })
  const { reply } = await relay(gateway, signed, FROM)
  expect(JSON.parse(reply.text())).toHaveProperty('order_id')
  expect(world.sent).toHaveLength(1)
  expect(await gateway.store.proofs.has(stranger.accountId.toLowerCase(), stranger.key)).toBe(false)
  const again = await relay(gateway, signed, FROM)
  expect(again.headers).toMatchObject({ 'x-prepd-replay': 'true' })
  expect(world.sent).toHaveLength(1)
})

import { expect, test } from 'bun:test'
import { WEBHOOK_EVENTS } from '../../src/contract/webhook.ts'
import type { AccountEvent } from '../../src/core/webhook.ts'
import { startAccountWebhooks } from '../../src/main/account-webhooks.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { openInstance } from '../gateway/standby/instance.ts'

// Slow: what waits is looked for every second.
test('nothing reads or writes a store that is closed, whatever is under way at the stop', async () => {
  const store = openSqlite(':memory:', 0)
  const send = () => Promise.reject(new RangeError('nobody asks'))
  const { gateway, lines } = await openInstance({ store, nowMs: Date.now, webhooks: true, send })
  const webhook = { id: 'w', accountId: 'a', url: 'https://hooks.prepd.invalid/', secret: 'whsec_' }
  const times = { createdAtMs: 0, dueAtMs: 0, failingSinceMs: null, deliveredAtMs: null }
  const calm = { state: 'active', attempts: 0, failure: null, dropped: 0 } as const
  await store.webhooks.add({ ...webhook, ...times, ...calm, events: [...WEBHOOK_EVENTS] }, 1)
  const event = { accountId: 'a', event: 'order.filled', key: 'k', body: '{}' } as const
  const published: AccountEvent = { ...event, atMs: Date.now(), forgetAtMs: Date.now() + 9999 }
  await store.webhooks.publish(published)
  const asked = Promise.withResolvers<void>()
  const read = Promise.withResolvers<string>()
  const readAccount = () => {
    asked.resolve()
    return read.promise
  }
  const stop = startAccountWebhooks(gateway, { readAccount })
  await asked.promise
  stop()
  store.close()
  read.resolve(`{"rows":[{"id":1,"symbol":"S","executed_timestamp":${Date.now()}}]}`)
  // The call of the webhook ends as well: nobody has this name.
  await Bun.sleep(200)
  const lost = expect.objectContaining({ event: 'account_event_not_kept' })
  expect(lines).not.toContainEqual(lost)
})

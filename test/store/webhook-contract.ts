import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '../../src/contract/durations.ts'
import { WEBHOOK } from '../../src/contract/webhook.ts'
import type { Store } from '../../src/core/ports.ts'
import type { AccountEvent, Webhook } from '../../src/core/webhook.ts'

type Kept = Pick<Store, 'webhooks' | 'proofs' | 'sweep' | 'close'>

/** PostgreSQL sweeps by its own clock. */
export const NOW_MS = Date.now()
const MAX = WEBHOOK.perAccountMax

export function webhookOf(own: Partial<Webhook> = {}): Webhook {
  return {
    ...{ id: 'w1', accountId: 'account', url: 'https://a.example/', secret: 'whsec_AAAA' },
    ...{
      events: ['order.filled'],
      createdAtMs: NOW_MS - 2 * DAY_MS,
      state: 'active',
      dueAtMs: NOW_MS,
    },
    ...{ attempts: 0, failingSinceMs: null, failure: null, deliveredAtMs: null, dropped: 0 },
    ...own,
  }
}

export function eventOf(own: Partial<AccountEvent> = {}): AccountEvent {
  const times = { atMs: NOW_MS, forgetAtMs: NOW_MS + HOUR_MS }
  return {
    accountId: 'account',
    event: 'order.filled',
    key: 'fill 1',
    body: '{}',
    ...times,
    ...own,
  }
}

/** What every store must do with webhooks of accounts. `open` gives a fresh, empty one each time. */
export function webhookContract(name: string, open: () => Kept | Promise<Kept>): void {
  describe(`webhooks of accounts in ${name}`, () => {
    let store: Kept
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    const add = (own: Partial<Webhook> = {}) => store.webhooks.add(webhookOf(own), MAX)
    const publish = (own: Partial<AccountEvent> = {}) => store.webhooks.publish(eventOf(own))
    const take = (nowMs = NOW_MS) => store.webhooks.take(nowMs, nowMs + WEBHOOK.leaseMs, 10)
    const only = async (accountId = 'account') => (await store.webhooks.list(accountId))[0]

    test('an account has so many of its own, and deletes no other’s', async () => {
      const ids = Array.from({ length: MAX + 1 }, (_, at) => `w${at}`)
      const added = await Promise.all(ids.map((id) => add({ id })))
      expect(added.filter(Boolean)).toHaveLength(MAX)
      expect(await add({ id: 'other', accountId: 'other' })).toBe(true)
      expect(await store.webhooks.remove('account', 'other')).toBe(false)
      expect(await only('other')).toEqual({
        ...webhookOf({ id: 'other', accountId: 'other' }),
        waiting: 0,
      })
      expect(await store.webhooks.remove('other', 'other')).toBe(true)
      expect(await store.webhooks.list('other')).toEqual([])
    })

    test('stored secrets are read by the order of ids, and replaced where they are as they were read', async () => {
      for (const id of ['w2', 'w1', 'w3']) await add({ id, accountId: id, secret: `of ${id}` })
      expect(await store.webhooks.secrets('', 2)).toEqual([
        { id: 'w1', secret: 'of w1' },
        { id: 'w2', secret: 'of w2' },
      ])
      await store.webhooks.replaceSecret({ id: 'w3', secret: 'another', next: 'lost' })
      await store.webhooks.replaceSecret({ id: 'w2', secret: 'of w2', next: 'new' })
      expect(await store.webhooks.secrets('w1', 9)).toEqual([
        { id: 'w2', secret: 'new' },
        { id: 'w3', secret: 'of w3' },
      ])
    })

    test('an event waits once for each active webhook that wants it and was there when it happened', async () => {
      await add()
      await add({ id: 'w2', events: ['key.expiring', 'order.filled'] })
      await add({ id: 'w3', events: ['key.expiring'] })
      await add({ id: 'o1', accountId: 'other' })
      await add({ id: 'o2', accountId: 'late', createdAtMs: NOW_MS + 1 })
      await add({ id: 'o3', accountId: 'off', state: 'disabled' })
      expect(await publish()).toBe(2)
      expect(await publish()).toBe(0)
      for (const accountId of ['late', 'off', 'nobody'])
        expect(await publish({ accountId })).toBe(0)
      const taken = await take()
      expect(taken.map(({ webhook, key }) => `${webhook.id} ${key}`).toSorted()).toEqual([
        'w1 fill 1',
        'w2 fill 1',
      ])
      expect(await store.webhooks.accountsFor('key.expiring', 10)).toEqual(['account'])
      expect(await store.webhooks.accountsFor('order.filled', 10)).toEqual([
        'account',
        'late',
        'other',
      ])
      await store.proofs.add('account', 'key', NOW_MS)
      await store.proofs.add('other', 'key', NOW_MS)
      expect(await store.webhooks.keysFor('key.expiring', 10)).toEqual([
        { accountId: 'account', publicKey: 'key' },
      ])
    })

    test('of takers at once one has a message, until its lease ends; the oldest goes first', async () => {
      await add()
      for (const at of [2, 1, 3]) await publish({ key: `fill ${at}`, atMs: NOW_MS + at })
      const both = (await Promise.all([take(), take()])).flat()
      expect(both.map(({ key }) => key)).toEqual(['fill 1'])
      const laterMs = NOW_MS + WEBHOOK.leaseMs
      expect(await take(laterMs - 1)).toEqual([])
      const [again] = await take(laterMs)
      const [first] = both
      if (!first || !again) throw new RangeError('nothing was taken')
      expect(again.key).toBe('fill 1')
      // The first one comes too late: another has taken over.
      const failed = { taken: false, failure: 'timeout', state: 'disabled' } as const
      await store.webhooks.settle(first, { ...failed, nowMs: laterMs, dueAtMs: 0 })
      expect(await only()).toMatchObject({ state: 'active', attempts: 0, waiting: 3 })
      await store.webhooks.settle(again, { taken: true, nowMs: laterMs, dueAtMs: laterMs })
      expect(await only()).toMatchObject({ deliveredAtMs: laterMs, waiting: 2 })
      expect(await publish({ key: 'fill 1' })).toBe(0)
      expect((await take(laterMs))[0]?.key).toBe('fill 2')
    })

    test('failures add up until a message is taken', async () => {
      await add()
      await publish()
      for (const attempts of [1, 2]) {
        const [delivery] = await take(NOW_MS + attempts * WEBHOOK.leaseMs)
        if (!delivery) throw new RangeError('nothing was taken')
        const nowMs = NOW_MS + attempts
        const failed = { taken: false, failure: `http_50${attempts}`, state: 'active' } as const
        await store.webhooks.settle(delivery, { ...failed, nowMs, dueAtMs: NOW_MS })
        const shown = { attempts, failingSinceMs: NOW_MS + 1, failure: `http_50${attempts}` }
        expect(await only()).toMatchObject({ ...shown, waiting: 1 })
      }
      const [delivery] = await take()
      if (!delivery) throw new RangeError('nothing was taken')
      await store.webhooks.settle(delivery, { taken: true, nowMs: NOW_MS, dueAtMs: NOW_MS })
      const calm = { attempts: 0, failingSinceMs: null, failure: null, deliveredAtMs: NOW_MS }
      expect(await only()).toMatchObject({ ...calm, waiting: 0, dropped: 0 })
    })

    test('what is too many or too old is dropped and counted; keys are forgotten after their time', async () => {
      await add()
      await publish({ key: 'old', atMs: NOW_MS - WEBHOOK.keptMs - 1 })
      for (let at = 1; at < WEBHOOK.waitingMax; at += 1) await publish({ key: `fill ${at}` })
      expect(await publish({ key: 'one more' })).toBe(0)
      expect(await only()).toMatchObject({ waiting: WEBHOOK.waitingMax, dropped: 1 })
      await store.sweep(NOW_MS, 1000)
      expect(await only()).toMatchObject({ waiting: WEBHOOK.waitingMax - 1, dropped: 2 })
      expect(await publish({ key: 'brief', forgetAtMs: NOW_MS - 1, atMs: NOW_MS - HOUR_MS })).toBe(
        1,
      )
      const [delivery] = await take()
      if (!delivery) throw new RangeError('nothing was taken')
      expect(delivery.key).toBe('brief')
      await store.webhooks.settle(delivery, { taken: true, nowMs: NOW_MS, dueAtMs: NOW_MS })
      await store.sweep(NOW_MS, 1000)
      expect(await publish({ key: 'brief' })).toBe(1)
    })
  })
}

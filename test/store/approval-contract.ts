import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { APPROVAL } from '../../src/contract/approval.ts'
import type { Approval } from '../../src/core/approval.ts'
import type { Store } from '../../src/core/ports.ts'

type Kept = Pick<Store, 'approvals' | 'sweep' | 'close'>

const AT_MS = 1_700_000_000_000

function approvalOf(own: Partial<Approval> = {}): Approval {
  const askedAtMs = own.askedAtMs ?? AT_MS
  return {
    ...{ id: 'a', accountId: 'account', digest: 'digest', method: 'POST', path: '/v1/order' },
    ...{ key: 'ed25519:key', program: 'a program/1', effects: 'first\nsecond' },
    ...{ body: '{}', order: 'one\ntwo', costUsdc: '10', worstUsdc: null },
    ...{ askedAtMs, decideUntilMs: askedAtMs + APPROVAL.decideWithinMs },
    ...{ state: 'waiting', decidedAtMs: null, signature: null },
    ...own,
  }
}

const approve = (decidedAtMs: number) =>
  ({ state: 'approved', decidedAtMs, signature: '0x1' }) as const

/** What every store must do with approvals. `open` gives a fresh, empty one each time. */
export function approvalContract(name: string, open: () => Kept | Promise<Kept>): void {
  describe(`approvals in ${name}`, () => {
    let store: Kept
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())
    const ask = (own: Partial<Approval> = {}) => store.approvals.ask(approvalOf(own))

    test('the same write is asked for once while it waits, and anew after its time', async () => {
      const first = approvalOf()
      expect(await ask()).toEqual(first)
      expect(await ask({ id: 'b', askedAtMs: AT_MS + 1 })).toEqual(first)
      expect(await ask({ id: 'c', digest: 'other' })).toMatchObject({ id: 'c' })
      expect(await ask({ id: 'd', accountId: 'other' })).toMatchObject({ id: 'd' })
      expect(await store.approvals.find('a')).toEqual(first)
      expect(await store.approvals.find('b')).toBeNull()
      const lateMs = first.decideUntilMs
      expect(await ask({ id: 'e', askedAtMs: lateMs })).toMatchObject({ id: 'e' })
    })

    test('one is decided once and in time, and may be used for two minutes', async () => {
      await ask()
      const endMs = AT_MS + APPROVAL.decideWithinMs
      expect(await store.approvals.decide('a', approve(endMs))).toBe(false)
      expect(await store.approvals.decide('none', approve(AT_MS))).toBe(false)
      expect(await store.approvals.decide('a', approve(endMs - 1))).toBe(true)
      const refuse = { state: 'refused', decidedAtMs: AT_MS, signature: null } as const
      expect(await store.approvals.decide('a', refuse)).toBe(false)
      const approved = { id: 'a', state: 'approved', signature: '0x1', decidedAtMs: endMs - 1 }
      const again = { id: 'b', askedAtMs: endMs + APPROVAL.useWithinMs - 2 }
      expect(await ask(again)).toMatchObject(approved)
      expect(await ask({ ...again, askedAtMs: again.askedAtMs + 1 })).toMatchObject({ id: 'b' })
    })

    test('a refused one stays refused for the time to decide', async () => {
      await ask()
      const refuse = { state: 'refused', decidedAtMs: AT_MS + 5, signature: null } as const
      expect(await store.approvals.decide('a', refuse)).toBe(true)
      expect(await store.approvals.decide('a', approve(AT_MS + 6))).toBe(false)
      expect(await ask({ id: 'b', askedAtMs: AT_MS + 9 })).toMatchObject({ state: 'refused' })
      const lateMs = AT_MS + APPROVAL.decideWithinMs
      expect(await ask({ id: 'b', askedAtMs: lateMs })).toMatchObject({ state: 'waiting' })
    })

    test('a used one is no longer found by its write, until it is given back', async () => {
      await ask()
      await store.approvals.mark('a', 'used')
      expect(await store.approvals.find('a')).toMatchObject({ state: 'waiting' })
      await store.approvals.decide('a', approve(AT_MS))
      await store.approvals.mark('a', 'used')
      expect(await ask({ id: 'b', askedAtMs: AT_MS + 1 })).toMatchObject({ id: 'b' })
      await store.approvals.mark('a', 'approved')
      expect(await store.approvals.counts()).toEqual([
        { state: 'approved', count: 1 },
        { state: 'waiting', count: 1 },
      ])
    })

    test('so many of an account wait and no more, however they race', async () => {
      const many = Array.from({ length: APPROVAL.waitingMax * 2 }, (_, at) =>
        ask({ id: `id ${at}`, digest: `digest ${at}` }),
      )
      const asked = await Promise.all(many)
      expect(asked.filter((found) => found === null)).toHaveLength(APPROVAL.waitingMax)
      expect(await ask({ id: 'x', accountId: 'other' })).toMatchObject({ id: 'x' })
      const racing = await Promise.all(
        [1, 2, 3].map((at) => ask({ id: `y ${at}`, accountId: 'z' })),
      )
      expect(new Set(racing.map((found) => found?.id)).size).toBe(1)
    })

    test('those that are approved and not used count among them, until they are used or their time is over', async () => {
      for (let at = 0; at < APPROVAL.waitingMax; at += 1) {
        await ask({ id: `id ${at}`, digest: `digest ${at}` })
        await store.approvals.decide(`id ${at}`, approve(AT_MS + 1))
      }
      const next = { id: 'next', digest: 'next', askedAtMs: AT_MS + 2 }
      expect(await ask(next)).toBeNull()
      expect(await ask({ digest: 'digest 3', askedAtMs: AT_MS + 2 })).toMatchObject({ id: 'id 3' })
      await store.approvals.mark('id 3', 'used')
      expect(await ask(next)).toMatchObject({ id: 'next' })
      const lateMs = AT_MS + 1 + APPROVAL.useWithinMs
      expect(await ask({ id: 'x', digest: 'x', askedAtMs: lateMs - 1 })).toBeNull()
      expect(await ask({ id: 'x', digest: 'x', askedAtMs: lateMs })).toMatchObject({ id: 'x' })
    })

    test('what was asked for long ago is forgotten', async () => {
      await ask({ askedAtMs: 1 })
      const newMs = Date.now()
      await ask({ id: 'new', askedAtMs: newMs })
      expect(await store.sweep(newMs, 10)).toBe(1)
      expect(await store.approvals.find('a')).toBeNull()
      expect(await store.approvals.find('new')).toMatchObject({ id: 'new' })
    })
  })
}

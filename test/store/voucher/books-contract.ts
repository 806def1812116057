import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { VoucherRow, VoucherStore } from '../../../src/store/voucher/port.ts'
import { hash, MAX, PAID, row } from './rows.ts'

/** A deposit of its own, by one digit. */
const other = (digit: string, part: Partial<VoucherRow> = {}) =>
  row({ depositKey: hash(digit), txHash: hash(digit), ...part })

/** What the books of vouchers must do, wherever they are kept. `open` gives fresh ones each time. */
export function booksContract(name: string, open: () => Promise<VoucherStore>): void {
  describe(`the books of vouchers in ${name}`, () => {
    let store: VoucherStore
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    test('keep every member of a row, numbers of 256 bits among them', async () => {
      await store.put(row())
      expect(await store.byKey(hash('1'))).toEqual(row())
      expect(await store.byTransaction(901, hash('2'))).toEqual([row()])
      const next = row({ generation: 2, payableUntil: 5, hold: 'facts changed', released: true })
      await store.put(next)
      expect(await store.list(9)).toEqual([next])
      expect(await store.byKey(hash('9'))).toBeNull()
      await expect(store.put(row({ depositKey: hash('7') }))).rejects.toThrow()
      expect(await store.list(9)).toEqual([next])
    })

    test('seal the row with that digest alone, hold it and release it', async () => {
      await store.put(row())
      await store.putSignature(hash('1'), hash('5'), '0xother', 2000)
      expect((await store.byKey(hash('1')))?.signature).toBeNull()
      await store.putSignature(hash('1'), hash('4'), '0xsigned', 2000)
      await store.hold(hash('1'), 'facts changed', 3000)
      const held = row({ signature: '0xsigned', hold: 'facts changed', updatedAtMs: 3000 })
      expect(await store.byKey(hash('1'))).toEqual(held)
      expect(await store.count()).toEqual({ rows: 1, held: 1 })
      await store.release(hash('1'), true, 4000)
      const released = { ...held, hold: null, released: true, updatedAtMs: 4000 }
      expect(await store.byKey(hash('1'))).toEqual(released)
      await store.hold(hash('1'), 'facts changed', 5000)
      expect(await store.byKey(hash('1'))).toEqual({ ...held, updatedAtMs: 5000 })
      await store.release(hash('1'), false, 6000)
      expect(await store.byKey(hash('1'))).toEqual({ ...held, hold: null, updatedAtMs: 6000 })
    })

    test('add up what can be redeemed of a token, beyond 256 bits', async () => {
      await store.put(other('a', { amount: MAX, redeemableUntil: 1001 }))
      await store.put(other('b', { amount: MAX, redeemableUntil: 1001 }))
      await store.put(other('c', { amount: 5n, redeemableUntil: 1000 }))
      await store.put(other('d', { amount: 7n, token: '0xother', redeemableUntil: 1001 }))
      await store.put(other('e', { amount: 7n, destinationChainId: 903, redeemableUntil: 1001 }))
      expect(await store.redeemableSince(PAID, 1001)).toBe(2n * MAX)
      expect(await store.redeemableSince(PAID, 1000, hash('a'))).toBe(MAX + 5n)
      expect(await store.redeemableSince({ ...PAID, destinationChainId: 904 }, 0)).toBe(0n)
    })

    test('undo all steps of a transaction that throws', async () => {
      const half = store.atomically(async (books) => {
        await books.put(row())
        await books.record({ atMs: 1, event: 'issued', row: row() })
        throw new Error('half way')
      })
      await expect(half).rejects.toThrow('half way')
      expect([await store.list(9), await store.audit(9)]).toEqual([[], []])
    })

    test('know who turned the switch last, and whether anything was issued', async () => {
      expect([await store.isPaused(), await store.isAdopted()]).toEqual([false, false])
      await store.record({ atMs: 1, event: 'adopted' })
      await store.record({ atMs: 2, event: 'paused' })
      await store.record({ atMs: 3, event: 'issued', row: row() })
      expect([await store.isPaused(), await store.isAdopted()]).toEqual([true, true])
      await store.record({ atMs: 4, event: 'resumed' })
      expect(await store.isPaused()).toBe(false)
      const events = (await store.audit(3)).map(({ event }) => event)
      expect(events).toEqual(['resumed', 'issued', 'paused'])
      expect(await store.audit(9, hash('1'))).toMatchObject([
        { atMs: 3, event: 'issued', generation: 1, digest: hash('4'), signer: '0xsigner' },
      ])
    })

    test('run transactions one after the other', async () => {
      let inside = 0
      let most = 0
      await Promise.all(
        Array.from({ length: 6 }, () =>
          store.atomically(async (books) => {
            inside += 1
            most = Math.max(most, inside)
            await books.isPaused()
            await books.isAdopted()
            inside -= 1
          }),
        ),
      )
      expect(most).toBe(1)
    })
  })
}

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { voucherSigner } from '../../src/gateway/voucher/signers.ts'
import { openStoreFile } from '../../src/store/file.ts'
import { restoreStore } from '../../src/store/restore.ts'
import { adopt, redeem } from './fixture.ts'
import { onStage } from './on-stage.ts'
import { RECIPIENT } from './stage.ts'

const { stage, open } = onStage()

const UNAVAILABLE = {
  status: 503,
  body: { error: 'Vouchers are not available on this deployment.' },
}
const DAY_SECONDS = 86_400
const OTHER_SIGNER = voucherSigner(new Uint8Array(32).fill(9))

async function finalDeposit() {
  const tx = await stage().deposit()
  await stage().finalise()
  return tx
}

describe('what can be redeemed in a day', () => {
  const UNITS = 25_000_000n

  test('is not exceeded by deposits of two days whose vouchers last as long', async () => {
    const fixture = open({ cap: 2n * UNITS })
    const [one, two, three] = [
      await stage().deposit(),
      await stage().deposit(),
      await finalDeposit(),
    ]
    expect([(await fixture.ask(one)).status, (await fixture.ask(two)).status]).toEqual([200, 200])
    expect(await fixture.ask(three)).toMatchObject(UNAVAILABLE)
    expect([fixture.signed.length, (await fixture.store.list(9)).length]).toEqual([2, 2])
    // The first two can be redeemed until now, the third from now on: all three within a moment.
    await stage().advance(DAY_SECONDS)
    expect(await fixture.ask(three)).toMatchObject(UNAVAILABLE)
    await stage().advance(DAY_SECONDS)
    expect(await fixture.ask(three)).toMatchObject(UNAVAILABLE)
    // As long again as the clocks of two chains may differ.
    await stage().advance(301)
    expect((await fixture.ask(three)).status).toBe(200)
    expect(fixture.logged).toContainEqual({
      level: 'error',
      event: 'voucher refused',
      fields: { depositKey: expect.any(String), reason: 'cap reached' },
    })
  })

  test('counts a deposit once however often it is issued, and those that are issued again', async () => {
    const fixture = open({ cap: UNITS })
    const [one, two] = [await stage().deposit(), await finalDeposit()]
    expect((await fixture.ask(one)).status).toBe(200)
    await stage().advance(DAY_SECONDS)
    expect((await fixture.ask(one)).status).toBe(200)
    await stage().advance(DAY_SECONDS + 400)
    // Its second voucher ended a moment ago.
    expect(await fixture.ask(two)).toMatchObject(UNAVAILABLE)
    await stage().advance(DAY_SECONDS)
    expect((await fixture.ask(two)).status).toBe(200)
    expect(await fixture.ask(one)).toMatchObject(UNAVAILABLE)
    expect(fixture.signed).toHaveLength(3)
  })

  test('counts a voucher that outlives the one that replaced it', async () => {
    const fixture = open({ cap: UNITS, validitySeconds: 604_800 })
    const [one, two] = [await stage().deposit(), await finalDeposit()]
    expect((await fixture.ask(one)).status).toBe(200)
    const short = open({
      folder: fixture.folder,
      cap: UNITS,
      validitySeconds: 600,
      signer: OTHER_SIGNER,
    })
    expect((await short.ask(one)).status).toBe(200)
    await stage().advance(2 * DAY_SECONDS)
    expect(await short.ask(two)).toMatchObject(UNAVAILABLE)
    expect(short.signed).toHaveLength(1)
  })

  describe('after a backup was restored', () => {
    /** Issues two vouchers that use the whole cap. The restored store lacks the second one, and is adopted. */
    async function lostVoucher() {
      const before = open({ cap: 2n * UNITS })
      const [known, lost, next] = [
        await stage().deposit(),
        await stage().deposit(),
        await finalDeposit(),
      ]
      const given = [(await before.ask(known)).body]
      const copy = join(before.folder, 'copy')
      await openStoreFile(join(before.folder, 'prepd.sqlite')).backup(copy)
      given.push((await before.ask(lost)).body)
      const folder = join(before.folder, 'restored')
      await restoreStore(copy, folder, stage().clock.nowMs())
      return { again: open({ folder, cap: 2n * UNITS }), given, known, next }
    }

    test('lost vouchers count as the whole cap until they can no longer be redeemed', async () => {
      const { again, given, known, next } = await lostVoucher()
      expect(await again.ask(next)).toMatchObject(UNAVAILABLE)
      expect(again.logged).toContainEqual({
        level: 'error',
        event: 'voucher refused',
        fields: { depositKey: expect.any(String), reason: 'lost vouchers may use the whole cap' },
      })
      expect((await again.ask(known)).status).toBe(200)
      for (const body of given) expect((await redeem(stage(), body)).status).toBe('0x1')
      await stage().advance(2 * DAY_SECONDS)
      expect(await again.ask(next)).toMatchObject(UNAVAILABLE)
      await stage().advance(302)
      expect((await again.ask(next)).status).toBe(200)
    })

    test('nothing waits if the operator confirms that no voucher was lost', async () => {
      const { again, next } = await lostVoucher()
      await again.store.record({ atMs: stage().clock.nowMs(), event: 'complete' })
      expect((await again.ask(next)).status).toBe(200)
    })
  })
})

describe('a deposit is not paid', () => {
  const NOT_HERE = { status: 422, body: { error: 'This deposit cannot be redeemed here.' } }

  test('in a block before the start, also when it was issued before the start was moved', async () => {
    const tx = await finalDeposit()
    const block = Number(tx.blockNumber)
    const fixture = open({ startBlock: block + 1 })
    expect(await fixture.ask(tx)).toMatchObject(NOT_HERE)
    expect([fixture.signed, await fixture.store.list(9)]).toEqual([[], []])
    expect((await open({ folder: fixture.folder, startBlock: block }).ask(tx)).status).toBe(200)
    expect(await fixture.ask(tx)).toMatchObject(NOT_HERE)
    expect(fixture.signed).toEqual([])
  })

  test('after its final date, and no voucher lasts beyond', async () => {
    const terms = { payableSeconds: 7200, validitySeconds: 3600 }
    const fixture = open(terms)
    const [tx, late] = [await stage().deposit(), await finalDeposit()]
    const { timestamp } = await stage().source.rpc<{ timestamp: string }>(
      'eth_getBlockByNumber',
      tx.blockNumber,
      false,
    )
    const endSeconds = Number(timestamp) + 7200
    const until = (seconds: number) => stage().advance(seconds - stage().clock.nowMs() / 1000)
    expect((await fixture.ask(tx)).status).toBe(200)
    await until(endSeconds - 600)
    const last = await fixture.ask(tx)
    expect(last.body.voucher.validUntil).toBe(String(endSeconds))
    await until(endSeconds - 61)
    expect((await fixture.ask(tx)).text).toBe(last.text)
    await until(endSeconds - 60)
    expect(await fixture.ask(tx)).toMatchObject(NOT_HERE)
    const longer = open({ folder: fixture.folder, payableSeconds: 86_400, signer: OTHER_SIGNER })
    expect(await longer.ask(tx)).toMatchObject(NOT_HERE)
    await until(endSeconds + 1)
    expect(await longer.ask(tx)).toMatchObject(NOT_HERE)
    expect(await fixture.ask(late)).toMatchObject(NOT_HERE)
    expect([fixture.signed.length, longer.signed.length]).toEqual([2, 0])
    expect((await redeem(stage(), last.body)).status).toBe('0x0')
  })

  test('from a fresh store, until the operator adopts it', async () => {
    const fixture = open({ isFresh: true })
    const tx = await finalDeposit()
    const [endpoint] = stage().endpoints
    endpoint.taken()
    expect(await fixture.ask(tx)).toMatchObject(UNAVAILABLE)
    expect([fixture.signed, await fixture.store.list(9), endpoint.taken()]).toEqual([[], [], []])
    await adopt(fixture.store, stage().clock)
    expect((await fixture.ask(tx)).status).toBe(200)
  })
})

describe('a deposit that was issued keeps its own terms', () => {
  test.each([
    ['another rate', { mul: 2n }],
    ['a rate that pays more than the most', { mul: 2n, max: 30_000_000n }],
    ['another redeemer', { redeemer: RECIPIENT }],
    ['another key', { signer: OTHER_SIGNER }],
    ['everything else', { mul: 3n, redeemer: RECIPIENT, signer: OTHER_SIGNER }],
  ] as const)('when the operator sets %s', async (_, change) => {
    const fixture = open()
    const tx = await finalDeposit()
    const { body } = await fixture.ask(tx)
    const changed = open({ folder: fixture.folder, ...change })
    await stage().advance(DAY_SECONDS)
    const again = (await changed.ask(tx)).body
    expect(again).toMatchObject({ status: 'issued', domain: body.domain })
    const { validUntil: _old, ...terms } = body.voucher
    expect(again.voucher).toMatchObject(terms)
    expect(await changed.store.byKey(body.depositKey)).toMatchObject({ generation: 2, hold: null })
  })
})

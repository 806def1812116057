import { describe, expect, test } from 'bun:test'
import { VALIDITY_SECONDS } from '../../src/contract/voucher-config.ts'
import { voucherSigner } from '../../src/gateway/voucher/signers.ts'
import { VOUCHER_COMMANDS } from '../../src/operator/voucher/voucher.ts'
import { altered, type Passed } from './endpoint.ts'
import type { VoucherFixture } from './fixture.ts'
import { onStage } from './on-stage.ts'
import { RECIPIENT } from './stage.ts'

const { stage, open } = onStage()

const REVIEW = { status: 409, body: { error: 'This deposit is under review.' } }
const DAY_SECONDS = 86_400
const OTHER_SIGNER = voucherSigner(new Uint8Array(32).fill(9))

async function finalDeposit() {
  const tx = await stage().deposit()
  await stage().finalise()
  return tx
}

type Log = { readonly topics: readonly string[]; readonly data: string }
type Receipt = { readonly logs: readonly Log[] }

/** Makes every endpoint lie alike about a deposit's event. */
function rewrite(change: (log: Log) => Partial<Log>): void {
  for (const endpoint of stage().endpoints) {
    endpoint.meddle(({ method, result }: Passed) => {
      if (method !== 'eth_getTransactionReceipt' || result === null) return result
      const { logs }: Receipt = JSON.parse(JSON.stringify(result))
      return altered(result, { logs: logs.map((log) => ({ ...log, ...change(log) })) })
    })
  }
}

const tenfold = ({ data }: Log) => ({
  data: `0x${(BigInt(data.slice(0, 66)) * 10n).toString(16).padStart(64, '0')}${data.slice(66)}`,
})
const renumbered = ({ topics: [event = '', id = '', ...rest] }: Log) => ({
  topics: rest.length === 2 ? [event, `0x${'7'.repeat(64)}`, ...rest] : [event, id, ...rest],
})

describe('a deposit that is no longer what it was', () => {
  test.each([
    ['its amount', tenfold],
    ['its id', renumbered],
  ])('in %s is held, and nothing more is signed', async (_, change) => {
    const fixture = open()
    const tx = await finalDeposit()
    const { body } = await fixture.ask(tx)
    await stage().advance(DAY_SECONDS)
    await stage().finalise()
    rewrite(change)
    expect(await fixture.ask(tx)).toMatchObject(REVIEW)
    for (const endpoint of stage().endpoints) endpoint.meddle(null)
    expect(await fixture.ask(tx)).toMatchObject(REVIEW)
    expect(await fixture.ask(tx, 1)).toMatchObject(REVIEW)
    expect(fixture.signed).toHaveLength(1)
    expect(await fixture.store.byKey(body.depositKey)).toMatchObject({
      hold: 'facts changed',
      generation: 1,
    })
    expect((await fixture.store.audit(9)).map(({ event }) => event)).toEqual([
      'held',
      'issued',
      'adopted',
    ])
  })
})

describe('a deposit that was held', () => {
  test('is refused although its voucher could still be redeemed, and the chain is left alone', async () => {
    const fixture = open()
    const tx = await finalDeposit()
    const { body } = await fixture.ask(tx)
    const [endpoint] = stage().endpoints
    endpoint.taken()
    await fixture.store.hold(body.depositKey, 'facts changed', 0)
    expect(await fixture.ask(tx)).toMatchObject(REVIEW)
    expect(endpoint.taken()).toEqual([])
  })

  test('while its chain was being read is not issued again', async () => {
    const fixture = open()
    const tx = await finalDeposit()
    const { body } = await fixture.ask(tx)
    await stage().advance(DAY_SECONDS)
    await stage().finalise()
    const late = open({
      folder: fixture.folder,
      around: (chains) => ({
        read: async (chainId, txHash) => {
          const views = await chains.read(chainId, txHash)
          await fixture.store.hold(body.depositKey, 'facts changed', 0)
          return views
        },
      }),
    })
    expect(await late.ask(tx)).toMatchObject(REVIEW)
    expect(late.signed).toEqual([])
  })
})

describe('a deposit that was released', () => {
  const release = ({ store }: VoucherFixture, depositKey: string) =>
    VOUCHER_COMMANDS.release(
      {
        report: () => undefined,
        store,
        clock: stage().clock,
        validitySeconds: () => VALIDITY_SECONDS,
      },
      new Map([['--deposit', depositKey]]),
    )

  async function held(fixture: VoucherFixture) {
    const tx = await finalDeposit()
    const issued = await fixture.ask(tx)
    await fixture.store.hold(issued.body.depositKey, 'facts changed', 0)
    expect(await fixture.ask(tx)).toMatchObject(REVIEW)
    return { tx, ...issued, key: issued.body.depositKey }
  }

  test('while its voucher can be redeemed goes on as it was, under the same redeemer', async () => {
    const fixture = open()
    const { tx, text, body, key } = await held(fixture)
    expect(await release(fixture, key)).toBe(0)
    expect((await fixture.ask(tx)).text).toBe(text)
    const moved = open({ folder: fixture.folder, redeemer: RECIPIENT, mul: 2n })
    expect((await moved.ask(tx)).text).toBe(text)
    await stage().advance(DAY_SECONDS)
    const again = await moved.ask(tx)
    expect(again.body.domain).toEqual(body.domain)
    expect(again.body.voucher.amount).toBe(body.voucher.amount)
  })

  test('and is still not what it was is held again', async () => {
    const fixture = open()
    const { tx, key } = await held(fixture)
    await release(fixture, key)
    await stage().advance(DAY_SECONDS)
    rewrite(tenfold)
    expect(await fixture.ask(tx)).toMatchObject(REVIEW)
    expect(await fixture.store.byKey(key)).toMatchObject({ hold: 'facts changed', generation: 1 })
    expect(fixture.signed).toHaveLength(1)
  })

  test('when no voucher of it can be redeemed is issued as if the first, under the redeemer of now', async () => {
    const fixture = open()
    const { tx, key } = await held(fixture)
    await stage().advance(DAY_SECONDS + 301)
    await stage().finalise()
    expect(await release(fixture, key)).toBe(0)
    const moved = open({ folder: fixture.folder, redeemer: RECIPIENT, mul: 2n })
    const { body } = await moved.ask(tx)
    expect(body.voucher.amount).toBe('50000000')
    expect(body.domain.verifyingContract.toLowerCase()).toBe(RECIPIENT)
    expect(await moved.store.byKey(key)).toMatchObject({ generation: 2, released: false })
    const events = (await moved.store.audit(9)).map(({ event }) => event)
    expect(events).toEqual(['reissued', 'released', 'issued', 'adopted'])
  })

  test('by a clock that runs ahead is not issued anew before its voucher has ended here', async () => {
    const fixture = open({ signer: OTHER_SIGNER })
    const { tx, key } = await held(fixture)
    await fixture.store.release(key, true, 0)
    const moved = open({ folder: fixture.folder, redeemer: RECIPIENT })
    expect(await moved.ask(tx)).toMatchObject(REVIEW)
    expect(moved.signed).toEqual([])
    await stage().advance(DAY_SECONDS + 301)
    expect((await moved.ask(tx)).status).toBe(200)
  })

  test('does not make room for another in its place of the chain', async () => {
    const fixture = open()
    const { tx, key } = await held(fixture)
    await stage().advance(DAY_SECONDS + 301)
    await stage().finalise()
    await release(fixture, key)
    rewrite(renumbered)
    expect(await fixture.ask(tx)).toMatchObject(REVIEW)
    expect(fixture.signed).toHaveLength(1)
    expect(await fixture.store.list(9)).toHaveLength(1)
  })
})

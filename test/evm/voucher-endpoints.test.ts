import { describe, expect, test } from 'bun:test'
import { altered, DEAD, HTML, type Passed } from './endpoint.ts'
import type { VoucherFixture } from './fixture.ts'
import { onStage } from './on-stage.ts'

const { stage, open } = onStage()

const UNREADABLE = {
  status: 503,
  body: {
    error: 'The chain could not be read safely. Try again shortly.',
    retryAfterSeconds: 15,
  },
}
const UNKNOWN = { status: 404, body: { error: 'No such transaction was found on that chain.' } }

/** All three endpoints, of which two must agree. */
const twoOfThree = () => ({ rpcs: stage().endpoints.map(({ url }) => url), quorum: 2 })

async function untouched({ signed, store }: VoucherFixture): Promise<void> {
  expect([signed, await store.list(1)]).toEqual([[], []])
}

async function finalDeposit() {
  const tx = await stage().deposit()
  await stage().finalise()
  return tx
}

type Receipt = { readonly logs: readonly { readonly data: string }[] }

/** A receipt in which every log has other data. */
function withData(change: (data: string) => string) {
  return ({ method, result }: Passed): unknown => {
    if (method !== 'eth_getTransactionReceipt' || result === null) return result
    const { logs }: Receipt = JSON.parse(JSON.stringify(result))
    return altered(result, { logs: logs.map((log) => ({ ...log, data: change(log.data) })) })
  }
}

/** Ten times the amount. */
const inflated = withData(
  (data) =>
    `0x${(BigInt(data.slice(0, 66)) * 10n).toString(16).padStart(64, '0')}${data.slice(66)}`,
)

/** An answer to one method, given to whoever asks. */
function forged(method: string, answer: (call: Passed) => unknown) {
  return (call: Passed) => (call.method === method ? answer(call) : call.result)
}

describe('an endpoint that lies', () => {
  test('about a deposit stops its voucher, however many others agree', async () => {
    const pair = open()
    const trio = open(twoOfThree())
    const tx = await finalDeposit()
    stage().endpoints[0].meddle(inflated)
    for (const fixture of [pair, trio]) {
      expect(await fixture.ask(tx)).toMatchObject(UNREADABLE)
      await untouched(fixture)
      expect(fixture.logged.map(({ fields }) => fields?.['reason'])).toContain('disagreement')
    }
  })

  test('about finality does not hurry a voucher', async () => {
    const pair = open()
    const trio = open(twoOfThree())
    const tx = await stage().deposit()
    stage().endpoints[0].meddle((call) =>
      call.params[0] === 'finalized' ? altered(call.result, { number: '0xffffff' }) : call.result,
    )
    for (const fixture of [pair, trio]) {
      expect((await fixture.ask(tx)).body).toEqual({ status: 'pending', blocksRemaining: 2 })
      await untouched(fixture)
    }
  })

  test('about the absence of a final transaction stops its voucher, however many others agree', async () => {
    const pair = open()
    const trio = open(twoOfThree())
    const tx = await finalDeposit()
    stage().endpoints[0].meddle(forged('eth_getTransactionReceipt', () => null))
    for (const fixture of [pair, trio]) {
      expect(await fixture.ask(tx)).toMatchObject(UNREADABLE)
      await untouched(fixture)
      expect(fixture.logged).toContainEqual({
        level: 'error',
        event: 'voucher chain unsafe',
        fields: { chainId: 901, reason: 'disagreement' },
      })
    }
  })

  test('about the absence of a transaction that is not final yet only withholds its own voice', async () => {
    const trio = open(twoOfThree())
    const tx = await stage().deposit()
    stage().endpoints[0].meddle(forged('eth_getTransactionReceipt', () => null))
    expect((await trio.ask(tx)).body).toEqual({ status: 'pending', blocksRemaining: 2 })
    await untouched(trio)
  })

  test('about logs of other contracts is not heard', async () => {
    const trio = open(twoOfThree())
    const tx = await finalDeposit()
    const { vault } = stage().contracts
    stage().endpoints[0].meddle(({ method, result }) => {
      if (method !== 'eth_getTransactionReceipt' || result === null) return result
      const { logs }: { logs: readonly { address: string }[] } = JSON.parse(JSON.stringify(result))
      return altered(result, {
        logs: logs.map((log) => (log.address === vault ? log : { ...log, data: '0x' })),
      })
    })
    expect(tx.logs.some(({ address }) => address !== vault)).toBe(true)
    expect((await trio.ask(tx)).status).toBe(200)
  })

  test.each([
    ['another transaction’s receipt', { transactionHash: `0x${'1'.repeat(64)}` }],
    ['a status it does not have', { status: '0x2' }],
    ['no status', { status: undefined }],
    ['no logs', { logs: null }],
    ['another block', { blockNumber: '0x1' }],
    ['no block', { blockHash: null }],
  ])('with %s is not counted', async (_, members) => {
    const fixture = open()
    const tx = await finalDeposit()
    stage().endpoints[1].meddle(
      forged('eth_getTransactionReceipt', ({ result }) => altered(result, members)),
    )
    expect(await fixture.ask(tx)).toMatchObject(UNREADABLE)
    await untouched(fixture)
  })
})

describe('an endpoint of no use', () => {
  test.each([
    ['is dead', () => DEAD],
    ['answers a page', () => HTML],
    ['answers another type', () => 'nonsense'],
    ['is on another chain', forged('eth_chainId', () => '0x1')],
    [
      'stands still',
      (call: Passed) =>
        call.params[0] === 'latest' ? altered(call.result, { timestamp: '0x1' }) : call.result,
    ],
  ])('because it %s is done without, but not below the quorum', async (_, meddle) => {
    const pair = open()
    const trio = open(twoOfThree())
    const tx = await finalDeposit()
    stage().endpoints[0].meddle(meddle)
    expect(await pair.ask(tx)).toMatchObject(UNREADABLE)
    await untouched(pair)
    expect((await trio.ask(tx)).status).toBe(200)
    expect(trio.logged.filter(({ event }) => event === 'voucher endpoint unusable')).toHaveLength(1)
  })

  test('is never called by its name in the log', async () => {
    const fixture = open()
    stage().endpoints[0].meddle(() => DEAD)
    await fixture.ask(await finalDeposit())
    expect(JSON.stringify(fixture.logged)).not.toContain('127.0.0.1')
  })
})

describe('a chain', () => {
  test('that is not the one with the checkpoint is not read', async () => {
    const tx = await finalDeposit()
    const { hash } = await stage().source.rpc<{ hash: string }>(
      'eth_getBlockByNumber',
      '0x1',
      false,
    )
    const lines = (text: string) => `checkpoint = { block = 1, hash = "${text}" }`
    const forked = open({ lines: lines(`0x${'ab'.repeat(32)}`) })
    expect(await forked.ask(tx)).toMatchObject(UNREADABLE)
    await untouched(forked)
    expect(
      (await open({ lines: lines(hash.toUpperCase().replace('0X', '0x')) }).ask(tx)).status,
    ).toBe(200)
  })

  test('that takes a deposit back leaves nothing to redeem', async () => {
    const fixture = open()
    const tx = await stage().deposit()
    expect((await fixture.ask(tx)).status).toBe(202)
    await stage().source.rpc('anvil_reorg', 1, [])
    await stage().finalise()
    expect(await fixture.ask(tx)).toMatchObject(UNKNOWN)
    await untouched(fixture)
  })

  test('whose endpoints still have the receipt of a block that is gone is not believed', async () => {
    const fixture = open()
    const tx = await stage().deposit()
    const stale = await stage().source.rpc('eth_getTransactionReceipt', tx.transactionHash)
    await stage().source.rpc('anvil_reorg', 1, [])
    await stage().finalise()
    for (const endpoint of stage().endpoints) {
      endpoint.meddle(forged('eth_getTransactionReceipt', () => stale))
    }
    expect(await fixture.ask(tx)).toMatchObject(UNREADABLE)
    await untouched(fixture)
  })

  test('far from our clock, either way, is not read', async () => {
    const tx = await finalDeposit()
    const nowMs = stage().clock.nowMs()
    for (const [skewMs, status] of [
      [310_000, 503],
      [290_000, 200],
      [-310_000, 503],
    ] as const) {
      const fixture = open()
      stage().clock.set(nowMs + skewMs)
      expect((await fixture.ask(tx)).status).toBe(status)
      expect(fixture.signed).toHaveLength(status === 200 ? 1 : 0)
    }
    stage().clock.set(nowMs)
  })

  test('that does not know a transaction is not asked again for ten seconds', async () => {
    const fixture = open()
    const [endpoint] = stage().endpoints
    const hash = `0x${'5'.repeat(64)}` as const
    const receiptsAsked = () => endpoint.taken().filter((name) => name.endsWith('Receipt')).length
    receiptsAsked()
    for (const asked of [1, 0]) {
      expect(await fixture.ask(hash)).toMatchObject(UNKNOWN)
      expect(receiptsAsked()).toBe(asked)
    }
    await stage().advance(10)
    expect(await fixture.ask(hash)).toMatchObject(UNKNOWN)
    expect(receiptsAsked()).toBe(1)
  })

  test('is read once for all who ask at the same time, and its head once in three seconds', async () => {
    const fixture = open()
    const [endpoint] = stage().endpoints
    const tx = await finalDeposit()
    endpoint.taken()
    const answers = await Promise.all([fixture.ask(tx), fixture.ask(tx), fixture.ask(tx)])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(endpoint.taken().filter((name) => name.endsWith('Receipt'))).toHaveLength(1)
    const other = await stage().deposit()
    expect((await fixture.ask(other)).status).toBe(202)
    expect(endpoint.taken()).not.toContain('eth_chainId')
  })
})

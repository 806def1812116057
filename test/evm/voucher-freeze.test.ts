import { describe, expect, test } from 'bun:test'
import { altered, type Passed } from './endpoint.ts'
import { onStage } from './on-stage.ts'
import { RECIPIENT } from './stage.ts'

const { stage, open } = onStage()

const REVIEW = { status: 409, body: { error: 'This deposit is under review.' } }
const DAY_SECONDS = 86_400

async function finalDeposit() {
  const tx = await stage().deposit()
  await stage().finalise()
  return tx
}

type Log = { readonly topics: readonly string[]; readonly data: string }
type Receipt = { readonly logs: readonly Log[] }

/** Makes every endpoint tell the same untruth about a deposit's event. */
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
  ])('in %s is frozen for good, and nothing more is signed', async (_, change) => {
    const desk = open()
    const tx = await finalDeposit()
    const { body } = await desk.ask(tx)
    await stage().advance(DAY_SECONDS)
    await stage().finalise()
    rewrite(change)
    expect(await desk.ask(tx)).toMatchObject(REVIEW)
    for (const endpoint of stage().endpoints) endpoint.meddle(null)
    expect(await desk.ask(tx)).toMatchObject(REVIEW)
    expect(await desk.ask(tx, 1)).toMatchObject(REVIEW)
    expect(desk.signed).toHaveLength(1)
    expect(desk.store.byKey(body.depositKey)).toMatchObject({ frozen: true, generation: 1 })
    expect(desk.store.audit(9).map(({ event }) => event)).toEqual(['frozen', 'issued'])
  })

  test('because the operator now pays it elsewhere is held back, but not frozen', async () => {
    const desk = open()
    const tx = await finalDeposit()
    const first = await desk.ask(tx)
    await stage().advance(DAY_SECONDS)
    await stage().finalise()
    const moved = open({ folder: desk.folder, redeemer: RECIPIENT })
    expect(await moved.ask(tx)).toMatchObject(REVIEW)
    expect(moved.signed).toEqual([])
    const again = await desk.ask(tx)
    expect(again.body).toMatchObject({ status: 'issued', domain: first.body.domain })
  })
})

describe('a deposit that was frozen', () => {
  test('is refused although its voucher could still be redeemed, and the chain is left alone', async () => {
    const desk = open()
    const tx = await finalDeposit()
    const { body } = await desk.ask(tx)
    const [endpoint] = stage().endpoints
    endpoint.taken()
    desk.store.freeze(body.depositKey, 0)
    expect(await desk.ask(tx)).toMatchObject(REVIEW)
    expect(endpoint.taken()).toEqual([])
  })

  test('while its chain was being read is not issued again', async () => {
    const desk = open()
    const tx = await finalDeposit()
    const { body } = await desk.ask(tx)
    await stage().advance(DAY_SECONDS)
    await stage().finalise()
    const late = open({
      folder: desk.folder,
      around: (chains) => ({
        read: async (chainId, txHash) => {
          const views = await chains.read(chainId, txHash)
          desk.store.freeze(body.depositKey, 0)
          return views
        },
      }),
    })
    expect(await late.ask(tx)).toMatchObject(REVIEW)
    expect(late.signed).toEqual([])
  })
})

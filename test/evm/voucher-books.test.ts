// Slow: several processes issue on one database.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { encodeFunctionData } from 'viem'
import { voucherSigner } from '../../src/gateway/voucher/signers.ts'
import type { Mined } from './chain.ts'
import { onStage } from './on-stage.ts'
import { ABI, SIGNER } from './stage.ts'

const { stage, open } = onStage()

const UNAVAILABLE = {
  status: 503,
  body: { error: 'Vouchers are not available on this deployment.' },
}
const OTHER_SIGNER = voucherSigner(new Uint8Array(32).fill(9))

async function finalDeposit() {
  const tx = await stage().deposit()
  await stage().finalise()
  return tx
}

/** The message with which something fails. */
const failing = (run: Promise<unknown>) =>
  run.then(
    () => 'it did not fail',
    (error: Error) => error.message,
  )

describe('the key', () => {
  test('is used only after the voucher is stored, and a crash between the two is made good', async () => {
    const kept: unknown[] = []
    const sign = async (): Promise<string> => {
      kept.push(...(await fixture.store.list(9)))
      throw new Error('killed')
    }
    const fixture = open({ signer: { address: SIGNER.address, sign } })
    const tx = await finalDeposit()
    expect(await failing(fixture.ask(tx))).toBe('killed')
    expect(kept).toMatchObject([{ signature: null, generation: 1 }])
    const after = open({ folder: fixture.folder })
    const { body } = await after.ask(tx)
    expect(kept).toMatchObject([{ digest: body.digest }])
    expect(await after.store.byKey(body.depositKey)).toMatchObject({ generation: 1 })
    expect((await after.store.audit(9)).map(({ event }) => event)).toEqual(['issued', 'adopted'])
  })

  test('is not used on a stored voucher that does not match its digest', async () => {
    const killed = async (): Promise<string> => {
      throw new Error('killed')
    }
    const fixture = open({ signer: { address: SIGNER.address, sign: killed } })
    const tx = await finalDeposit()
    await failing(fixture.ask(tx))
    const [row] = await fixture.store.list(1)
    if (row) await fixture.store.put({ ...row, validUntil: row.validUntil + 1 })
    const after = open({ folder: fixture.folder })
    expect(await failing(after.ask(tx))).toBe('a stored voucher does not match its digest')
    expect(after.signed).toEqual([])
  })

  test('that signs wrongly puts nothing out', async () => {
    const fixture = open({ signer: { address: SIGNER.address, sign: OTHER_SIGNER.sign } })
    const tx = await finalDeposit()
    expect(await failing(fixture.ask(tx))).toBe('the signer signed wrongly')
    expect(await fixture.store.list(9)).toMatchObject([{ signature: null }])
  })

  test('is replaced: what the old one signed is issued again', async () => {
    const fixture = open()
    const tx = await finalDeposit()
    const first = await fixture.ask(tx)
    const rotated = open({ folder: fixture.folder, signer: OTHER_SIGNER })
    const second = await rotated.ask(tx)
    expect(second.body.signer.toLowerCase()).toBe(OTHER_SIGNER.address)
    expect(second.body.depositKey).toBe(first.body.depositKey)
    expect(second.body.signature).not.toBe(first.body.signature)
    expect((await rotated.store.audit(9)).map(({ event }) => event)).toEqual([
      'reissued',
      'issued',
      'adopted',
    ])
  })

  test('is replaced beside the one before: what that signed stands, and the new one signs what is new', async () => {
    const fixture = open()
    const tx = await finalDeposit()
    const { text } = await fixture.ask(tx)
    const rotated = open({ folder: fixture.folder, signer: OTHER_SIGNER, before: [SIGNER] })
    expect((await rotated.ask(tx)).text).toBe(text)
    const { body } = await rotated.ask(await finalDeposit())
    expect(body.signer.toLowerCase()).toBe(OTHER_SIGNER.address)
  })

  test('that was killed before it signed signs all the same, as the one before', async () => {
    const killed = async () => {
      throw new Error('killed')
    }
    const fixture = open({ signer: { address: SIGNER.address, sign: killed } })
    const tx = await finalDeposit()
    await failing(fixture.ask(tx))
    const rotated = open({ folder: fixture.folder, signer: OTHER_SIGNER, before: [SIGNER] })
    expect((await rotated.ask(tx)).body.signer.toLowerCase()).toBe(SIGNER.address)
  })

  test('is not there, so nothing is answered', async () => {
    const fixture = open({ signer: null })
    const [endpoint] = stage().endpoints
    endpoint.taken()
    expect(await fixture.ask(await finalDeposit())).toMatchObject(UNAVAILABLE)
    expect(endpoint.taken()).toEqual([])
  })
})

describe('the pause', () => {
  test('stops new and old vouchers, also one whose chain is just being read, until it ends', async () => {
    const fixture = open()
    const [tx, next] = [await stage().deposit(), await finalDeposit()]
    const { text } = await fixture.ask(tx)
    await fixture.store.record({ atMs: 0, event: 'paused' })
    expect(await fixture.ask(tx)).toMatchObject(UNAVAILABLE)
    expect(await fixture.ask(next)).toMatchObject(UNAVAILABLE)
    await fixture.store.record({ atMs: 1, event: 'resumed' })
    expect((await fixture.ask(tx)).text).toBe(text)

    const late = open({
      folder: fixture.folder,
      around: (chains) => ({
        read: async (chainId, txHash) => {
          const views = await chains.read(chainId, txHash)
          await fixture.store.record({ atMs: 2, event: 'paused' })
          return views
        },
      }),
    })
    expect(await late.ask(next)).toMatchObject(UNAVAILABLE)
    expect(late.signed).toEqual([])
  })
})

describe('several processes on one database', () => {
  const RACER = join(import.meta.dir, 'racer.ts')

  async function race(folder: string, txs: readonly Mined[], cap: bigint) {
    const { contracts, endpoints, clock } = stage()
    const orders = {
      contracts,
      urls: [endpoints[0].url, endpoints[1].url],
      nowMs: clock.nowMs(),
      folder,
      cap: String(cap),
      hashes: txs.map(({ transactionHash }) => transactionHash),
    }
    const racers = [1, 2, 3].map(() =>
      Bun.spawn([process.execPath, RACER, JSON.stringify(orders)], {
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'inherit',
      }),
    )
    return Promise.all(
      racers.map(async ({ stdin, stdout }) => {
        const reader = stdout.getReader()
        await reader.read()
        await stdin.end()
        const { value } = await reader.read()
        const answers: { status: number; text: string }[] = JSON.parse(
          new TextDecoder().decode(value),
        )
        return answers
      }),
    )
  }

  test('answer the same bytes for the same deposit, issue it once, and keep one cap', async () => {
    const fixture = open()
    const txs: Mined[] = []
    for (let count = 0; count < 8; count += 1) txs.push(await stage().deposit())
    await stage().finalise()
    const answers = await race(fixture.folder, txs, 5n * 25_000_000n)
    for (const at of txs.keys()) {
      const texts = answers.flatMap((row) => (row[at]?.status === 200 ? [row[at].text] : []))
      expect(new Set(texts).size).toBeLessThan(2)
    }
    expect(await fixture.store.list(99)).toHaveLength(5)
    expect((await fixture.store.audit(99)).map(({ event }) => event)).toEqual([
      ...Array(5).fill('issued'),
      'adopted',
    ])
    expect(answers.flat().filter(({ status }) => status === 200)).toHaveLength(15)
  })
})

test('a stray transfer into the vault is no deposit', async () => {
  const fixture = open()
  const { token, vault } = stage().contracts
  const args = [vault, 5n] as const
  const data = encodeFunctionData({ abi: ABI, functionName: 'transfer', args })
  const tx = await stage().source.send({ to: token, data })
  await stage().finalise()
  expect(await fixture.ask(tx)).toMatchObject({
    status: 422,
    body: { error: 'This transaction holds no deposit.' },
  })
  expect(await fixture.store.list(9)).toEqual([])
})

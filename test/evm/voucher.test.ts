import { describe, expect, test } from 'bun:test'
import { decodeFunctionResult, encodeFunctionData, type Hex, hashTypedData } from 'viem'
import { recoverTypedDataAddress } from 'viem/utils'
import { OWNER } from './chain.ts'
import { redeem, voucherArgument } from './fixture.ts'
import { onStage } from './on-stage.ts'
import { ABI, ACCOUNT_ABI, DESTINATION_ID, RECIPIENT, SIGNER } from './stage.ts'

const { stage, open } = onStage()

async function paidBalance(): Promise<bigint> {
  const data = encodeFunctionData({ abi: ABI, functionName: 'balanceOf', args: [RECIPIENT] })
  return BigInt(
    await stage().destination.rpc<Hex>('eth_call', { to: stage().contracts.paid, data }),
  )
}

describe('a deposit', () => {
  test('is pending, then issued with the same bytes each time, then redeemed once', async () => {
    const { ask, signed, store } = open()
    const tx = await stage().deposit()
    const pending = await ask(tx)
    expect(pending).toMatchObject({
      status: 202,
      text: '{"status":"pending","blocksRemaining":2}',
      headers: { 'cache-control': 'no-store', 'retry-after': '15' },
    })
    expect([signed, await store.list(1)]).toEqual([[], []])

    await stage().advance(4)
    expect((await ask(tx)).text).toBe('{"status":"pending","blocksRemaining":1}')
    await stage().advance(4)
    const issued = await ask(tx)
    expect(issued.status).toBe(200)
    expect(issued.headers).toEqual({ 'cache-control': 'no-store' })
    expect(issued.body.voucher).toMatchObject({ sourceChainId: '901', amount: '25000000' })
    expect(issued.body.domain).toMatchObject({ chainId: 902, name: 'Redemption Voucher' })
    const again = await Promise.all([ask(tx), ask(tx, 1), ask(tx)])
    expect(again.map(({ text }) => text)).toEqual([issued.text, issued.text, issued.text])
    expect(signed).toHaveLength(1)

    const before = await paidBalance()
    expect((await redeem(stage(), issued.body)).status).toBe('0x1')
    expect(await paidBalance()).toBe(before + 25_000_000n)
    expect((await redeem(stage(), issued.body)).status).toBe('0x0')
    expect(await paidBalance()).toBe(before + 25_000_000n)
  })

  test('is hashed and keyed alike here, in viem and in Solidity, and signed by the announced signer', async () => {
    const { ask } = open()
    const tx = await stage().deposit({ amount: 2n ** 90n + 1n })
    await stage().finalise()
    const { body } = await ask(tx)
    const { voucher, domain, types, primaryType, digest, signature, signer } = body
    expect(hashTypedData({ domain, types, primaryType, message: voucher })).toBe(digest)
    const recovered = await recoverTypedDataAddress({
      domain,
      types,
      primaryType,
      message: voucher,
      signature,
    })
    expect(recovered).toBe(signer)
    expect(signer.toLowerCase()).toBe(SIGNER.address)
    for (const [functionName, ours] of [
      ['digest', digest],
      ['depositKey', body.depositKey],
    ] as const) {
      const args = [voucherArgument(body)] as const
      const data = encodeFunctionData({ abi: ABI, functionName, args })
      const to = stage().contracts.redeemer
      const answer = await stage().destination.rpc<Hex>('eth_call', { to, data })
      expect(decodeFunctionResult({ abi: ABI, functionName, data: answer })).toBe(ours)
    }
  })

  test('is issued again after its end, and still redeemed only once', async () => {
    const { ask, store, signed } = open()
    const tx = await stage().deposit()
    await stage().finalise()
    const first = await ask(tx)
    await stage().advance(86_400 - 61)
    expect((await ask(tx)).text).toBe(first.text)
    await stage().advance(1)
    const second = await ask(tx)
    expect(second.status).toBe(200)
    expect(second.body.depositKey).toBe(first.body.depositKey)
    expect(Number(second.body.voucher.validUntil)).toBe(
      Number(first.body.voucher.validUntil) + 86_340,
    )
    expect((await store.byKey(first.body.depositKey))?.generation).toBe(2)
    expect(signed).toHaveLength(2)
    await stage().advance(100)
    expect((await redeem(stage(), first.body)).status).toBe('0x0')
    expect((await redeem(stage(), second.body)).status).toBe('0x1')
    expect((await redeem(stage(), second.body)).status).toBe('0x0')
  })

  test('pays by its pair’s ratio, floored to the paid token’s units', async () => {
    const { ask } = open({ mul: 1n, div: 1_000_000_000_000n })
    const tx = await stage().deposit({ amount: 1_999_999_999_999n })
    const dust = await stage().deposit({ amount: 999_999_999_999n })
    await stage().finalise()
    expect((await ask(tx)).body.voucher.amount).toBe('1')
    expect((await ask(dust)).body.error).toBe('This deposit cannot be redeemed here.')
  })

  test('of a token that takes a fee pays what arrived', async () => {
    const { ask } = open()
    const tx = await stage().deposit({ token: stage().contracts.feeToken, amount: 10_000n })
    await stage().finalise()
    expect((await ask(tx)).body.voucher.amount).toBe('9900')
  })

  test('in a transaction with another is named by its log', async () => {
    const { ask, signed } = open()
    const tx = await stage().deposit({ method: 'depositTwice' })
    await stage().finalise()
    const indices = tx.logs
      .filter(({ address }) => address === stage().contracts.vault)
      .map(({ logIndex }) => Number(logIndex))
    const several = 'This transaction holds several deposits. Say which with logIndex.'
    expect(await ask(tx)).toMatchObject({ status: 400, body: { error: several } })
    expect(signed).toEqual([])
    const [one, other] = [await ask(tx, indices[0]), await ask(tx, indices[1])]
    expect([one.status, other.status]).toEqual([200, 200])
    expect(one.body.depositKey).not.toBe(other.body.depositKey)
    expect(await ask(tx)).toMatchObject({ status: 400, body: { error: several } })
    expect(await ask(tx, 0)).toMatchObject({
      status: 422,
      body: { error: 'This transaction holds no deposit.' },
    })
    expect([await redeem(stage(), one.body), await redeem(stage(), other.body)]).toMatchObject([
      { status: '0x1' },
      { status: '0x1' },
    ])
  })

  test.each([
    ['finalized', '"finalized"', 2],
    ['safe', '"safe"', 1],
    ['a depth of 3', '3', 3],
  ])('is final by the rule %s', async (_, finality, blocks) => {
    const { ask } = open({ finality })
    const tx = await stage().deposit()
    for (let left = blocks; left > 0; left -= 1) {
      expect((await ask(tx)).body).toEqual({ status: 'pending', blocksRemaining: left })
      await stage().advance(4)
    }
    expect((await ask(tx)).status).toBe(200)
  })

  test('whose event comes from another contract, or whose transaction failed, is none', async () => {
    const { ask, signed, store } = open()
    const spoofed = await stage().deposit({ vault: stage().contracts.strangeVault })
    const reverted = await stage().deposit({ amount: 0n })
    await stage().finalise()
    expect(await ask(spoofed)).toMatchObject({
      status: 422,
      body: { error: 'This transaction holds no deposit.' },
    })
    expect(await ask(reverted)).toMatchObject({
      status: 422,
      body: { error: 'This transaction did not succeed.' },
    })
    expect([signed, await store.list(1)]).toEqual([[], []])
  })

  test('for a destination, token or amount that is not served is refused', async () => {
    const { ask, signed, store } = open({ max: 1000n })
    const otherChain = await stage().deposit({ amount: 5n, destinationChainId: 903n })
    const [most, more] = [
      await stage().deposit({ amount: 1000n }),
      await stage().deposit({ amount: 1001n }),
    ]
    const nobody = await stage().deposit({ amount: 5n, recipient: `0x${'0'.repeat(40)}` })
    await stage().finalise()
    for (const tx of [otherChain, more, nobody]) {
      expect(await ask(tx)).toMatchObject({
        status: 422,
        body: { error: 'This deposit cannot be redeemed here.' },
      })
    }
    expect([signed, await store.list(1)]).toEqual([[], []])
    expect((await ask(most)).body.domain.chainId).toBe(DESTINATION_ID)
  })
})

describe('a vault that states what was asked for', () => {
  test('is believed for what was seen arriving, and for nothing else', async () => {
    const { token, feeToken, accountVault } = stage().contracts
    const lines = `destinationChainId = ${DESTINATION_ID}
      symbols = { USDC = "${token}", FEE = "${feeToken}" }`
    const { ask, signed } = open({ vault: accountVault, event: 'AccountDepositTo', lines })
    const deposit = (of: typeof token, symbol: string) =>
      stage().source.send({
        to: accountVault,
        data: encodeFunctionData({
          abi: ACCOUNT_ABI,
          functionName: 'deposit',
          args: [of, symbol, 10_000n],
        }),
      })
    const whole = await deposit(token, 'USDC')
    const shrunk = await deposit(feeToken, 'FEE')
    const misnamed = await deposit(feeToken, 'USDC')
    const unknown = await deposit(token, 'WETH')
    await stage().finalise()
    for (const tx of [shrunk, misnamed, unknown]) {
      expect(await ask(tx)).toMatchObject({
        status: 422,
        body: { error: 'This deposit cannot be redeemed here.' },
      })
    }
    expect(signed).toEqual([])
    const { body } = await ask(whole)
    expect(body.voucher).toMatchObject({ depositId: '1', amount: '10000' })
    expect(body.voucher.recipient.toLowerCase()).toBe(OWNER)
    expect((await redeem(stage(), body)).status).toBe('0x1')
  })
})

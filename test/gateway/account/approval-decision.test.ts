import { expect, test } from 'bun:test'
import { APPROVAL } from '../../../src/contract/approval.ts'
import { WALLETS } from '../../surface/wallets.ts'
import {
  approvalOf,
  approve,
  decide,
  limit,
  openApprovalsForEach,
  refuse,
  show,
  toSign,
  trader,
  wallet,
  write,
} from '../approval/world.ts'
import { buy, openInstanceOn, time, USDC, world } from '../mandate/gate-world.ts'

openApprovalsForEach()

/** The id of an order that waits. */
async function waiting(usdc = 150): Promise<string> {
  await limit({ approveAboveUsdc: 100n * USDC })
  return approvalOf(buy(usdc))
}

test('the owner signs host, account, call, digest of the body, words, worst case and expiry', async () => {
  const id = await waiting()
  const { typedData, message } = await toSign(id)
  expect(message).toEqual({ chainId: 42_161, approval: id, service: 'localhost' })
  const { domain, primaryType, message: signed } = JSON.parse(typedData)
  expect(domain).toMatchObject({
    name: world.instance.gateway.operator.serviceName,
    chainId: 42_161,
  })
  expect(primaryType).toBe('Approval')
  const body = buy(150).body ?? ''
  expect(signed).toEqual({
    account: trader.accountId,
    service: 'localhost',
    approval: id,
    order: 'Buy 0.003 PERP_BTC_USDC, LIMIT order at 50000 USDC',
    worstCase: '150 USDC',
    method: 'POST',
    path: '/v1/order',
    bodySha256: `0x${new Bun.CryptoHasher('sha256').update(body).digest('hex')}`,
    expires: new Date(time.nowMs + APPROVAL.decideWithinMs).toISOString(),
  })
})

test('what is shown says the write whole, and showing it or its message decides nothing', async () => {
  const id = await waiting()
  const shown = await show(id)
  expect(shown).toEqual({
    ...{ id, state: 'waiting', accountId: trader.accountId, method: 'POST', path: '/v1/order' },
    ...{ body: buy(150).body, order: ['Buy 0.003 PERP_BTC_USDC, LIMIT order at 50000 USDC'] },
    ...{ costUsdc: '150', worstUsdc: '150', askedAtMs: time.nowMs, nowMs: time.nowMs },
    decideUntilMs: time.nowMs + APPROVAL.decideWithinMs,
    key: trader.key,
    effects: [
      'Position in PERP_BTC_USDC: not known → not known',
      'Leverage of the account: not known → not known',
    ],
  })
  for (let times = 0; times < 3; times += 1) await toSign(id)
  expect(await show(id)).toEqual(shown)
  expect(await write(buy(150))).toMatchObject({ state: 'waiting' })
})

test('an approved one says until when it may be sent', async () => {
  const id = await waiting()
  const approved = await approve(id)
  expect(approved).toMatchObject({
    state: 'approved',
    useUntilMs: time.nowMs + APPROVAL.useWithinMs,
  })
  expect(Object.keys(approved)).not.toContain('signature')
})

test('nobody but the owner approves, whatever is signed', async () => {
  const id = await waiting()
  const other = WALLETS.ethers()
  const { typedData, message } = await toSign(id)
  const own = await wallet.sign(typedData)
  const notOwner = { code: 'forbidden', reason: 'not_owner' }
  expect(await approve(id, other)).toMatchObject(notOwner)
  const bodies = [
    { message, signature: await other.sign(typedData), address: wallet.address },
    { message: { ...message, chainId: 1 }, signature: own, address: wallet.address },
    { message, signature: `0x${'11'.repeat(65)}`, address: wallet.address },
  ]
  for (const body of bodies) expect(await decide(body)).toMatchObject({ code: 'invalid_signature' })
  const foreign = { ...message, service: 'elsewhere.example' }
  expect(await decide({ message: foreign, signature: own, address: wallet.address })).toMatchObject(
    {
      code: 'invalid_request',
      parameter: 'message.service',
    },
  )
  const second = await approvalOf(buy(160))
  const moved = {
    message: { ...message, approval: second },
    signature: own,
    address: wallet.address,
  }
  expect(await decide(moved)).toMatchObject({ code: 'invalid_signature' })
  expect(await write(buy(150))).toMatchObject({ state: 'waiting' })
})

test('what was decided, used or is over is decided no more', async () => {
  const id = await waiting()
  const { typedData, message } = await toSign(id)
  const signed = { message, signature: await wallet.sign(typedData), address: wallet.address }
  const over = (state: string) => ({ code: 'forbidden', reason: 'decided', state })
  expect(await decide(signed)).toMatchObject({ state: 'approved' })
  expect(await decide(signed)).toMatchObject(over('approved'))
  expect(await refuse(id)).toMatchObject(over('approved'))
  expect(await write(buy(150))).toBe('sent')
  expect(await decide(signed)).toMatchObject(over('used'))
  const next = await approvalOf(buy(150))
  time.nowMs += APPROVAL.decideWithinMs
  expect(await refuse(next)).toMatchObject(over('expired'))
  expect(await toSign(next).catch(({ meta }) => meta)).toMatchObject({ reason: 'decided' })
  const unknown = 'ab'.repeat(16)
  expect(await show(unknown)).toMatchObject({ code: 'not_found' })
  expect(await show('nonsense')).toMatchObject({ code: 'invalid_request', parameter: 'id' })
  expect(await refuse(unknown)).toMatchObject({ code: 'not_found' })
})

test('what one instance is asked, another decides and a third sends', async () => {
  const id = await waiting()
  const [second, third] = [await openInstanceOn(world.store), await openInstanceOn(world.store)]
  expect(await approve(id, wallet, second)).toMatchObject({ state: 'approved' })
  expect(await write(buy(150), { on: third })).toBe('sent')
  expect(await write(buy(150))).toMatchObject({ state: 'waiting' })
})

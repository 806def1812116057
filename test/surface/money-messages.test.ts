import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hashTypedData } from 'viem'
import { LEDGER_CONTRACTS, ledgerContract } from '../../src/core/crypto/typed-data.ts'
import { envelope, jsonPost } from '../caller.ts'
import { openTarget, type Target } from '../target.ts'
import { BROKER } from './registration-fixture.ts'
import { newUser, post, WALLETS } from './wallets.ts'

const TYPED_DATA = '/api/prep/typed-data'
const CHAIN_ID = 42_161

describe('what moves money is written down for the wallet', () => {
  let target: Target
  const wallet = WALLETS.viem()
  let user: Awaited<ReturnType<typeof newUser>>
  beforeAll(async () => {
    target = await openTarget('in process', { VENUE: 'embedded', BROKER_ID: BROKER })
    user = await newUser(target, wallet)
  })
  afterAll(() => target.stop())

  async function relay(method: 'GET' | 'POST', path: string, body?: object) {
    const signed = envelope(user, { method, path, ...(body && { body: JSON.stringify(body) }) })
    const response = await target.fetch('/api/prep/relay', jsonPost(signed))
    return { status: response.status, body: Object(await response.json()) }
  }

  /** What `asked` is answered, and the body that the relay takes for it. */
  async function signed(asked: object) {
    const { status, body: answer } = await post(target, TYPED_DATA, asked)
    expect(status).toBe(200)
    const { typedData, message, digest, verifyingContract } = Object(answer)
    expect<string>(hashTypedData(JSON.parse(typedData))).toBe(digest)
    expect(JSON.parse(typedData).domain.verifyingContract).toBe(verifyingContract)
    expect({ chainType: 'EVM', ...JSON.parse(typedData).message }).toEqual(message)
    expect(message.brokerId).toBe(BROKER)
    const signature = await wallet.sign(typedData)
    return { message, signature, userAddress: wallet.address, verifyingContract }
  }

  test('a withdrawal, which the venue then takes as it is, once', async () => {
    const { body: nonce } = await relay('GET', '/v1/withdraw_nonce')
    const body = await signed({
      ...{ kind: 'withdraw', chainId: CHAIN_ID, receiver: wallet.address, token: 'USDC' },
      ...{ amount: '25000000', withdrawNonce: nonce.withdraw_nonce },
    })
    const taken = await relay('POST', '/v1/withdraw_request', body)
    expect(taken).toMatchObject({ status: 200, body: { withdraw_id: expect.any(Number) } })
    const { body: history } = await relay('GET', '/v1/asset/history')
    expect(history.rows[0]).toMatchObject({ side: 'WITHDRAW', amount: 25, token: 'USDC' })
    expect((await relay('POST', '/v1/withdraw_request', body)).status).not.toBe(200)
  })

  test('a settlement, which the venue then takes as it is', async () => {
    const { body: nonce } = await relay('GET', '/v1/settle_nonce')
    const asked = { kind: 'settle', chainId: CHAIN_ID, settleNonce: nonce.settle_nonce }
    const taken = await relay('POST', '/v1/settle_pnl', await signed(asked))
    expect(taken).toMatchObject({ status: 200, body: { settle_pnl_id: expect.any(Number) } })
  })

  test('and another amount than the wallet signed is refused', async () => {
    const { body: nonce } = await relay('GET', '/v1/withdraw_nonce')
    const body = await signed({
      ...{ kind: 'withdraw', chainId: CHAIN_ID, receiver: wallet.address, token: 'USDC' },
      ...{ amount: '25000000', withdrawNonce: nonce.withdraw_nonce },
    })
    const changed = { ...body, message: { ...body.message, amount: '26000000' } }
    const refused = await relay('POST', '/v1/withdraw_request', changed)
    expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_signature' } })
  })

  test.each([
    ['no amount', { amount: undefined }, 'amount'],
    ['an amount of nothing', { amount: '0' }, 'amount'],
    ['a part of the smallest unit', { amount: '1.5' }, 'amount'],
    ['a number, which may have been rounded', { amount: 25 }, 'amount'],
    ['39 digits', { amount: '1'.repeat(39) }, 'amount'],
    ['no wallet', { receiver: '0x12' }, 'receiver'],
    ['no nonce', { withdrawNonce: 0 }, 'withdrawNonce'],
    ['a token that is none', { token: 'usdc coin' }, 'token'],
  ])('but not with %s', async (_, change, parameter) => {
    const asked = {
      ...{ kind: 'withdraw', chainId: CHAIN_ID, receiver: wallet.address, token: 'USDC' },
      ...{ amount: '1', withdrawNonce: 1, ...change },
    }
    const { status, body } = await post(target, TYPED_DATA, asked)
    expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'invalid_request' })
    expect(body['meta']).toMatchObject({ parameter })
  })

  test('and of an unknown kind the body is said to be wrong', async () => {
    const { body } = await post(target, TYPED_DATA, { kind: 'transfer', chainId: CHAIN_ID })
    expect(body).toMatchObject({ code: 'invalid_request', meta: { parameter: 'body' } })
  })

  test('nor for a chain that the venue does not have', async () => {
    const asked = { kind: 'settle', chainId: 999_999, settleNonce: 1 }
    const { body } = await post(target, TYPED_DATA, asked)
    expect(body).toMatchObject({ code: 'unsupported_chain', meta: { parameter: 'chainId' } })
  })
})

test('chains of test networks have a contract of their own', () => {
  const [main, test] = LEDGER_CONTRACTS
  expect(['Arbitrum', 'Base', 'Arbitrum Sepolia', 'BNB Testnet'].map(ledgerContract)).toEqual([
    ...[main, main],
    ...[test, test],
  ])
})

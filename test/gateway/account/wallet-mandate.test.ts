// Slow: a wallet signs each generated mandate.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { hashTypedData } from 'viem'
import type { LimitsBody } from '../../../src/contract/mandate.ts'
import type { MandateBody } from '../../../src/contract/wallet-messages.ts'
import { mainAccountId } from '../../../src/core/crypto/account-id.ts'
import { signDigest, toWalletAddress } from '../../../src/core/crypto/wallet-signature.ts'
import { bodyLimits, limitsBody } from '../../../src/core/mandate.ts'
import type { Store } from '../../../src/core/ports.ts'
import { typedData } from '../../../src/gateway/account/typed-data.ts'
import { signMandate } from '../../../src/gateway/account/wallet-mandate.ts'
import { CONTROL_CHANGES } from '../../../src/gateway/controls/controls.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { ANY_LIMITS } from '../mandate/limits.ts'
import { openInstance } from '../standby/instance.ts'

const START_MS = 1_800_000_000_000
const WALLET = new Uint8Array(32).fill(7)
const STRANGER = new Uint8Array(32).fill(8)
const ADDRESS = toWalletAddress(WALLET)

let nowMs: number
let store: Store
let hasAccount: boolean
let accountId: string
let instance: Awaited<ReturnType<typeof openInstance>>

beforeEach(async () => {
  nowMs = START_MS
  hasAccount = true
  store = openSqlite(':memory:', 0)
  instance = await openInstance({
    store,
    nowMs: () => nowMs,
    send: async ({ path }) => {
      if (!path.startsWith('/v1/get_account?')) throw new RangeError(path)
      return hasAccount
        ? { status: 200, body: '{"success":true,"data":{"account_id":"0x"}}' }
        : { status: 400, body: '{"success":false,"code":-1006,"message":"account not found"}' }
    },
  })
  accountId = mainAccountId(ADDRESS, instance.gateway.operator.brokerId)
})
afterEach(() => store.close())

type Asked = { readonly limits?: LimitsBody; readonly frozen?: boolean; readonly address?: string }

function answered(answer: Promise<{ readonly reply: { readonly text: () => string } }>) {
  return answer.then(
    ({ reply }) => JSON.parse(reply.text()),
    ({ code, meta }) => ({ code, ...meta }),
  )
}

function toSign({ limits = {}, address = ADDRESS, ...own }: Asked, host = 'localhost') {
  const asked = { kind: 'mandate', chainId: 42_161, address, limits, ...own } as const
  return answered(typedData(instance.gateway, asked, host))
}

/** The body that a wallet makes of what it was given: it hashes the document by itself. */
function signed(typed: { typedData: string; message: MandateBody['message'] }, secret = WALLET) {
  const digest = Buffer.from(hashTypedData(JSON.parse(typed.typedData)).slice(2), 'hex')
  return { message: typed.message, signature: signDigest(digest, secret), address: ADDRESS }
}

const post = (body: MandateBody) => answered(signMandate(instance.gateway, body))
const sign = async (asked: Asked) => post(signed(await toSign(asked)))

describe('a wallet', () => {
  test('reads in its document what it signs, for this service and under its name', async () => {
    const symbols = ['PERP_ETH_USDC', 'PERP_BTC_USDC']
    const expiresAtMs = Date.UTC(2027, 0, 2)
    const { typedData: text } = await toSign({
      limits: { maxOrderUsdc: '100.50', symbols, expiresAtMs },
    })
    const { domain, message, primaryType } = JSON.parse(text)
    expect(primaryType).toBe('Mandate')
    expect(domain).toMatchObject({ name: 'prepd', chainId: 42_161 })
    const others = ['maxDailyUsdc', 'maxPositionUsdc', 'maxLossUsdc']
    expect(message).toEqual({
      ...{ account: accountId, service: 'localhost', maxOrderUsdc: '100.5' },
      ...Object.fromEntries(others.map((name) => [name, 'no limit'])),
      ...{ maxLeverage: 'no limit', maxOrdersPerMinute: 'no limit', approveAboveUsdc: 'never' },
      ...{ symbols: 'PERP_ETH_USDC, PERP_BTC_USDC', expires: '2027-01-02T00:00:00.000Z' },
      ...{ reduceOnly: 'no', readOnly: 'no', onceByClientOrderId: 'no', frozen: 'no' },
      approveChanges: 'no',
      ...{ counter: 1, timestamp: START_MS },
    })
  })

  test('gives its account any limits, which hold at once, and takes each of them back', async () => {
    let counter = 0
    await fc.assert(
      fc.asyncProperty(ANY_LIMITS, fc.boolean(), async (limits, frozen) => {
        counter += 1
        const frozenBy = frozen ? 'wallet' : 'none'
        const answer = { limits: limitsBody(limits), counter, frozenBy }
        const { stillOpening = null, ...signed } = await sign({ limits: answer.limits, frozen })
        expect({ signed, stillOpening }).toEqual({ signed: answer, stillOpening: null })
        expect(await store.mandates.find(accountId)).toMatchObject({ limits, counter, frozenBy })
      }),
      { numRuns: 30 },
    )
    await sign({})
    expect(await instance.gateway.mandates.of(accountId)).toBeNull()
  })

  test('loosens what a key has tightened, and lifts its freeze, but not the operator’s', async () => {
    await sign({ limits: { maxOrderUsdc: 10 } })
    const { mandates, controls } = instance.gateway
    const found = await mandates.find(accountId)
    if (!found) throw new RangeError('nothing was stored')
    const tightened = {
      limits: bodyLimits({ maxOrderUsdc: 1 }),
      frozenBy: 'key',
      changedAtMs: 1,
    } as const
    await mandates.tighten(found, tightened)
    expect(await sign({ limits: { maxOrderUsdc: 20 } })).toEqual({
      ...{ limits: { maxOrderUsdc: '20' }, counter: 2, frozenBy: 'none' },
    })
    await controls.commit({ atMs: 0, act: 'freezes', fields: {}, fingerprint: '' }, [
      CONTROL_CHANGES.freeze(accountId, 1),
    ])
    expect(await sign({ limits: {} })).toMatchObject({ counter: 3, frozenBy: 'operator' })
    expect(await mandates.of(accountId)).toMatchObject({ frozenBy: 'operator' })
  })
})

describe('a mandate is refused', () => {
  /** Of a message that is right, another that is signed again. */
  async function changed(own: Partial<MandateBody['message']>) {
    const typed = await toSign({})
    const message = { ...typed.message, ...own }
    const document = JSON.parse(typed.typedData)
    const words = { account: message.account, service: message.service, counter: message.counter }
    const values = { ...document.message, ...words, timestamp: message.timestamp }
    return post(signed({ message, typedData: JSON.stringify({ ...document, message: values }) }))
  }

  test('that another wallet has signed', async () => {
    expect(await post(signed(await toSign({}), STRANGER))).toEqual({ code: 'invalid_signature' })
    expect(await store.mandates.find(accountId)).toBeNull()
  })

  test('of another account, whoever signs: nobody can name a victim', async () => {
    const account = `0x${'9'.repeat(64)}`
    expect(await changed({ account })).toMatchObject({
      code: 'invalid_request',
      parameter: 'message.account',
    })
    expect(await store.mandates.find(account)).toBeNull()
  })

  test('for a service of another host name, and is not made for one', async () => {
    const refused = { code: 'invalid_request', parameter: 'message.service' }
    expect(await changed({ service: 'other.example.com' })).toMatchObject(refused)
    expect(await toSign({}, 'other.example.com')).toMatchObject({
      ...{ code: 'forbidden', reason: 'foreign_host', setting: 'PREPD_ALLOWED_HOSTS' },
    })
    expect(await changed({})).toMatchObject({ counter: 1 })
  })

  test.each([
    ['of another name', { name: 'other' }],
    ['of the venue', { name: 'Orderly' }],
    ['of another chain', { chainId: 1 }],
    ['of another version', { version: '2' }],
  ])('in the domain %s', async (_, own) => {
    const typed = await toSign({})
    const document = JSON.parse(typed.typedData)
    const foreign = JSON.stringify({ ...document, domain: { ...document.domain, ...own } })
    const body = signed({ message: typed.message, typedData: foreign })
    expect(await post(body)).toEqual({ code: 'invalid_signature' })
  })

  test('that is older than five minutes, or of a time to come, and not one of exactly five', async () => {
    const body = signed(await toSign({}))
    nowMs = START_MS + 300_001
    expect(await post(body)).toMatchObject({ code: 'expired_signature', reason: 'clock' })
    nowMs = START_MS
    expect(await changed({ timestamp: START_MS + 300_001 })).toMatchObject({
      ...{ code: 'invalid_request', parameter: 'message.timestamp' },
    })
    nowMs = START_MS + 300_000
    expect(await post(body)).toMatchObject({ counter: 1 })
  })

  test('that was stored before, or is overtaken by another', async () => {
    const [early, late] = [signed(await toSign({ frozen: true })), signed(await toSign({}))]
    await post(late)
    for (const body of [early, late])
      expect(await post(body)).toEqual({ code: 'duplicate_request', parameter: 'message.counter' })
    expect(await store.mandates.find(accountId)).toMatchObject({ frozenBy: 'none', counter: 1 })
  })

  test('of a wallet without an account, which would fill the store, and of a blocked one', async () => {
    hasAccount = false
    expect(await sign({})).toEqual({ code: 'not_found' })
    expect(await store.mandates.find(accountId)).toBeNull()
    hasAccount = true
    expect(await sign({})).toMatchObject({ counter: 1 })
    hasAccount = false
    expect(await sign({})).toMatchObject({ counter: 2 })
    await instance.gateway.controls.commit(
      { atMs: 0, act: 'blocks', fields: {}, fingerprint: '' },
      [CONTROL_CHANGES.block(ADDRESS, 1)],
    )
    expect(await sign({})).toMatchObject({ code: 'forbidden', reason: 'blocked' })
  })

  test('whose limits or freeze are others than those that were signed', async () => {
    await fc.assert(
      fc.asyncProperty(ANY_LIMITS, ANY_LIMITS, fc.boolean(), async (one, other, flips) => {
        fc.pre(flips || JSON.stringify(limitsBody(one)) !== JSON.stringify(limitsBody(other)))
        const body = signed(await toSign({ limits: limitsBody(one) }))
        const message = { ...body.message, limits: limitsBody(other), frozen: flips }
        expect(await post({ ...body, message })).toEqual({ code: 'invalid_signature' })
      }),
      { numRuns: 40 },
    )
    expect(await store.mandates.find(accountId)).toBeNull()
  })
})

test('whatever is posted in whatever order, the counter only rises, and the last that was taken holds', async () => {
  const message = fc.record({ ahead: fc.integer({ min: -3, max: 5 }), frozen: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 6 }), async (messages) => {
      for (const { ahead, frozen } of messages) {
        const before = (await store.mandates.find(accountId))?.counter ?? 0
        const typed = await toSign({ frozen })
        const counter = Math.max(1, before + ahead)
        const document = JSON.parse(typed.typedData)
        const values = { ...document.message, counter }
        const body = signed({
          message: { ...typed.message, counter },
          typedData: JSON.stringify({ ...document, message: values }),
        })
        const answer = await post(body)
        const after = await store.mandates.find(accountId)
        if (counter <= before) expect(answer.code).toBe('duplicate_request')
        else expect(after).toMatchObject({ counter, frozenBy: frozen ? 'wallet' : 'none' })
        expect(after?.counter ?? 0).toBe(Math.max(before, counter))
      }
    }),
    { numRuns: 15 },
  )
})
